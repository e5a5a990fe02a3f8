/** Contracts of the stores for sessions, idempotency keys and rate limits. Each is a suite that the stores of every engine must pass. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { IdempotencyStore, KeyClaim } from 'verbena/idempotency'
import type { Charge, LimitStore } from 'verbena/limits'
import type { SessionStore } from 'verbena/session'

/** Time of the entries in a store. */
export interface StoreTime {
  /** Lifetime of the entries of the tests, in ms. */
  readonly unit: number
  /** Lets time pass for the entry of a key. */
  readonly pass: (key: string, ms: number) => unknown
}

/** A store for a suite. */
export interface StoreSubject<Store> extends StoreTime {
  /** Returns two stores that share their entries, like two processes. Called once, after the hooks of the suite. */
  readonly stores: () => readonly [Store, Store]
}

/** Returns functions that return the first and the second store of a subject. */
function openOnce<Store>({ stores }: Pick<StoreSubject<Store>, 'stores'>): readonly [() => Store, () => Store] {
  let pair: readonly [Store, Store] | undefined
  const open = (): readonly [Store, Store] => (pair ??= stores())
  return [() => open()[0], () => open()[1]]
}

/** Lifetime of entries. It is longer than a busy machine suspends a process. */
export const LIFETIME = 60_000

interface SqlDatabase {
  query(text: string, values: unknown[]): Promise<unknown>
}

/** Moves the end of the entries of a key in PostgreSQL into the past, instead of waiting. */
export function postgresTime(database: SqlDatabase, ...tables: readonly string[]): StoreTime {
  const pass = async (key: string, ms: number): Promise<void> => {
    for (const table of tables) {
      const end = "expires_at - $2::float8 * interval '1 millisecond'"
      await database.query(`update ${table} set expires_at = ${end} where key = $1`, [key, ms])
    }
  }
  return { unit: LIFETIME, pass }
}

/** Moves the slots of a rate limit in PostgreSQL into the past. A slot of `LIFETIME` takes 1 s. */
export function postgresSlotTime(database: SqlDatabase, table: string): StoreTime {
  const move = `update ${table} set slots = array(select slot - $2::float8 from unnest(slots) as slot) where key = $1`
  return { unit: LIFETIME, pass: (key, ms) => database.query(move, [key, Math.ceil(ms / 1_000)]) }
}

/** Tests of a store for sessions. */
export function testSessionStore({ unit, pass, ...subject }: StoreSubject<SessionStore>): void {
  const later = (): number => Date.now() + unit
  const [own, other] = openOnce(subject)

  it('returns the text of a session until its end', async () => {
    assert.equal(await own().get('a'), undefined)
    assert.equal(await own().set('a', 'text "ä"\n', later(), 'new'), true)
    assert.equal(await own().get('a'), 'text "ä"\n')
    await pass('a', unit)
    assert.equal(await own().get('a'), undefined)
  })

  it('replaces the text of a session, but only if the session exists for "changed"', async () => {
    assert.equal(await own().set('b', 'one', later(), 'changed'), false)
    assert.equal(await own().get('b'), undefined)
    await own().set('b', 'one', later(), 'new')
    assert.equal(await own().set('b', 'two', later(), 'changed'), true)
    assert.equal(await own().get('b'), 'two')
    await own().set('b', 'three', later(), 'new')
    assert.equal(await own().get('b'), 'three')
  })

  it('changes the end of a session together with its text', async () => {
    for (const kind of ['new', 'changed', 'new'] as const) {
      await own().set('c', 'text', later(), kind)
      await pass('c', unit / 2)
    }
    assert.equal(await own().get('c'), 'text')
    await own().set('c', 'text', Date.now(), 'changed')
    await pass('c', 1)
    assert.equal(await own().get('c'), undefined)
  })

  it('does not change or extend a session after its end', async () => {
    await own().set('d', 'one', later(), 'new')
    await pass('d', unit)
    assert.equal(await own().set('d', 'two', later(), 'changed'), false)
    assert.equal(await own().touch('d', later()), false)
    assert.equal(await own().get('d'), undefined)
  })

  it('changes only the end of a session with touch', async () => {
    await own().set('e', 'text', later(), 'new')
    await pass('e', unit / 2)
    assert.equal(await own().touch('e', later()), true)
    await pass('e', unit / 2)
    assert.equal(await own().get('e'), 'text')
    assert.equal(await own().touch('missing', later()), false)
  })

  it('deletes a session, and no other one', async () => {
    await own().set('f', 'text', later(), 'new')
    await own().set('g', 'other', later(), 'new')
    await own().delete('f')
    await own().delete('f')
    assert.equal(await own().get('f'), undefined)
    assert.equal(await own().get('g'), 'other')
  })

  it('shares sessions with a second store, and does not restore one that ended there', async () => {
    await own().set('h', 'text', later(), 'new')
    assert.equal(await other().get('h'), 'text')
    await other().delete('h')
    assert.equal(await own().set('h', 'text', later(), 'changed'), false)
    assert.equal(await own().get('h'), undefined)
  })
}

/** Tests of a store for idempotency keys. `hasLeases` is false for a store that ends with its process. */
export function testIdempotencyStore(
  { unit, pass, ...subject }: StoreSubject<IdempotencyStore>,
  hasLeases: boolean = true,
): void {
  const [own, other] = openOnce(subject)
  const claimOf = (key: string, owner: string, request = 'r'): KeyClaim => {
    return { key, client: 'ada', owner, request, lease: unit }
  }
  const ttl = 2 * unit

  it('assigns a key to one owner until that owner releases it', async () => {
    const [first, second] = [claimOf('a', 'first'), claimOf('a', 'second')]
    assert.deepEqual(await own().claim(first), { state: 'claimed' })
    assert.deepEqual(await own().claim(first), { state: 'claimed' })
    assert.equal((await other().claim(second)).state, 'in-progress')
    assert.deepEqual(await other().claim({ ...second, request: 'other' }), { state: 'mismatch' })
    assert.deepEqual(await own().claim({ ...first, request: 'other' }), { state: 'mismatch' })
    await other().release(second)
    assert.equal((await other().claim(second)).state, 'in-progress')
    await own().release(first)
    assert.deepEqual(await other().claim(second), { state: 'claimed' })
  })

  it('stores the response of the owner, and does not remove it with the claim', async () => {
    const [first, second] = [claimOf('b', 'first'), claimOf('b', 'second')]
    await own().claim(second)
    assert.equal(await other().complete(first, 'late', ttl), false)
    assert.equal(await own().complete(second, 'ä "answer"\n', ttl), true)
    assert.deepEqual(await other().claim(first), { state: 'completed', response: 'ä "answer"\n' })
    assert.deepEqual(await other().claim({ ...first, request: 'other' }), { state: 'mismatch' })
    for (const each of [first, second]) await own().release(each)
    assert.deepEqual(await own().claim(first), { state: 'completed', response: 'ä "answer"\n' })
  })

  it('stores a response for its ttl, and another one after it', async () => {
    const [first, second] = [claimOf('c', 'first'), claimOf('c', 'second')]
    await own().claim(first)
    assert.equal(await own().complete(first, 'answer', ttl), true)
    await pass('c', unit)
    assert.equal((await own().claim(second)).state, 'completed')
    await pass('c', unit)
    assert.deepEqual(await own().claim(second), { state: 'claimed' })
    assert.equal(await own().complete(second, 'again', ttl), true)
    assert.deepEqual(await own().claim(first), { state: 'completed', response: 'again' })
  })

  it('assigns a key to one of a hundred owners', async () => {
    const claims = Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? own() : other()).claim(claimOf('d', String(n))))
    const states = (await Promise.all(claims)).map(({ state }) => state)
    assert.deepEqual([states.filter((state) => state === 'claimed').length, new Set(states).size], [1, 2])
  })

  if (!hasLeases) return

  it('ends a lease by its time, and stores the response of a lease that no other owner has', async () => {
    const [first, second] = [claimOf('e', 'first'), claimOf('e', 'second', 'other')]
    await own().claim(first)
    await pass('e', unit)
    assert.deepEqual(await other().claim(second), { state: 'claimed' })
    assert.equal(await own().complete(first, 'late', ttl), false)
    await pass('e', unit)
    assert.equal(await own().complete(first, 'answer', ttl), true)
    assert.deepEqual(await own().claim(claimOf('e', 'third')), { state: 'completed', response: 'answer' })
  })

  it('renews the lease of a claim, and returns the rest of it to others', async () => {
    for (const _ of [1, 2, 3]) {
      assert.equal((await own().claim(claimOf('f', 'first'))).state, 'claimed')
      await pass('f', unit / 2)
    }
    await own().claim(claimOf('f', 'first'))
    const { state, left = 0 } = Object(await other().claim(claimOf('f', 'second')))
    assert.equal(state, 'in-progress')
    assert.ok(left > unit / 2 && left <= unit, String(left))
  })
}

/** Tests of a store for rate limits. */
export function testLimitStore({ unit, pass, ...subject }: StoreSubject<LimitStore>): void {
  const [own, other] = openOnce(subject)
  const window = 60_000
  const chargeOf = (key: string, charge: Partial<Charge> = {}): Charge => {
    return { key, limit: 3, window, cost: 1, ...charge }
  }

  it('counts requests up to the limit, and rejects further ones without counting them', async () => {
    for (const remaining of [2, 1, 0]) {
      const taken = await own().take(chargeOf('a'))
      assert.deepEqual([taken.allowed, taken.remaining, taken.retryAfter], [true, remaining, 0])
      assert.ok(taken.reset > (remaining === 2 ? window : 59_000) && taken.reset <= 61_000, String(taken.reset))
    }
    for (const _ of [1, 2]) {
      const rejected = await other().take(chargeOf('a'))
      assert.deepEqual([rejected.allowed, rejected.remaining], [false, 0])
      assert.ok(rejected.retryAfter > 59_000 && rejected.retryAfter <= 61_000, String(rejected.retryAfter))
    }
    assert.equal((await own().take(chargeOf('a', { limit: 4 }))).allowed, true)
  })

  it('counts the cost of a request, and each key separately', async () => {
    assert.equal((await own().take(chargeOf('b', { cost: 2 }))).remaining, 1)
    assert.deepEqual(
      [(await own().take(chargeOf('b', { cost: 2 }))).allowed, (await own().take(chargeOf('b'))).allowed],
      [false, true],
    )
    assert.equal((await own().take(chargeOf('other'))).remaining, 2)
  })

  it('rejects a first request that costs more than the limit, and counts nothing', async () => {
    assert.deepEqual(await own().take(chargeOf('c', { cost: 4 })), {
      ...{ allowed: false, remaining: 3, reset: 0, retryAfter: window },
    })
    assert.equal((await own().take(chargeOf('c', { cost: 3 }))).allowed, true)
  })

  it('counts nothing for a request without a cost', async () => {
    const free = { allowed: true, remaining: 3, reset: 0, retryAfter: 0 }
    assert.deepEqual(await own().take(chargeOf('d', { cost: 0 })), free)
    assert.deepEqual(await own().take(chargeOf('d', { cost: 0 })), free)
  })

  it('allows requests again after the window', async () => {
    const short = chargeOf('e', { window: unit })
    for (const _ of [1, 2, 3]) assert.equal((await own().take(short)).allowed, true)
    await pass('e', unit / 2)
    const { allowed, retryAfter } = await own().take(short)
    assert.equal(allowed, false)
    await pass('e', retryAfter)
    assert.equal((await own().take(short)).allowed, true)
  })

  it('allows no more than the limit to concurrent requests', async () => {
    const charges = Array.from({ length: 50 }, (_, n) =>
      (n % 2 === 0 ? own() : other()).take(chargeOf('f', { limit: 20 })),
    )
    const taken = await Promise.all(charges)
    assert.equal(taken.filter(({ allowed }) => allowed).length, 20)
  })
}
