/** Types of the option `otherwise` of `listen`. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** A `request` listener of `node:http`. If it throws or rejects, the request fails like any other. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => unknown

/** A handler of requests and upgrades. */
export interface OtherHandler {
  /** Receives requests. */
  readonly request: RequestHandler
  /** Receives upgrade requests with Node's socket, and the bytes after the request headers. */
  readonly upgrade?: ((request: IncomingMessage, socket: Duplex, head: Buffer) => unknown) | undefined
}
