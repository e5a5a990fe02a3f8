/** Sessions, idempotency keys and rate limits in a real PostgreSQL: several processes, concurrent connections, and an outage. */
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Pool } from 'pg'
import { postgresIdempotency, postgresLimits, postgresSessions } from 'verbena/postgres'
import {
  postgresSlotTime,
  postgresTime,
  testIdempotencyStore,
  testLimitStore,
  testSessionStore,
} from '#test/store-contracts.js'
import { PostgresServer } from '../../postgres/test/postgres-server.js'

const CHILD = fileURLToPath(new URL('postgres-child.ts', import.meta.url))
const ROUNDS = 5
const LATER = 60_000

const server = new PostgresServer()
let pool: Pool

before(async () => {
  await server.start()
  pool = new Pool({ connectionString: server.url, max: 20 })
  // The pool reconnects by itself.
  pool.on('error', () => {})
})
after(async () => {
  await pool.end()
  await server.remove()
})

interface Counted {
  readonly claimed: number
  readonly allowed: number
  readonly isStored: boolean
}

/** Runs processes that start at the same time. */
async function race(processes: number, round: number): Promise<Counted[]> {
  const children = Array.from({ length: processes }, () =>
    fork(CHILD, [server.url, String(round)], { execArgv: ['--import', 'tsx'] }),
  )
  await Promise.all(children.map((child) => once(child, 'message')))
  const counted = children.map(async (child): Promise<Counted> => {
    const [message] = await once(child, 'message')
    return message
  })
  for (const child of children) child.send('go')
  return Promise.all(counted)
}

describe('stores in PostgreSQL, shared by processes', () => {
  for (let round = 1; round <= ROUNDS; round++) {
    it(`creates tables from several processes, and counts across them, round ${round}`, async () => {
      const counted = await race(4, round)
      assert.equal(sum(counted.map(({ claimed }) => claimed)), 40)
      assert.equal(sum(counted.map(({ allowed }) => allowed)), 60)
      assert.ok(counted.every(({ isStored }) => isStored))
    })
  }
})

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0)
}

describe('stores in PostgreSQL with many connections', () => {
  const options = { table: 'contract', create: true }
  const database = { query: (text: string, values: unknown[]) => pool.query(text, values) }
  describe('postgresSessions()', () => {
    const open = () => postgresSessions(pool, options)
    testSessionStore({ ...postgresTime(database, 'contract'), stores: () => [open(), open()] })
  })
  describe('postgresIdempotency()', () => {
    const open = () => postgresIdempotency(pool, options)
    const time = postgresTime(database, 'contract_claims', 'contract_answers')
    testIdempotencyStore({ ...time, stores: () => [open(), open()] })
  })
  describe('postgresLimits()', () => {
    const open = () => postgresLimits(pool, { table: 'contract_limits', create: true })
    testLimitStore({ ...postgresSlotTime(database, 'contract_limits'), stores: () => [open(), open()] })
  })
})

describe('postgresIdempotency() with many connections', () => {
  it('assigns a key to one of a hundred parallel claims, in each of 20 rounds', async () => {
    const store = postgresIdempotency(pool, { table: 'hundred', create: true })
    for (let round = 0; round < 20; round++) {
      const claims = Array.from({ length: 100 }, (_, n) =>
        store.claim({ key: `k${round}`, client: 'c', owner: String(n), request: 'r', lease: LATER }),
      )
      const states = (await Promise.all(claims)).map(({ state }) => state)
      assert.deepEqual([states.filter((state) => state === 'claimed').length, new Set(states).size], [1, 2])
    }
  })

  it('never assigns a key that has a response, while claims, responses and releases overlap', async () => {
    const store = postgresIdempotency(pool, { table: 'met', create: true })
    for (let round = 0; round < 50; round++) {
      const key = `k${round}`
      let stored = 0
      const attempt = async (n: number): Promise<string> => {
        const claim = { key, client: 'c', owner: String(n), request: 'r', lease: LATER }
        const { state } = await store.claim(claim)
        if (state === 'claimed' && (await store.complete(claim, `answer ${n}`, LATER))) stored++
        if (state === 'claimed') await store.release(claim)
        return state
      }
      const states = await Promise.all(Array.from({ length: 20 }, (_, n) => attempt(n)))
      assert.equal(stored, 1, states.join())
      assert.ok(states.includes('claimed'))
    }
  })
})

describe('stores in PostgreSQL during an outage', () => {
  it('throws an error without stored data, and works again after the restart', async () => {
    const sessions = postgresSessions(pool, { table: 'restarted', create: true })
    const limits = postgresLimits(pool, { table: 'restarted_limits', create: true })
    await sessions.set('a', 'text', Date.now() + LATER, 'new')
    await limits.take({ key: 'a', limit: 3, window: LATER, cost: 2 })
    await server.stop('immediate')
    const failed = await Promise.resolve(sessions.get('a')).catch((error: unknown) => error)
    assert.ok(failed instanceof Error)
    assert.doesNotMatch(failed.message, /text/)
    await server.start()
    const get = async (): Promise<unknown> => Promise.resolve(sessions.get('a')).catch(() => sleep(100).then(get))
    assert.equal(await get(), 'text')
    // An unlogged table is empty after a crash.
    assert.equal((await limits.take({ key: 'a', limit: 3, window: LATER, cost: 2 })).allowed, true)
  })
})
