/** Replies: return types of a handler, checked by its annotation or by `createApp`. */
import { createApp, redirect, reply, Route, type HeaderMarks, type Reply, type Result, type Returns } from 'verbena'
import * as z from 'zod'
import { sameType } from './same-type.js'

const User = z.object({ id: z.string(), at: z.date().transform((date) => date.toISOString()) })
const Count = z.object({ a: z.number() })

export class Good extends Route {
  static readonly get = this.contract({ returns: { 200: User, 404: null } })
  async get(): Result<typeof Good.get> {
    return Math.random() > 0.5 ? reply(200, { id: '1', at: new Date() }, { etag: '"1"' }) : reply(404)
  }
  static readonly post = this.contract({ returns: Count, status: 201 })
  post(): Returns<typeof Good.post> {
    return { a: 1 }
  }
  static readonly put = this.contract({ returns: Count })
  async put(): Result<typeof Good.put> {
    return reply(202, { a: 1 })
  }
  static readonly delete = this.contract({ returns: null })
  delete(): Returns<typeof Good.delete> {}
  static readonly patch = this.contract({ returns: { 303: null, 200: Count } })
  async patch() {
    return Math.random() > 0.5 ? redirect('/users/7', 303) : reply(200, { a: 1 })
  }
}

export class Bad extends Route {
  static readonly get = this.contract({ returns: { 200: User, 404: null } })
  async get(): Result<typeof Bad.get> {
    // @ts-expect-error - 409 is not one of the replies
    if (Math.random() > 0.5) return reply(409)
    // @ts-expect-error - `at` is missing
    if (Math.random() > 0.5) return reply(200, { id: '1' })
    // @ts-expect-error - a body where this status has none
    if (Math.random() > 0.5) return reply(404, { id: '1', at: new Date() })
    // @ts-expect-error - with several replies a bare value does not say which it is
    if (Math.random() > 0.5) return { id: '1', at: new Date() }
    // @ts-expect-error - no body where this status has one
    if (Math.random() > 0.5) return reply(200)
    // @ts-expect-error - undefined is not one of the replies
    return undefined
  }

  static readonly delete = this.contract({ returns: null })
  async delete(): Result<typeof Bad.delete> {
    // @ts-expect-error - a body where none is declared
    return { leaked: 1 }
  }

  static readonly put = this.contract({ returns: User })
  async put(): Result<typeof Bad.put> {
    // @ts-expect-error - the handler gives what the schema accepts, a Date
    if (Math.random() > 0.5) return { id: '1', at: '2020-01-01' }
    // @ts-expect-error - a member that the schema does not have
    if (Math.random() > 0.5) return { id: '1', at: new Date(), secret: 1 }
    // @ts-expect-error - a reply is checked as well
    return reply(200, { id: 1, at: new Date() })
  }

  static readonly post = this.contract({ returns: { 303: null } })
  async post(): Result<typeof Bad.post> {
    // @ts-expect-error - 307 is not one of the replies
    return redirect('/x', 307)
  }
}

// Without an annotation `createApp` says it.
export class WrongReturn extends Route {
  static readonly get = this.contract({ returns: Count })
  async get() {
    return { a: 'x' }
  }
}
export class WrongStatus extends Route {
  static readonly get = this.contract({ returns: { 200: Count } })
  async get() {
    return reply(409, { a: 1 })
  }
}
export class WrongNothing extends Route {
  static readonly get = this.contract({ returns: null })
  async get() {
    return 1
  }
}
// @ts-expect-error - a string for a number
createApp({ routes: { WrongReturn } })
// @ts-expect-error - a status that is not declared
createApp({ routes: { WrongStatus } })
// @ts-expect-error - a body where none is declared
createApp({ routes: { WrongNothing } })
createApp({ routes: { Good } })

const created = reply(201, { id: '7' }, { location: '/users/7' })
sameType<typeof created, Reply<201, { id: string }> & HeaderMarks<{ readonly location: '/users/7' }>>()
const empty = reply(404)
sameType<typeof empty, Reply<404, null>>()
const kept = created.with({ 'x-total': '1', location: null })
sameType<typeof kept, typeof created>()
const moved = redirect('/users/7', 303)
sameType<typeof moved, Reply<303, null>>()
const found = redirect('/users/7')
sameType<typeof found, Reply<302, null>>()
// @ts-expect-error - 200 sends nobody anywhere
redirect('/users/7', 200)
// @ts-expect-error - values of headers are texts
reply(200, 1, { 'x-total': 1 })
