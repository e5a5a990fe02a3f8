/** Response headers that a contract describes, in `reply` and in the client. */
import { bytes, createApp, events, form, json, reply, Route, stream, text, type Reply, type Result } from 'verbena'
import { createClient, type Failure, type HeadedSuccess, type Success } from 'verbena/client'
import * as z from 'zod'
import { sameType } from './same-type.js'

const User = z.object({ id: z.string() })
const Tagged = z.object({ etag: z.string(), 'x-kind': z.enum(['a', 'b']), 'x-total': z.int().optional() })
const Optional = z.object({ 'x-total': z.int().optional() })

export class Users extends Route {
  static readonly get = this.contract({ returns: json(User, { headers: Tagged }) })
  async get(): Result<typeof Users.get> {
    const made = reply(200, { id: '1' }, { ETag: '"1"', 'X-Kind': 'a', 'x-total': '7', 'x-other': 'b' })
    if (Math.random() > 0.8) return made
    if (Math.random() > 0.8) return made.with({ vary: 'accept' })
    // Fields may be set through `response` too.
    if (Math.random() > 0.8) return { id: '1' }
    // @ts-expect-error - without its fields
    if (Math.random() > 0.8) return reply(200, { id: '1' })
    // @ts-expect-error - one is missing
    if (Math.random() > 0.8) return reply(200, { id: '1' }, { etag: '"1"' })
    // @ts-expect-error - a text that the schema does not take
    return reply(200, { id: '1' }, { etag: '"1"', 'x-kind': 'c' })
  }
  static readonly put = this.contract({
    returns: {
      200: json(User, { headers: Tagged, project: false }),
      201: json(User, { headers: Optional }),
      204: null,
    },
  })
  async put(): Result<typeof Users.put> {
    if (Math.random() > 0.8) return reply(200, { id: '1' }, { etag: '"1"', 'x-kind': 'a' })
    if (Math.random() > 0.8) return reply(201, { id: '1' })
    if (Math.random() > 0.8) return reply(201, { id: '1' }, { 'x-total': '7' })
    if (Math.random() > 0.8) return reply(204)
    // @ts-expect-error - without its fields
    return reply(200, { id: '1' })
  }
}
export class Files extends Route {
  static readonly get = this.contract({ returns: text({ headers: Tagged }) })
  get(): string {
    return ''
  }
  static readonly put = this.contract({ returns: bytes({ headers: Tagged }) })
  put(): Uint8Array {
    return new Uint8Array()
  }
  static readonly post = this.contract({ returns: { 200: stream({ headers: Optional }), 404: null } })
  async post(): Result<typeof Files.post> {
    return reply(404)
  }
  static readonly patch = this.contract({ returns: events(User, { headers: Tagged, heartbeat: 5 }) })
  async *patch() {
    yield { data: { id: '1' } }
  }
}

export class Misplaced extends Route {
  // @ts-expect-error - a limit is for bodies
  static readonly get = this.contract({ returns: text({ limit: 1 }) })
  // @ts-expect-error - types of JSON are for bodies, too
  static readonly put = this.contract({ returns: json(User, { headers: Tagged, types: ['text/json'] }) })
  // @ts-expect-error - headers do not make them right
  static readonly post = this.contract({ returns: json(User, { headers: Tagged, raw: true }) })
  // @ts-expect-error - headers are those of an answer
  static readonly patch = this.contract({ body: text({ headers: Tagged }) })
  // @ts-expect-error - a form is no answer
  static readonly delete = this.contract({ body: form(User, { headers: Tagged }) })
}

const app = createApp({ routes: { Users, Files } })

export async function answers() {
  const api = createClient<typeof app>('http://localhost')
  interface Fields {
    readonly etag: string
    readonly 'x-kind': 'a' | 'b'
    readonly 'x-total'?: string | undefined
  }
  const got = await api('/users').get()
  sameType<typeof got, HeadedSuccess<200, { id: string }, Fields> | Failure>()
  if (got.ok) {
    const { headers } = got
    sameType<ReturnType<typeof read>, readonly [string, 'a' | 'b', string | null, string | null]>()
    const read = () =>
      [headers.get('etag'), headers.get('x-kind'), headers.get('x-total'), headers.get('date')] as const
  }
  const put = await api('/users').put()
  interface Total {
    readonly 'x-total'?: string | undefined
  }
  type Put = HeadedSuccess<200, { id: string }, Fields> | HeadedSuccess<201, { id: string }, Total>
  sameType<typeof put, Put | Success<204, null> | Failure>()
  const file = await api('/files').get({ as: 'text' })
  sameType<typeof file, HeadedSuccess<200, string, Fields> | Failure>()
  const bin = await api('/files').put({ as: 'bytes' })
  sameType<typeof bin, HeadedSuccess<200, Uint8Array, Fields> | Failure>()
}

const plain = reply(200, 1, {})
sameType<typeof plain, Reply<200, number>>()
const wide: Record<string, string> = {}
const loose = reply(200, 1, wide)
sameType<typeof loose, Reply<200, number>>()
