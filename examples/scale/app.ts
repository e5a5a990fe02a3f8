/**
 * A ticket shop on several processes. Any process can handle any request, because all state that outlives a request is in PostgreSQL,
 * in Redis or at the client.
 */
import {
  createApp,
  events,
  health,
  HttpError,
  Route,
  type CommonOptions,
  type Input,
  type Middleware,
  type Result,
} from 'verbena'
import type pg from 'pg'
import * as z from 'zod'
import { database, transaction } from './database.js'
import { LIMITS, TIMEOUTS } from './limits.js'
import { hashPassword, isPassword } from './passwords.js'
import { redis, sales, type Sales } from './redis.js'
import { settings } from './settings.js'
import * as shop from './shop.js'
import { attempts, once, purchases, user, visitor } from './state.js'

const Id = z.int().min(1).max(2_147_483_647)
const Credentials = z.object({ email: z.email().max(100), password: z.string().min(8).max(100) })
const Account = z.object({ id: Id, email: z.string() }).meta({ id: 'Account' })
const Concert = z.object({ id: Id, artist: z.string(), available: z.int().min(0) }).meta({ id: 'Concert' })
const Sale = z.object({ concert: Id, available: z.int().min(0) })
const NewOrder = z.object({ concert: Id, tickets: z.int().min(1).max(10) })
const Order = NewOrder.extend({ id: Id }).meta({ id: 'Order' })

/** Declares the services of the shop's routes. */
abstract class ShopRoute extends Route<{ db: pg.Pool; sales: Sales }> {
  static readonly tags = ['shop']
}

export class Accounts extends ShopRoute {
  static readonly post = this.contract({
    body: Credentials,
    returns: Account,
    status: 201,
    errors: [409],
    public: true,
    summary: 'Open an account',
    description: 'With an address that has none yet.',
  })
  async post({ body }: Input<typeof Accounts.post>): Result<typeof Accounts.post> {
    const opened = await shop.insertAccount(this.db, body.email, await hashPassword(body.password))
    if (opened === undefined) throw new HttpError(409, 'The address has an account')
    return opened
  }
}

export class Session extends ShopRoute {
  static readonly get = this.contract({
    uses: { user },
    returns: Account,
    summary: 'Say who is signed in',
    description: 'By the cookie of the session.',
  })
  async get({ user }: Input<typeof Session.get>): Result<typeof Session.get> {
    return user
  }

  static readonly post = this.contract({
    body: Credentials,
    uses: { attempts, visitor },
    returns: Account,
    errors: [401],
    public: true,
    summary: 'Sign in',
    description: 'Five attempts a minute.',
  })
  async post({ body, visitor }: Input<typeof Session.post>): Result<typeof Session.post> {
    const account = await shop.findAccount(this.db, body.email)
    if (!(await isPassword(body.password, account?.password)) || account === undefined) throw new HttpError(401)
    visitor.start({ account: account.id })
    return account
  }

  static readonly delete = this.contract({
    uses: { visitor },
    returns: null,
    public: true,
    summary: 'Sign out',
    description: 'The session ends at all processes.',
  })
  async delete({ visitor }: Input<typeof Session.delete>): Result<typeof Session.delete> {
    visitor.end()
  }
}

export class Concerts extends ShopRoute {
  static readonly get = this.contract({
    returns: z.array(Concert),
    etag: true,
    public: true,
    summary: 'List concerts',
    description: 'With the tickets that are left.',
  })
  async get(): Result<typeof Concerts.get> {
    return shop.listConcerts(this.db)
  }
}

export class LatestSales extends ShopRoute {
  static readonly path = '/concerts/sales'
  static readonly get = this.contract({
    returns: events(Sale),
    public: true,
    summary: 'Follow sales',
    description: 'Of all processes, by Redis.',
  })
  async *get({ signal }: Input<typeof LatestSales.get>) {
    for await (const sale of this.sales.heard(signal)) yield { data: sale }
  }
}

export class Orders extends ShopRoute {
  static readonly uses = { user }

  static readonly get = this.contract({
    returns: z.array(Order),
    summary: 'List your orders',
    description: 'In the order in which they were placed.',
  })
  async get({ user }: Input<typeof Orders.get>): Result<typeof Orders.get> {
    return shop.listOrders(this.db, user.id)
  }

  static readonly post = this.contract({
    body: NewOrder,
    uses: { purchases, tx: transaction },
    idempotency: once,
    returns: Order,
    status: 201,
    errors: [404, 409],
    summary: 'Buy tickets',
    description: 'Once for each `Idempotency-Key`.',
  })
  async post({ body, user, tx, response }: Input<typeof Orders.post>): Result<typeof Orders.post> {
    const { concert, tickets } = body
    const left = await shop.takeTickets(tx, concert, tickets)
    if (left === undefined) throw await missing(tx, concert)
    response.after(() => this.sales.announce({ concert, available: left.available }))
    return shop.insertOrder(tx, user.id, concert, tickets)
  }
}

async function missing(tx: Pick<pg.Pool, 'query'>, concert: number): Promise<HttpError> {
  return (await shop.hasConcert(tx, concert))
    ? new HttpError(409, 'There are not so many tickets left')
    : new HttpError(404, `No concert ${concert}`)
}

/** Shows which process has responded. Remove it if clients should not know. */
const served: Middleware = ({ response }, next) => {
  response.header('x-served-by', settings.NAME)
  return next()
}

/** General information for the OpenAPI document. */
const openapi = {
  info: {
    description: 'Concerts, and tickets for them.',
    contact: { name: 'The shop', email: 'shop@example.com' },
    license: { name: 'MIT', identifier: 'MIT' },
  },
  tags: [{ name: 'shop', description: 'Accounts, concerts and orders.' }],
}

/** Creates the app of one process. */
export function shopApp(common: CommonOptions = {}) {
  return createApp({
    name: 'tickets',
    version: '1.0.0',
    services: { settings, db: database(settings.DATABASE_URL, settings.NAME), redis, sales },
    routes: { Accounts, Session, Concerts, LatestSales, Orders, '/health': health() },
    middleware: [served],
    // nginx does not compress. The app does, because its endpoints can turn compression off.
    compression: {},
    // nginx does not forward paths below /health.
    metrics: '/health/metrics',
    limits: LIMITS,
    timeouts: TIMEOUTS,
    trustProxy: settings.TRUST_PROXY.split(',').filter((text) => text !== ''),
    openapi,
    ...common,
  })
}
