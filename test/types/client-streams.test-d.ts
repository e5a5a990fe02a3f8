/** The typed client: options, items and failures of event streams and JSON Lines. */
import { createApp, events, reply, Route, stream, type Input, type Result, type StreamEvent } from 'verbena'
import { createClient, isStreamFailure, type EventStream, type Failure, type Success } from 'verbena/client'
import { jsonLines } from 'verbena/lines'
import * as z from 'zod'
import { sameType } from './same-type.js'

const Item = z.object({ id: z.string(), at: z.date() })
const Left = z.object({ left: z.number() })

class Orders extends Route {
  static readonly get = this.contract({
    returns: { 200: events(Item), 204: null, 410: z.object({ since: z.string() }) },
    errors: { 409: Left },
  })
  async get(): Result<typeof Orders.get> {
    return reply(204)
  }
  static readonly post = this.contract({ returns: events(Item, { errorEvent: 'failed' }) })
  async *post() {
    yield { data: { id: 'a', at: new Date() } }
  }
  static readonly put = this.contract({ body: jsonLines(Item), returns: jsonLines(Item) })
  async *put({ body }: Input<typeof Orders.put>) {
    yield* body
  }
  // Items that look like events.
  static readonly patch = this.contract({ returns: jsonLines(z.object({ data: z.date() })) })
  async *patch() {
    yield { data: new Date() }
  }
  static readonly delete = this.contract({ returns: stream() })
  async *delete() {
    yield 'text'
  }
}
const app = createApp({ routes: { Orders } })
const orders = createClient<typeof app>('http://localhost')('/orders')
interface Shown {
  id: string
  at: string
}

export async function failures() {
  const answer = await orders.get({ reconnect: true })
  if (answer.status !== 200) return
  const { body } = answer
  try {
    for await (const event of body) sameType<typeof event, StreamEvent<Shown>>()
  } catch (error) {
    if (!isStreamFailure(error, body)) throw error
    if (error.status === 409) sameType<typeof error.body.left, number>()
    else if (error.status === 410) sameType<typeof error.body, { since: string }>()
    else sameType<typeof error.body.detail, string | undefined>()
    sameType<typeof error.name, 'StreamFailure'>()
  }
}

export function anyFailure(error: unknown) {
  if (isStreamFailure(error)) sameType<typeof error.body.detail, string | undefined>()
}

export async function options() {
  await orders.get()
  await orders.get({ reconnect: { tries: 3, delay: 10, maxDelay: 100 }, timeout: 5, signal: AbortSignal.abort() })
  // @ts-expect-error - the default name is not an option
  await orders.get({ errorEvent: 'error' })
  // @ts-expect-error - an unknown bound
  await orders.get({ reconnect: { retries: 3 } })
  const renamed = await orders.post({ errorEvent: 'failed', reconnect: true })
  sameType<typeof renamed, Failure | Success<200, EventStream<Shown>>>()
  // @ts-expect-error - the name of the error event is missing
  await orders.post()
  // @ts-expect-error - another name
  await orders.post({ errorEvent: 'error' })
  // @ts-expect-error - lines are not resumed
  await orders.patch({ reconnect: true })
  // @ts-expect-error - bytes are not resumed
  await orders.delete({ as: 'stream', reconnect: true })
  // @ts-expect-error - an event stream is always read as events
  await orders.get({ as: 'text' })
}

export async function lines() {
  const headers = { 'content-type': 'application/jsonl' } as const
  const answer = await orders.put({ body: [{ id: 'a', at: new Date() }], headers })
  sameType<typeof answer, Failure | Success<200, AsyncIterable<Shown>>>()
  async function* later() {
    yield { id: 'a', at: new Date() }
  }
  await orders.put({ body: later(), headers })
  // @ts-expect-error - without its media type, the items would be sent as JSON
  await orders.put({ body: later() })
  // @ts-expect-error - a wrong item
  await orders.put({ body: [1], headers })
  const looksLikeEvents = await orders.patch()
  sameType<typeof looksLikeEvents, Failure | Success<200, AsyncIterable<{ data: string }>>>()
}
