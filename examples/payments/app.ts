/** Payments that are made once: the payment, its message and its response are committed in one transaction. */
import { bearer, createApp, health, HttpError, Route, type CommonOptions, type Input, type Result } from 'verbena'
import { idempotency } from 'verbena/idempotency'
import { postgresIdempotency } from 'verbena/postgres'
import pg from 'pg'
import * as z from 'zod'
import { findUser, pay, SCHEMA } from './accounts.js'
import { database, transaction } from './database.js'
import { addMessage, outbox, type OutboxConfig } from './outbox.js'

/** Settings of the payments app. */
export const Config = z.object({
  DATABASE_URL: z.url(),
  PORT: z.int().min(0).max(65_535).default(3000),
  WEBHOOK_URL: z.url(),
  WEBHOOK_SECRET: z.string(),
  WEBHOOK_TIMEOUT: z.int().min(100).max(60_000).default(5_000),
})

const DAY = 86_400_000
/** A payment takes some ms. If its process dies, a retry waits for at most this time. */
export const LEASE = 2_000

const Id = z.int().min(1).max(2_147_483_647)
export const NewPayment = z.object({ target: Id, cents: z.int().min(1).max(1_000_000) })
export const Payment = NewPayment.extend({ id: Id, source: Id }).meta({ id: 'Payment' })

export const user = bearer((token, { db }: { db: pg.Pool }) => findUser(db, token))

const once = idempotency({
  by: ({ user }) => String(user.id),
  uses: { user },
  ttl: DAY,
  lease: LEASE,
  required: true,
  within: transaction,
  store: ({ db }: { db: pg.Pool }) => postgresIdempotency(db),
})

export class Payments extends Route {
  static readonly tags = ['payments']

  static readonly post = this.contract({
    idempotency: once,
    uses: { user, tx: transaction },
    body: NewPayment,
    returns: Payment,
    status: 201,
    errors: [404, 409],
    summary: 'Make a payment',
    description: 'A retry with the same key gets the same response, and pays nothing.',
  })
  async post({ body, user, tx }: Input<typeof Payments.post>): Result<typeof Payments.post> {
    const { target, cents } = body
    if (target === user.id) throw new HttpError(409, 'The target is your own account')
    const payment = await pay(tx, { source: user.id, target, cents })
    if (payment === undefined) throw new HttpError(404, `No account ${target}`)
    await addMessage(tx, { type: 'payment.made', payment })
    return payment
  }
}

/** Converts the violation of a constraint to a 409. All other errors stay a 500 without details. */
function mapError(error: unknown): HttpError | undefined {
  if (!(error instanceof pg.DatabaseError) || error.constraint !== 'balance_bounds') return undefined
  return new HttpError(409, 'The account does not hold so much', { cause: error })
}

/** General information for the OpenAPI document. */
const openapi = {
  info: {
    description: 'Payments between accounts.',
    contact: { name: 'Payments', email: 'payments@example.com' },
    license: { name: 'MIT', identifier: 'MIT' },
  },
  tags: [{ name: 'payments', description: 'Payments between accounts.' }],
}

/** Creates the app. */
export function paymentsApp(config: OutboxConfig & z.output<typeof Config>, common: CommonOptions = {}) {
  const services = { config, db: database(SCHEMA), outbox: outbox() }
  return createApp({
    name: 'payments',
    version: '1.0.0',
    services,
    routes: { Payments, ...health() },
    mapError,
    openapi,
    ...common,
  })
}
