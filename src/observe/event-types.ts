/** What observers of an app are told of its calls. */

/** What is known of a call from its beginning. */
export interface StartedRequest {
  /** Id of the request. */
  readonly requestId: string
  /** Id of its trace, from `traceparent`; `undefined` without one. */
  readonly traceId: string | undefined
  /** Request method as sent. */
  readonly method: string
}

/** The sources of a call, as the method gets them; `undefined` for those that its contract does not name. */
export interface RequestInput {
  /** Path parameters. */
  readonly params: unknown
  /** The query. */
  readonly query: unknown
  /** Headers that the contract names. */
  readonly headers: unknown
  /** Cookies that the contract names. */
  readonly cookies: unknown
  /** The body. */
  readonly body: unknown
}

/** A call begins. */
export interface RequestStart extends StartedRequest {
  /** Target as sent: path and query, percent-encoded. */
  readonly url: string
}

/** What is known of a call once its path was matched, before middleware runs. */
export interface RequestRouted extends StartedRequest {
  /** Name of the route; `undefined` where none answered. */
  readonly route: string | undefined
  /** Path template that matched, also where the path has no such method or version; `undefined` where none did. */
  readonly template: string | undefined
  /** Path as sent, percent-encoded; empty where the target cannot be read. */
  readonly path: string
  /** The endpoint that answers; `undefined` where none does. */
  readonly endpoint: NumberedEndpoint | undefined
}

/** A call was answered. */
export interface RequestEnd extends RequestRouted {
  /** Version of the API that was answered, in full; `undefined` where the endpoint has no constraint. */
  readonly version: string | undefined
  /** Status of the answer; 499 if the client disconnected before a byte of it was sent. */
  readonly status: number
  /** Whether the client disconnected before it had the whole answer. */
  readonly aborted: boolean
  /** From the head of the request to the end of the answer's making, in ms. */
  readonly duration: number
  /** What was thrown; `undefined` when nothing was. */
  readonly error: unknown
  /** The input of the method, as it is now. */
  readonly input: RequestInput
  /** The body of the answer, projected, before it was serialised. */
  readonly output: unknown
  /** What class, decorators and contract say of the endpoint; `undefined` where none answered. */
  readonly meta: object | undefined
}

/** An endpoint, as observers tell it from others: what they know of each stands in a list. */
export interface NumberedEndpoint {
  /** Its place among the endpoints of the app, in the order of registration, from 0; endpoints of Verbena come last. */
  readonly number: number
}

/** Something failed, before the answer or after it, that is no fault of the client's. */
export interface RequestError extends RequestRouted {
  /** What was thrown. */
  readonly error: unknown
  /** What failed, in words. */
  readonly message: string
}

/** The events of a call, by name: one start, one `routed`, any number of errors, one end. */
export interface CallEvents {
  readonly start: RequestStart
  readonly routed: RequestRouted
  readonly end: RequestEnd
  readonly error: RequestError
}

export type CallEventName = keyof CallEvents

/** The head of a request as it was sent: only for those who look for secrets. */
export interface SentHead {
  /** Without `?`. */
  readonly query: string
  readonly exchange: {
    /** By lower-case name; made when they are asked for. */
    headers(): Readonly<Record<string, string | undefined>>
  }
}

export type CallListener<Name extends CallEventName> = (event: CallEvents[Name], head: SentHead | null) => void
/** The other events are for observers that are no part of the app. */
export type CallListeners = { readonly [Name in 'start' | 'end']?: CallListener<Name> }

/** A call that was answered, as it is: to count calls, no event is made. */
export interface CountedCall {
  /** The endpoint that answered; `null` where none did. */
  readonly prepared: NumberedEndpoint | null
  readonly exchange: { readonly method: string }
  /** When it began, in ms of `performance.now()`. */
  readonly began: number
  /** How long it took, in ms. */
  readonly duration: number
}

export interface CallTimer {
  record(call: CountedCall, status: number): void
}
