/** Types of `jsonLines` in contracts and in the client. */
import { createApp, Route, type Input } from 'verbena'
import { createClient } from 'verbena/client'
import { jsonLines } from 'verbena/lines'
import * as z from 'zod'
import { sameType } from './same-type.js'

const Point = z.object({ x: z.number() })
const Timed = z.object({ at: z.string().transform((text) => new Date(text)) })

class Points extends Route {
  static readonly post = this.contract({
    body: jsonLines(Timed, { count: 5 }),
    returns: jsonLines(Point, { line: 100 }),
  })
  async *post({ body }: Input<typeof Points.post>) {
    sameType<typeof body, AsyncIterable<{ at: Date }>>()
    for await (const { at } of body) yield { x: at.getTime() }
  }
  static readonly put = this.contract({ returns: jsonLines(Point, { heartbeat: 5, headers: Point }) })
  async *put() {
    yield { x: 1 }
  }
}

export class Misplaced extends Route {
  // @ts-expect-error - an option of bodies
  static readonly get = this.contract({ returns: jsonLines(Point, { count: 5 }) })
}

class Wrong extends Route {
  static readonly get = this.contract({ returns: jsonLines(Point) })
  async *get() {
    yield { x: 'wrong' }
  }
}
// @ts-expect-error - the items do not match
createApp({ routes: { Wrong } })

// @ts-expect-error - unknown option
jsonLines(Point, { lines: 5 })

const app = createApp({ routes: { Points } })
const api = createClient<typeof app>('http://localhost')
const headers = { 'content-type': 'application/jsonl' } as const

const response = await api('/points').post({ body: [{ at: '2026' }], headers })
if (response.ok) sameType<typeof response.body, AsyncIterable<{ x: number }>>()
// @ts-expect-error - without the media type
void api('/points').post({ body: [{ at: '2026' }] })
// @ts-expect-error - not the input of the schema
void api('/points').post({ body: [{ at: new Date() }], headers })
