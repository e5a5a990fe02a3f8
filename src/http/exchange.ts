/** An exchange: the common interface for one request and its response, over a socket or through `fetch`. */
import type { HttpError } from '../errors/http-error.js'
import type { HeaderMap } from './fields.js'
import type { Payload } from './payload.js'

/** Used as the address of clients on a Unix socket. */
export const UNIX = 'unix'

export interface ResponseMessage {
  readonly status: number
  readonly headers: HeaderMap
  readonly payload: Payload
  /**
   * Alternating names and values that are written after `headers`. They are already checked: only ASCII, no framing headers, no names from
   * `headers`, and no headers that Node adds. A `Cache-Control` in them is a default.
   */
  readonly lines?: readonly string[]
  /** The bytes of `lines`, if they are prepared, because to write two of them costs 0.1 µs. */
  readonly text?: string
}

export interface RequestFault {
  readonly status: number
  readonly detail: string
}

export type BodyListener = (error: unknown, bytes: Buffer | undefined) => void

export interface SentListener {
  /** Called once, when the response is sent or the connection is lost. */
  sent(error: unknown): void
}

export interface Exchange {
  readonly method: string
  /** Request target without the mount. */
  readonly url: string
  /** Path at which another server has mounted the app; empty if no server has. */
  readonly mount: string
  /** Address of the client; `unix` for a Unix socket, empty for `fetch` and if unknown. */
  readonly ip: string
  readonly fault: RequestFault | undefined
  readonly isSecure: boolean
  /** Requested `host[:port]`; empty if missing. */
  readonly host: string
  /** Whether the headers declare a body. */
  readonly hasBody: boolean
  /** Whether the declared body may be empty, because it has no length and the client does not wait for a 100. */
  readonly mayBeEmpty: boolean
  /** Number of `Content-Type` headers. */
  readonly contentTypes: number
  readonly aborted: boolean
  header(name: string): string | undefined
  headers(): Record<string, string | undefined>
  /**
   * Collects the body. Calls `done` with an error as soon as the body exceeds the limit.
   *
   * @param rejection error to pass to `done` at the first byte, unless the body is empty
   */
  collect(limit: number, done: BodyListener, rejection?: HttpError | null): void
  stream(limit: number): AsyncIterable<Buffer>
  /** Calls the listener if the client disconnects before the response is sent. */
  onAbort(listener: () => void): void
  /** Calls the listener when the response is sent or can no longer be sent; immediately if that has already happened. */
  onLeft(listener: () => void): void
  send(message: ResponseMessage, listener: SentListener | null): void
  /** Sends this instead of a response that could not be written; cuts the connection if the headers are already sent. Never throws. */
  abandon(message: ResponseMessage): void
  /** Returns the headers of a sent response, as alternating names and values. Headers that Node adds are missing. */
  linesOf(message: ResponseMessage): readonly string[]
}

/** The reason of an aborted request. */
export function clientGone(): DOMException {
  return new DOMException('The client disconnected', 'AbortError')
}

/** The reason of a request that is aborted because the app closes. */
export function serverClosing(): DOMException {
  return new DOMException('The server is closing', 'AbortError')
}
