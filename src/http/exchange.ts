/** An exchange: one request and the way to answer it, the same over a socket and through `fetch`. */
import type { HttpError } from '../errors/http-error.js'
import type { HeaderMap } from './fields.js'
import type { Payload } from './payload.js'

/** Stands for the address of a peer on a Unix socket. */
export const UNIX = 'unix'

export interface ResponseMessage {
  readonly status: number
  readonly headers: HeaderMap
  readonly payload: Payload
  /** Names and values in turn that are written behind the fields: checked, ASCII, no framing, none of those that are there or that Node adds. */
  readonly lines?: readonly string[]
}

export interface RequestFlaw {
  readonly status: number
  readonly detail: string
}

export type BodyListener = (error: unknown, bytes: Buffer | undefined) => void

export interface SentListener {
  /** Called once: the answer is sent, or the connection is gone. */
  sent(error: unknown): void
}

export interface Exchange {
  readonly method: string
  readonly url: string
  /** Address of the peer; `unix` for a Unix socket, empty for `fetch` and where it is not known. */
  readonly ip: string
  readonly flaw: RequestFlaw | undefined
  readonly isSecure: boolean
  /** What the client calls this server: `host[:port]`; empty where it does not say. */
  readonly host: string
  /** Whether the request is framed as one with a body. */
  readonly hasBody: boolean
  /** Whether only the first byte tells that there is a body: it has no length, and the client does not wait for a 100. */
  readonly mayBeEmpty: boolean
  /** How often `Content-Type` was sent. */
  readonly contentTypes: number
  readonly aborted: boolean
  header(name: string): string | undefined
  headers(): Record<string, string | undefined>
  /**
   * Collects the body, or refuses it as soon as it is known to exceed the limit.
   *
   * @param refusal passed to `done` at the first byte, if there is one
   */
  collect(limit: number, done: BodyListener, refusal?: HttpError | null): void
  stream(limit: number): AsyncIterable<Buffer>
  /** Called when the client goes away before it has its answer. */
  onAbort(listener: () => void): void
  /** Called when the answer is sent, or can no longer be sent; at once when that is known. */
  onLeft(listener: () => void): void
  send(answer: ResponseMessage, listener: SentListener | null): void
  /** Sends this instead of a response that could not be written; cuts the connection if the headers are already sent. Never throws. */
  abandon(answer: ResponseMessage): void
  /** The fields that an answer was written with, as far as they are known here. */
  linesOf(answer: ResponseMessage): readonly string[]
}
