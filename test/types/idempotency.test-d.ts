/** Idempotency: parameters of `by`, services of the app, and headers of the client. */
import { bearer, createApp, provide, Route, type Input } from 'verbena'
import { createClient } from 'verbena/client'
import { idempotency, type Idempotency, type IdempotencyStore } from 'verbena/idempotency'
import { redisIdempotency } from 'verbena/redis'
import { postgresIdempotency, type PostgresPool } from 'verbena/postgres'
import { sqliteIdempotency, type SqliteDatabase } from 'verbena/sqlite'
import * as z from 'zod'
import { sameType } from './same-type.js'

interface Db {
  readonly name: (id: string) => string
}

const user = bearer((token) => ({ id: token }))
const named = provide({ uses: { user } }, ({ user }, { db }: { db: Db }) => db.name(user.id))

const once = idempotency({
  by: ({ user, request }) => {
    sameType<typeof user, { id: string }>()
    return user.id + request.ip
  },
  uses: { user },
  ttl: 1000,
})
const required = idempotency({
  by: async ({ named }, { tenant }: { tenant: string }) => named + tenant,
  uses: { named },
  ttl: 1000,
  required: true,
})
sameType<typeof once, Idempotency<{}, false>>()
sameType<typeof required, Idempotency<{ tenant: string } & { db: Db }, true>>()

export class Payments extends Route {
  static readonly post = this.contract({ idempotency: once, body: z.number(), returns: z.number(), status: 201 })
  async post(input: Input<typeof Payments.post>) {
    // @ts-expect-error - what "by" uses is not given to the method
    void input.user
    return input.body
  }
  static readonly put = this.contract({ idempotency: required, body: z.number(), returns: z.number() })
  async put({ body }: Input<typeof Payments.put>) {
    return body
  }
  static readonly patch = this.contract({
    idempotency: required,
    headers: z.object({ 'x-shop': z.string() }),
    returns: null,
  })
  async patch() {}
  static readonly delete = this.contract({ returns: null })
  async delete() {}
}

const db: Db = { name: (id) => id }
const app = createApp({ services: { db, tenant: 'acme' }, routes: { Payments } })
// @ts-expect-error - a service that "by" needs is missing
createApp({ services: { db }, routes: { Payments } })
// @ts-expect-error - a service that a provider of "uses" needs is missing
createApp({ services: { tenant: 'acme' }, routes: { Payments } })

const payments = createClient<typeof app>('http://localhost')('/payments')
const key = crypto.randomUUID()
export const calls = async (): Promise<void> => {
  const answer = await payments.post({ body: 5 })
  if (answer.ok) sameType<typeof answer.status, 201>()
  await payments.post({ body: 5, headers: { 'idempotency-key': key, 'x-other': 'a' } })
  await payments.put({ body: 5, headers: { 'idempotency-key': key } })
  await payments.patch({ headers: { 'idempotency-key': key, 'x-shop': 'a' } })
  await payments.delete()
  // @ts-expect-error - the key is missing
  await payments.put({ body: 5 })
  // @ts-expect-error - the key is missing
  await payments.put({ body: 5, headers: { 'x-other': 'a' } })
  // @ts-expect-error - the key is missing
  await payments.patch({ headers: { 'x-shop': 'a' } })
  // @ts-expect-error - the header of the contract is missing
  await payments.patch({ headers: { 'idempotency-key': key } })
  // @ts-expect-error - a key is a text
  await payments.post({ body: 5, headers: { 'idempotency-key': 5 } })
}

export const store: IdempotencyStore = redisIdempotency({ call: async () => 1 }, { prefix: 'shop:' })
idempotency({ by: () => 'all', ttl: 1000, store })

// Store that is a function of services. The app must provide them and the services of "by".
interface Redis {
  readonly keys: IdempotencyStore
}
declare const redis: Redis
const served = idempotency({
  by: async ({ user }, { tenant }: { tenant: string }) => user.id + tenant,
  uses: { user },
  ttl: 1000,
  store: ({ redis }: { redis: Redis }) => redis.keys,
})
sameType<typeof served, Idempotency<{ tenant: string } & { redis: Redis }, false>>()
class Orders extends Route {
  static readonly post = this.contract({ idempotency: served, returns: null })
  post() {}
}
createApp({ services: { tenant: 'acme', redis }, routes: { Orders } })
// @ts-expect-error - the service of the store is missing
createApp({ services: { tenant: 'acme' }, routes: { Orders } })
// @ts-expect-error - the service of "by" is missing
createApp({ services: { redis }, routes: { Orders } })
// @ts-expect-error - no store
idempotency({ by: () => 'all', ttl: 1000, store: async ({ redis }: { redis: Redis }) => redis })

// @ts-expect-error - "by" is missing
idempotency({ ttl: 1000 })
// @ts-expect-error - a time is a number of ms
idempotency({ by: () => 'all', ttl: '1 day' })
// @ts-expect-error - "by" gives a text
idempotency({ by: ({ user }) => (user.id === '' ? undefined : user.id), uses: { user }, ttl: 1000 })
// @ts-expect-error - "by" uses nothing of this name
idempotency({ by: ({ user }) => user.id, ttl: 1000 })
// @ts-expect-error - a slip of "required"
idempotency({ by: () => 'all', ttl: 1000, require: true })

export class Slip extends Route {
  // @ts-expect-error - what idempotency() makes
  static readonly post = this.contract({ idempotency: true, returns: null })
  post() {}
}

// The store has to accept the value of "within".
interface Client {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
  release(): void
}
declare const pool: PostgresPool
declare const client: Client
declare const file: SqliteDatabase
const transaction = provide({}, () => client)
const connection = provide({}, () => file)
const inTransaction = idempotency({
  by: ({ user }) => user.id,
  uses: { user },
  ttl: 1000,
  lease: 30_000,
  within: transaction,
  store: ({ pool }: { pool: PostgresPool }) => postgresIdempotency(pool),
})
sameType<typeof inTransaction, Idempotency<{ pool: PostgresPool }, false>>()
idempotency({ by: () => 'all', ttl: 1000, within: connection, store: sqliteIdempotency(file, { responses: file }) })
// @ts-expect-error - the value of the provider has no "query"
idempotency({ by: () => 'all', ttl: 1000, within: provide({}, () => 1), store: postgresIdempotency(pool) })
// @ts-expect-error - the value of the provider is unknown
idempotency({ by: () => 'all', ttl: 1000, within: provide({}, (): unknown => 1), store: postgresIdempotency(pool) })
// @ts-expect-error - a connection is not a client of PostgreSQL
idempotency({ by: () => 'all', ttl: 1000, within: connection, store: postgresIdempotency(pool) })
// @ts-expect-error - the store has no "completeWithin"
idempotency({ by: () => 'all', ttl: 1000, within: transaction, store })
// @ts-expect-error - the store has no "completeWithin" without "responses"
idempotency({ by: () => 'all', ttl: 1000, within: connection, store: sqliteIdempotency(file) })
// @ts-expect-error - not a provider
idempotency({ by: () => 'all', ttl: 1000, within: () => client, store: postgresIdempotency(pool) })
