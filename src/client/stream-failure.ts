/** `StreamFailure`: the typed error of an event stream. */
import type { Problem } from '../errors/problem.js'
import type { KnownErrorStatus } from '../errors/status.js'
import type { StreamEvent } from '../route/kinds.js'
import type { Failure } from './response-types.js'

/**
 * Error of an event stream that the server has ended with an error event, or that the client cannot continue because the server responds
 * with an error.
 */
export interface StreamFailure<Status = KnownErrorStatus, Body = Problem> extends Error {
  /** Name of the error. */
  readonly name: 'StreamFailure'
  /** Status of the problem, or of the response; 500 if the data of the event has no status. */
  readonly status: Status
  /** Data of the event, or body of the response: a problem, the app's `errorFormat`, or the body that `returns` declares. */
  readonly body: Body
}

/** Events of a response. Reading them can throw a `StreamFailure`. `Failed` is the type of the endpoint's failures. */
export interface EventStream<Data, Failed = Failure> extends AsyncIterable<StreamEvent<Data>> {
  /** Type brand; not present at run time. */
  readonly '~failed'?: Failed
}

/** The `StreamFailure` of each failure of an endpoint. */
export type StreamFailureOf<Failed> =
  Failed extends Failure<infer Status, infer Body> ? StreamFailure<Status, Body> : never

/**
 * Whether an error that was thrown while you read an event stream is a `StreamFailure`. Any other error means that the stream was
 * interrupted.
 *
 * @param error the error
 * @param _events the `body` of the response; `error.body` then has the type of the endpoint's failures
 * @returns whether the server has reported the failure
 *
 * @example
 * ```ts
 * import { createApp, events, HttpError, Route } from 'verbena'
 * import { createClient, isStreamFailure } from 'verbena/client'
 *
 * // A schema that accepts any value. Use a library instead.
 * const Any = { '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) } } as const
 *
 * class Numbers extends Route {
 *   static readonly get = this.contract({ returns: events(Any, { project: false }), errors: [409] })
 *   async *get() {
 *     yield { data: 1 }
 *     throw new HttpError(409, 'Sold out')
 *   }
 * }
 * const app = createApp({ routes: { Numbers }, logger: false })
 * const api = createClient<typeof app>('http://localhost', { fetch: (request) => app.fetch(request) })
 *
 * const { ok, body } = await api('/numbers').get()
 * const seen: unknown[] = []
 * try {
 *   if (ok) for await (const { data } of body) seen.push(data)
 * } catch (error) {
 *   if (ok && isStreamFailure(error, body)) seen.push(error.body.detail)
 * }
 * seen // => [1, 'Sold out']
 * ```
 */
export function isStreamFailure<Failed = Failure>(
  error: unknown,
  // Only for its type.
  _events?: EventStream<unknown, Failed>,
): error is StreamFailureOf<Failed> {
  return error instanceof Error && error.name === 'StreamFailure'
}

/** Beginning of the error messages. */
export const CANNOT = 'Cannot continue the event stream'

export function createStreamFailure(status: number, body: unknown): Error {
  const { detail } = Object(body)
  const text = `${CANNOT}: the server reported the status ${status}`
  const error = new Error(typeof detail === 'string' ? `${text}, "${detail}"` : text)
  return Object.assign(error, { name: 'StreamFailure', status, body })
}
