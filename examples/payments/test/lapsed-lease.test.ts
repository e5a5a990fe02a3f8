/** A payment that continues after its lease has expired, when another process has made it. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { createApp, Route, type Input, type Result } from 'verbena'
import { idempotency, type IdempotencyStoreWithin } from 'verbena/idempotency'
import { postgresIdempotency, type PostgresPool } from 'verbena/postgres'
import type pg from 'pg'
import { SCHEMA, type Payment as StoredPayment } from '../accounts.js'
import { NewPayment, Payment, user } from '../app.js'
import { database as databaseService, transaction } from '../database.js'
import { payUntilMade, removeDatabase, sendPayment, startDatabase, type TestDatabase } from './support.js'

const LEVELS = ['read committed', 'repeatable read', 'serializable'] as const

/** Stops the method of an app, and the renewal of its lease. */
class Stop extends EventEmitter {
  isStopped: boolean
  /** Isolation level of the last transaction. */
  level: unknown = undefined

  constructor(isStopped: boolean) {
    super()
    this.isStopped = isStopped
  }

  async wait(): Promise<void> {
    if (!this.isStopped) return
    const going = once(this, 'go')
    this.emit('stopped')
    await going
  }

  go(): void {
    this.isStopped = false
    this.emit('go')
  }
}

interface Services {
  readonly db: pg.Pool
  readonly stop: Stop
}

/** Returns a store that renews no lease while the app is stopped. */
function storeFor({ db, stop }: Services): IdempotencyStoreWithin<PostgresPool> {
  const store = postgresIdempotency(db)
  const owners = new Set<string>()
  return {
    async claim(claim) {
      if (stop.isStopped && owners.has(claim.owner)) throw new Error('The process is stopped')
      owners.add(claim.owner)
      return store.claim(claim)
    },
    complete: (claim, response, ttl) => store.complete(claim, response, ttl),
    completeWithin: (claim, response, ttl, through) => store.completeWithin(claim, response, ttl, through),
    release: (claim) => store.release(claim),
  }
}

const paidOnce = idempotency({
  by: ({ user }) => String(user.id),
  uses: { user },
  ttl: 86_400_000,
  lease: 1_000,
  within: transaction,
  store: storeFor,
})

/** Stops after the transaction has its snapshot. Only inserts a row, so that no row lock decides which request is first. */
class Payments extends Route<Services> {
  static readonly post = this.contract({
    ...{ idempotency: paidOnce, uses: { user, tx: transaction } },
    ...{ body: NewPayment, returns: Payment, status: 201 },
  })
  async post({ body, user, tx }: Input<typeof Payments.post>): Result<typeof Payments.post> {
    const { rows: levels } = await tx.query<{ level: string }>(
      "select current_setting('transaction_isolation') as level from accounts",
    )
    this.stop.level = levels[0]?.level
    await this.stop.wait()
    const insert = 'insert into payments (source, target, cents) values ($1, $2, $3) returning *'
    const { rows } = await tx.query<StoredPayment>(insert, [user.id, body.target, body.cents])
    const [payment] = rows
    assert.ok(payment !== undefined)
    return payment
  }
}

let database: TestDatabase

before(async () => {
  database = await startDatabase(2, 1_000)
})
after(() => removeDatabase(database))

async function startApp(level: string, stop: Stop) {
  const options = encodeURIComponent(`-c default_transaction_isolation=${level.replace(' ', '\\ ')}`)
  const config = { DATABASE_URL: `${database.server.url}?options=${options}` }
  const app = createApp({
    services: { config, db: databaseService(SCHEMA), stop },
    routes: { Payments },
    logger: false,
    signals: false,
  })
  const { url } = await app.listen({ port: 0 })
  return { app, url: `${url}/payments` }
}

describe('idempotency with "within" when a lease expires', () => {
  for (const [index, level] of LEVELS.entries()) {
    it(`makes one payment, and both requests get its response: ${level}`, async () => {
      const order = { source: 1, target: 2, cents: 100 + index, key: randomUUID() }
      const [stop, noStop] = [new Stop(true), new Stop(false)]
      const [slow, other] = [await startApp(level, stop), await startApp(level, noStop)]
      try {
        const stopped = once(stop, 'stopped')
        const late = sendPayment(slow.url, order)
        await stopped
        // Gets 409 until the lease has expired.
        const first = await payUntilMade(() => other.url, order)
        stop.go()
        const second = await late
        assert.deepEqual([first.status, first.isReplayed], [201, false])
        assert.deepEqual(second, { ...first, isReplayed: true })
        const { rows } = await database.control.query('select id from payments where cents = $1', [order.cents])
        assert.deepEqual(rows, [{ id: JSON.parse(first.body).id }])
        assert.deepEqual([stop.level, noStop.level], [level, level])
      } finally {
        stop.go()
        await Promise.all([slow.app.close(), other.app.close()])
      }
    })
  }
})
