/** Event streams that continue: requests the stream again after its end, with the last id. */
import type { ErrorEventMark } from '../route/kinds.js'
import { CANNOT, createStreamFailure, isStreamFailure } from './stream-failure.js'

/** Position in an event stream, with which the next request continues. */
export interface StreamPosition {
  /** Last id of the server; `undefined` before the first. */
  id?: string | undefined
  /** Time that the server wants before the next request, in ms. */
  retry?: number
  /** Requests since the last event. */
  tries: number
}

/** Limits of the requests that continue an event stream. */
export interface ReconnectOptions {
  /** Maximum number of requests in a row without an event; default 10. */
  readonly tries?: number | undefined
  /** Time before the first of these requests in ms, unless the server sets it with `retry`; default 1000. It doubles with each of them. */
  readonly delay?: number | undefined
  /** Maximum of that time in ms; default 30,000. A longer `retry` or `Retry-After` of the server applies. */
  readonly maxDelay?: number | undefined
}

/** Options of a kind of response. Only kinds of event streams have the name of an error event. */
export type EventOptions<K> = [Extract<K, ErrorEventMark<unknown>>] extends [never]
  ? {}
  : StreamOptions<Extract<K, ErrorEventMark<unknown>>['~errorEvent']>
type StreamOptions<Name> = ReconnectOption & ([Name] extends ['error'] ? {} : { readonly errorEvent: Name })

/** Option of endpoints that send an event stream. */
export interface ReconnectOption {
  /**
   * Requests the stream again whenever it has ended or was interrupted, with the last id in `Last-Event-ID`, until the server responds with
   * 204 or a status from 400 to 499, or sends the error event. `timeout` then limits the time until each response begins. Default: `false`.
   */
  readonly reconnect?: boolean | ReconnectOptions | undefined
}

/** A response that the client has read. The body of an event stream is its events. */
export interface ReadResponse {
  readonly ok: boolean
  readonly status: number
  readonly body: unknown
  readonly headers: Headers
}

/** Sends the request of a call, at a position of its stream. */
type Send = (signal: AbortSignal, position: StreamPosition) => Promise<ReadResponse>

/** Options of a call that reconnects. */
interface ReconnectCall {
  readonly body?: unknown
  readonly reconnect: true | ReconnectOptions
  readonly signal?: AbortSignal | undefined
  readonly timeout?: number | undefined
}

/** Sends a request. If the response is an event stream, its body sends the request again whenever the stream has ended. */
export async function keepConnected(
  send: Send,
  { body: sent, reconnect, signal, timeout }: ReconnectCall,
): Promise<ReadResponse> {
  if (sent instanceof ReadableStream || 'next' in Object(sent)) {
    throw new TypeError('Cannot reconnect: the body can be sent only once. Send an array, a string or a Blob')
  }
  const position: StreamPosition = { tries: 0 }
  const stop = new AbortController()
  const end = AbortSignal.any([signal ?? [], stop.signal].flat())
  const connect = (): Promise<ReadResponse> => respondWithin(timeout, end, (limited) => send(limited, position))
  const first = await connect()
  if (!isEvents(first)) return first
  const events = continueEvents({ first, connect, position, end, ...Object(reconnect) })
  // The methods of a generator wait for its pending read. These end it.
  const body = {
    [Symbol.asyncIterator]: () => body,
    next: () => events.next().catch((error: unknown) => (stop.signal.aborted ? events.next() : Promise.reject(error))),
    return: () => {
      stop.abort()
      return events.return()
    },
  }
  return { ...first, body }
}

function isEvents({ ok, headers }: ReadResponse): boolean {
  return ok && headers.get('content-type')?.startsWith('text/event-stream') === true
}

/** Aborts a request whose response does not begin in time. Its stream has no limit. */
async function respondWithin(
  timeout: number | undefined,
  end: AbortSignal,
  send: (signal: AbortSignal) => Promise<ReadResponse>,
): Promise<ReadResponse> {
  const late = new AbortController()
  const expire = (): void => late.abort(new DOMException('The response did not begin in time', 'TimeoutError'))
  const timer = timeout && setTimeout(expire, timeout)
  try {
    return await send(AbortSignal.any([end, late.signal]))
  } finally {
    clearTimeout(timer)
  }
}

interface StreamLoop extends ReconnectOptions {
  readonly first: ReadResponse
  readonly connect: () => Promise<ReadResponse>
  readonly position: StreamPosition
  readonly end: AbortSignal
}

async function* continueEvents(call: StreamLoop): AsyncGenerator<unknown, void, undefined> {
  const { first, connect, position, end, tries = 10, delay = 1000, maxDelay = 30_000 } = call
  for (let open = async () => first; ; open = connect) {
    const broken = yield* readUntilBroken(open)
    if (broken === null) return
    end.throwIfAborted()
    if (position.tries === tries) throw broken.error
    const { retry } = position
    const longest = Math.min((retry ?? delay) * 2 ** ++position.tries, maxDelay)
    // The random part distributes the requests of many clients after a restart of the server.
    await sleep(Math.max(retry ?? 0, broken.retryAfter, longest * (0.5 + Math.random() / 2)), end)
    end.throwIfAborted()
  }
}

/** Why a stream has to be requested again. */
interface Broken {
  readonly error: unknown
  /** Time that the server wants before the next request, in ms. */
  readonly retryAfter: number
}

/** Yields the events of a response until it ends. Returns `null` if the server has no more events. */
async function* readUntilBroken(open: () => Promise<ReadResponse>): AsyncGenerator<unknown, Broken | null, undefined> {
  try {
    const response = await open()
    const { status, headers, body } = response
    if (isEvents(response)) {
      // Proof: the body of this media type is always read as events.
      yield* body as AsyncIterable<unknown>
      return { error: new Error(`${CANNOT}: the server ended the last response without an event`), retryAfter: 0 }
    }
    if (status === 204) return null
    if (status > 499) return { error: createStreamFailure(status, body), retryAfter: readRetryAfter(headers) }
    if (status > 399) throw createStreamFailure(status, body)
    throw new SyntaxError(`${CANNOT}: the type of the response is ${headers.get('content-type')}`)
  } catch (error) {
    // Other errors are errors of the connection.
    if (isStreamFailure(error) || error instanceof SyntaxError) throw error
    return { error, retryAfter: 0 }
  }
}

/** Returns the time of `Retry-After` in ms (RFC 9110 section 10.2.3): a number of seconds, or the time until a date. */
function readRetryAfter(headers: Headers): number {
  const value = `${headers.get('retry-after')}`
  return Number(value) * 1000 || Date.parse(value) - Date.now() || 0
}

/** Ends early if the signal is aborted. */
function sleep(time: number, end: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer)
      end.removeEventListener('abort', finish)
      resolve()
    }
    // A longer time would overflow the timer, which then fires immediately.
    const timer = setTimeout(finish, Math.min(time, 2 ** 31 - 1))
    end.addEventListener('abort', finish)
  })
}
