/** Events of requests, for observers of an app. */

/** Properties of a request that are known when it starts. */
export interface StartedRequest {
  /** Id of the request. */
  readonly requestId: string
  /** Trace id of the `traceparent` header; `undefined` if the header is missing or malformed. */
  readonly traceId: string | undefined
  /** Request method as sent. */
  readonly method: string
}

/** Input of the method by source. A source is `undefined` if the contract does not declare it. */
export interface RequestInput {
  /** Path parameters. */
  readonly params: unknown
  /** The query. */
  readonly query: unknown
  /** Headers that the contract declares. */
  readonly headers: unknown
  /** Cookies that the contract declares. */
  readonly cookies: unknown
  /** The body. */
  readonly body: unknown
}

/** Event at the start of a request. */
export interface RequestStart extends StartedRequest {
  /** Request target as sent: path and query, percent-encoded. */
  readonly url: string
}

/** Event after routing, before middleware runs. */
export interface RequestRouted extends StartedRequest {
  /** Name of the route; `undefined` if no endpoint matches. */
  readonly route: string | undefined
  /** Path template that matches, even if the path has no such method or version; `undefined` if no path matches. */
  readonly template: string | undefined
  /** Path as sent, percent-encoded; empty if the request target is malformed. */
  readonly path: string
  /** The matching endpoint; `undefined` if no endpoint matches. */
  readonly endpoint: NumberedEndpoint | undefined
}

/** Event when the response has been written to the connection. */
export interface RequestEnd extends RequestRouted {
  /** API version of the response, in full; `undefined` if the endpoint has no version constraint. */
  readonly version: string | undefined
  /** Status of the response; 499 if the client disconnected before a byte of it was sent. */
  readonly status: number
  /** Whether the client disconnected before it received the whole response. */
  readonly aborted: boolean
  /** Time in ms until the response was ready to be sent, or until it was sent if it is a stream. */
  readonly duration: number
  /** The thrown error; `undefined` if the request succeeded. */
  readonly error: unknown
  /** Input of the method. It is not a copy, so it includes later changes. */
  readonly input: RequestInput
  /** Body of the response, projected and not yet serialized. */
  readonly output: unknown
  /** Metadata of the endpoint from its class, decorators and contract; `undefined` if no endpoint matches. */
  readonly meta: object | undefined
}

/** An endpoint, identified by its number. Observers use the number as an index into their own lists. */
export interface NumberedEndpoint {
  /** Index among the endpoints of the app in the order of registration, from 0. Endpoints of Verbena come last. */
  readonly number: number
}

/** Event when the server fails, before or after the response. Errors of the client have no such event. */
export interface RequestError extends RequestRouted {
  /** The thrown error. */
  readonly error: unknown
  /** Description of the failure: the message of its log line. */
  readonly message: string
}

/** Events of a request by name: one `start`, one `routed`, any number of `error`, one `end`. */
export interface CallEvents {
  readonly start: RequestStart
  readonly routed: RequestRouted
  readonly end: RequestEnd
  readonly error: RequestError
}

export type CallEventName = keyof CallEvents

/** Target and headers of a request as sent. Headers and query are only used to find secrets. */
export interface SentHead {
  /** Without `?`. */
  readonly query: string
  readonly exchange: {
    /** The request target. */
    readonly url: string
    /** Returns a new object with the headers by lower-case name. */
    headers(): Readonly<Record<string, string | undefined>>
  }
}

export type CallListener<Name extends CallEventName> = (event: CallEvents[Name], head: SentHead | null) => void
/** Listeners inside the app. Only observers outside of it receive the other events. */
export type CallListeners = { readonly [Name in 'start' | 'end']?: CallListener<Name> }

/** A finished request, as metrics read it. Counting a request creates no event. */
export interface CountedCall {
  /** The matching endpoint; `null` if no endpoint matches. */
  readonly prepared: NumberedEndpoint | null
  readonly exchange: { readonly method: string }
  /** Start time, in ms of `performance.now()`. */
  readonly began: number
  /** In ms. */
  readonly duration: number
}

export interface CallTimer {
  record(call: CountedCall, status: number): void
}
