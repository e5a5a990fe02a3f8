/** Interface of features that write the items of a response one by one, such as lines. */
import type { OpenChunks } from './chunks.js'
import type { OpenStreams } from './event-stream.js'
import type { Payload } from './payload.js'

/**
 * Returns the payload as soon as its first chunk is known. An error before becomes a problem.
 *
 * @param check validates and projects an item
 */
export type ItemWriter = (
  items: OpenChunks,
  check: (item: unknown) => unknown,
  request: StreamRequest,
) => Promise<Payload>

/** The request of the response. */
export interface StreamRequest {
  /** Name of its endpoint, for messages. */
  readonly label: string
  readonly app: { readonly openStreams: OpenStreams }
  /** Error that interrupted the response. */
  sendError: unknown
  /** Aborts the `signal` of the handler. */
  abort(reason: unknown): void
}
