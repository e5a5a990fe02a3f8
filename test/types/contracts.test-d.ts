/** Contracts: valid and invalid ones. */
import { createApp, json, reply, Route, type ContractSpec, type Input, type Result, type Schema } from 'verbena'
import { type } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'

const User = z.object({ id: z.string(), at: z.date().transform((date) => date.toISOString()) })
const Page = z.object({ limit: z.number() })

export class Users extends Route {
  static readonly get = this.contract({
    query: Page,
    returns: z.array(User),
    summary: 'List',
    tags: ['users'],
    public: true,
  })
  async get({ query }: Input<typeof Users.get>): Result<typeof Users.get> {
    return [{ id: String(query.limit), at: new Date() }]
  }

  static readonly post = this.contract({
    params: z.object({}),
    query: Page,
    headers: z.object({ 'x-request': z.string() }),
    cookies: z.object({ session: z.string() }),
    body: User,
    returns: User,
    status: 201,
    errors: { 409: 'Name taken', 422: User },
    summary: 'Make',
    description: '**Makes** one',
    tags: ['users'],
    operationId: 'makeUser',
    hidden: false,
    meta: {},
  })
  async post({ body }: Input<typeof Users.post>): Result<typeof Users.post> {
    return { id: body.at, at: new Date() }
  }

  static readonly put = this.contract({ body: User, returns: { 200: User, 404: null } })
  async put({ body }: Input<typeof Users.put>): Result<typeof Users.put> {
    if (body.id === '') return reply(404)
    return reply(200, { id: body.id, at: new Date() })
  }

  static readonly delete = this.contract({ returns: null, errors: [404] })
  delete(): void {}

  static readonly patch = this.contract({})
  async patch() {
    return 'anything'
  }
}

export class Misspelt extends Route {
  // @ts-expect-error - `querry` for `query`, the only key
  static readonly get = this.contract({ querry: Page })
  // @ts-expect-error - `use` beside a key that exists
  static readonly put = this.contract({ use: { user: 1 }, returns: User })
  // @ts-expect-error - `retruns` for `returns`, its value a schema
  static readonly post = this.contract({ body: User, retruns: User })
  // @ts-expect-error - a value of type any does not hide a misspelt key
  static readonly patch = this.contract({ boddy: JSON.parse('1'), returns: User })
  // @ts-expect-error - a text under a key that is not there
  static readonly delete = this.contract({ returns: null, sumary: 'Remove' })
}

/** Keys that contracts do not have: none is passed over in silence. */
export class UnknownKeys extends Route {
  // @ts-expect-error - no `uses`
  static readonly get = this.contract({ returns: User, uses: { user: 1 } })
  static readonly put = this.contract({ returns: User, decorators: [] })
  static readonly post = this.contract({ returns: User, timeout: 1000 })
  // @ts-expect-error - `timout` for `timeout`
  static readonly patch = this.contract({ returns: User, timout: 1000 })
}

export class WrongValues extends Route {
  // @ts-expect-error - a query that is no schema
  static readonly get = this.contract({ query: { limit: 'number' } })
  // @ts-expect-error - a status that is no number
  static readonly post = this.contract({ returns: User, status: '201' })
  // @ts-expect-error - a record of something else than schemas
  static readonly put = this.contract({ returns: { 200: 'User' } })
  // @ts-expect-error - an error that is neither a text nor a schema
  static readonly patch = this.contract({ errors: { 404: 1 } })
}

export class Valibot extends Route {
  static readonly get = this.contract({
    query: v.object({ a: v.number() }),
    headers: type({ b: 'string' }),
    returns: v.object({ a: v.number() }),
  })
  async get({ query, headers }: Input<typeof Valibot.get>): Result<typeof Valibot.get> {
    return { a: query.a + headers.b.length }
  }

  static readonly put = this.contract({ body: type({ name: 'string' }), returns: type({ size: 'number' }) })
  async put({ body }: Input<typeof Valibot.put>): Result<typeof Valibot.put> {
    // @ts-expect-error - the body has no such member
    void body.nam
    return { size: body.name.length }
  }
}

export class Todo extends Route {
  static readonly get = this.contract({ returns: User, summary: 'a' })
  async get() {
    return { id: '1', at: new Date() }
  }
}
/** Other words, the same types: no TS2417. */
export class TodoPlus extends Todo {
  static override readonly get = this.contract({ returns: User, summary: 'b', errors: [404], tags: ['more'] })
}
// @ts-expect-error - another answer is another type
export class TodoOther extends Todo {
  static override readonly get = this.contract({ returns: Page })
}

/** A schema by hand: nothing but the members of the standard. */
const byHand = { '~standard': { version: 1, vendor: 'hand', validate: (value: unknown) => ({ value }) } } as const
export const asSchema: Schema = byHand
export const asSpec: ContractSpec = { body: byHand, returns: { 200: byHand, 204: null } }

createApp({ routes: { Users, Valibot, Todo, TodoPlus } })

// With `project: false`, `json()` has the types of its schema. Without it, `json()` is a kind of body and invalid here.
const Wide = z.looseObject({ name: z.string(), at: z.string().transform(Number) })
export class Whole extends Route {
  static readonly get = this.contract({ returns: json(Wide, { project: false }) })
  async get(): Result<typeof Whole.get> {
    return { name: 'a', at: '1' }
  }
  static readonly post = this.contract({ returns: { 201: json(Wide, { project: false }), 204: null } })
  async post(): Result<typeof Whole.post> {
    // @ts-expect-error - "at" is a text before it is transformed
    return reply(201, { name: 'a', at: 1 })
  }
}
class Unprojected extends Route {
  // @ts-expect-error - without "project: false" it is a kind of body
  static readonly get = this.contract({ returns: json(Wide) })
  get() {}
}
void Unprojected
