/** Routes with every kind of stream, and responses without content, for the table of mounted apps. */
import { setTimeout as sleep } from 'node:timers/promises'
import { events, reply, Route, type Input } from 'verbena'
import * as z from 'zod'
import type { WireRequest } from '#test/e2e.js'

/** Yields in separate turns of the event loop, so that the chunks are the same in every run. Then throws if `fails`. */
async function* slowly<T>(values: readonly T[], fails: boolean): AsyncGenerator<T> {
  for (const value of values) {
    yield value
    await sleep(2)
  }
  if (fails) throw new Error('broken')
}

const TEXTS = ['one ', 'twö ', 'x'.repeat(3_000)]
const BYTES = TEXTS.map((text) => new TextEncoder().encode(text))

class Streams extends Route {
  static readonly path = '/streams/{kind}'
  get({ params }: Input) {
    const [kind = '', end] = (params['kind'] ?? '').split('-')
    const fails = end === 'fails'
    switch (kind) {
      case 'text':
        return slowly(TEXTS, fails)
      case 'bytes':
        return slowly(BYTES, fails)
      case 'html':
        return reply(200, slowly(TEXTS, fails), { 'content-type': 'text/html' })
      case 'web':
        return new Response(ReadableStream.from(slowly(BYTES, fails)), { headers: { 'content-type': 'text/plain' } })
      case 'length':
        return reply(200, slowly(TEXTS, fails), { 'content-length': '3009' })
      case 'none':
        return slowly([], fails)
      default:
        return reply(Number(kind), null)
    }
  }
}

class Live extends Route {
  static readonly path = '/live/{end}'
  static readonly get = this.contract({ returns: events(z.object({ at: z.number() })) })
  async *get({ params }: Input<typeof Live.get>) {
    for await (const at of slowly([1, 2, 3], params['end'] === 'fails')) yield { data: { at } }
  }
}

export const MOUNTED_ROUTES = { Streams, Live }

const GZIP = { 'accept-encoding': 'gzip' }

/**
 * Requests to these routes. Middleware and the status must not change how the response ends. The failure of an event stream contains the id of
 * the request, so its compressed bytes are never the same.
 */
export const STREAM_REQUESTS: readonly WireRequest[] = ['ends', 'fails'].flatMap((end) => {
  const kinds = ['text', 'bytes', 'html', 'web', 'length', 'none']
  const targets = [...kinds.map((kind) => `/streams/${kind}-${end}`), `/live/${end}`]
  return targets.flatMap((target) => [
    { target },
    ...(target === '/live/fails' ? [] : [{ target, headers: GZIP }]),
    { target, method: 'HEAD' },
  ])
})

export const EMPTY_REQUESTS: readonly WireRequest[] = ['200', '204', '205', '304', '404'].flatMap((kind) => {
  const target = `/streams/${kind}`
  return [{ target }, { target, method: 'HEAD' }]
})
