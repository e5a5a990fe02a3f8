import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { postgresIdempotency, postgresLimits, postgresSessions, type PostgresPool } from 'verbena/postgres'
import { createGate } from '#test/apps.js'
import { createDatabase, failingPool, watchedPool } from '#test/postgres.js'
import { until } from '#test/e2e.js'

const database = await createDatabase()
const STORES = [
  ['postgresSessions', postgresSessions],
  ['postgresIdempotency', postgresIdempotency],
  ['postgresLimits', postgresLimits],
] as const
const code = 'OPTION_INVALID'
const LATER = 60_000

function tablesLike(name: string): Promise<string[]> {
  const sql = "select tablename from pg_tables where schemaname || '.' || tablename like $1 order by 1"
  return database.query<{ tablename: string }>(sql, [name]).then(({ rows }) => rows.map(({ tablename }) => tablename))
}

for (const [name, createStore] of STORES) {
  describe(`${name}() options`, () => {
    const invalid: readonly (readonly [object, RegExp])[] = [
      [{ table: 'Shop' }, /"table" of \w+\(\): it must be a name of lower-case letters/],
      [{ table: 'a"; drop table b; --' }, /"table" of \w+\(\): it must be a name/],
      [{ table: 'a'.repeat(41) }, /"table" of \w+\(\): it must be a name/],
      [{ table: 'a.b.c' }, /"table" of \w+\(\): it must be a name/],
      [{ create: 'yes' }, /"create" of \w+\(\): it must be true or false/],
      [{ tabel: 'a' }, /"tabel" of \w+\(\): it is unknown. Did you mean "table"\?/],
    ]
    for (const [options, message] of invalid) {
      it(`rejects ${JSON.stringify(options).slice(0, 40)}`, () => {
        assert.throws(() => createStore(database, options), { code, message })
      })
    }

    it('rejects a pool without a query method', () => {
      // Proof: the test passes a pool that the types reject.
      assert.throws(() => createStore({} as PostgresPool), {
        code,
        message: /"pool" of \w+\(\): it must be a pool of pg/,
      })
    })

    it('returns the SQL of its tables for a migration', async () => {
      await database.exec('create schema if not exists shop')
      const sql = createStore.schema({ table: `shop.of_${name.toLowerCase()}` })
      assert.match(sql, /^create (?:unlogged )?table if not exists "shop"\."of_/)
      await database.exec(sql)
      await database.exec(sql)
      assert.ok((await tablesLike(`shop.of_${name.toLowerCase()}%`)).length > 0)
      assert.throws(() => createStore.schema({ table: 'A' }), { code })
    })
  })
}

describe('stores in PostgreSQL with create: true', () => {
  it('create their tables before the first statement, once', async () => {
    const pool = watchedPool(database)
    const store = postgresSessions(pool, { table: 'made_once', create: true })
    assert.deepEqual(await Promise.all([store.get('a'), store.get('b')]), [undefined, undefined])
    assert.equal(pool.texts.filter((text) => text.startsWith('create table')).length, 1)
    assert.deepEqual(await tablesLike('public.made_once'), ['made_once'])
  })

  it('try again if another process creates the same objects', async () => {
    for (const code of ['23505', '42710', '42P07']) {
      let failures = 3
      const pool: PostgresPool = {
        query: (text, values) =>
          text.startsWith('create') && failures-- > 0
            ? Promise.reject(Object.assign(new Error('exists'), { code }))
            : database.query(text, values),
      }
      const store = postgresSessions(pool, { table: `raced_${code.toLowerCase()}`, create: true })
      assert.equal(await store.get('a'), undefined)
      assert.equal(failures, -1 - 2 + 1)
    }
  })

  it('give up after ten tries, and start again with the next call', async () => {
    let tries = 0
    let isFailing = true
    const pool: PostgresPool = {
      query: (text, values) => {
        if (!isFailing || !text.startsWith('create')) return database.query(text, values)
        tries++
        return Promise.reject(Object.assign(new Error('exists'), { code: '42P07' }))
      },
    }
    const store = postgresSessions(pool, { table: 'given_up', create: true })
    await assert.rejects(Promise.resolve(store.get('a')), { message: 'exists (42P07)' })
    assert.equal(tries, 10)
    isFailing = false
    assert.equal(await store.get('a'), undefined)
  })

  it('do not try again after another error', async () => {
    const store = postgresSessions(failingPool(Object.assign(new Error('no right'), { code: '42501' })), {
      create: true,
    })
    await assert.rejects(Promise.resolve(store.get('a')), { message: 'no right (42501)' })
  })
})

describe('stores in PostgreSQL', () => {
  it('report errors by message and code, never with values', async () => {
    const withValues = Object.assign(new Error('duplicate key'), {
      code: '23505',
      detail: 'Key (key)=(secret) already exists',
    })
    for (const [error, message] of [
      [withValues, 'duplicate key (23505)'],
      [new Error('no connection'), 'no connection'],
      ['a string', 'a string'],
    ] as const) {
      const failed = await Promise.resolve(postgresSessions(failingPool(error)).get('a')).catch(
        (thrown: unknown) => thrown,
      )
      assert.ok(failed instanceof Error && failed !== error)
      assert.equal(failed.message, message)
      assert.doesNotMatch(JSON.stringify({ ...failed }) + String(failed.stack) + String(failed.cause), /secret/)
    }
  })

  it('remove at most 1,000 expired rows at a time, one after the other, until fewer are left', async () => {
    const pool = watchedPool(database)
    const store = postgresSessions(pool, { table: 'cleaned', create: true })
    const removals = (): number => pool.texts.filter((text) => text.includes('delete from "cleaned"')).length
    await store.get('nothing')
    assert.equal(removals(), 0)
    const expired = "select 'k' || n, '', now() - interval '1 second' from generate_series(1, 1500) n"
    await database.query(`insert into cleaned (key, text, expires_at) ${expired}`)
    const count = async (): Promise<unknown> =>
      Object((await database.query('select count(*)::int as n from cleaned')).rows[0]).n
    await store.set('a', 'text', Date.now() + LATER, 'new')
    await until(async () => (await count()) === 501, '1,000 rows are removed')
    await store.set('b', 'text', Date.now() + LATER, 'new')
    await until(async () => (await count()) === 2, 'the other rows are removed')
    await store.set('c', 'text', Date.now() + LATER, 'new')
    assert.deepEqual([removals(), await count()], [2, 3])
  })

  it('remove expired rows through one connection of a pool at a time', async () => {
    const removal = createGate<{ rows: unknown[] }>()
    const tables: string[] = []
    const pool: PostgresPool = {
      query: (text) => {
        const [, table = ''] = /delete from "(\w+)"/.exec(text) ?? []
        if (table === '') return Promise.resolve({ rows: [{}] })
        tables.push(table)
        return removal.opened
      },
    }
    const [first, second] = ['first', 'second'].map((table) => postgresSessions(pool, { table }))
    await first?.touch('a', LATER)
    await second?.touch('a', LATER)
    await first?.touch('a', LATER)
    assert.deepEqual(tables, ['first'])
    removal.open({ rows: [{ count: 0 }] })
    await until(async () => {
      await second?.touch('a', LATER)
      return tables.length > 1
    }, 'the removal of the second store')
    assert.deepEqual(tables, ['first', 'second'])
  })

  for (const code of ['40001', '40P01']) {
    it(`send a statement again after ${code}, at most three times`, async (t) => {
      const pauses: number[] = []
      const { setTimeout } = globalThis
      t.mock.method(globalThis, 'setTimeout', (work: () => void, ms: number) => {
        pauses.push(ms)
        return setTimeout(work, 0)
      })
      let failures = 3
      const pool: PostgresPool = {
        query: async (text) => {
          if (failures-- > 0) throw Object.assign(new Error('conflict'), { code })
          return { rows: [{ text }] }
        },
      }
      assert.match(String(await postgresSessions(pool).get('a')), /^select text/)
      assert.ok(pauses.every((ms) => ms >= 10 && ms <= 50) && new Set(pauses).size === 3, pauses.join())
      failures = 4
      await assert.rejects(Promise.resolve(postgresSessions(pool).get('a')), { message: `conflict (${code})` })
      assert.deepEqual([failures, pauses.length], [0, 6])
    })
  }

  it('send a statement once after another error, in a transaction of the app, and after the time limit', async (t) => {
    let sent = 0
    const conflict = Object.assign(new Error('conflict'), { code: '40P01' })
    const failing = (error: Error): PostgresPool => ({
      query: async () => {
        sent++
        throw error
      },
    })
    await assert.rejects(Promise.resolve(postgresSessions(failing(new Error('no connection'))).get('a')))
    const claim = { key: 'a', client: 'c', owner: 'o', request: 'r', lease: 1_000 }
    const idempotency = postgresIdempotency(failing(conflict))
    await assert.rejects(Promise.resolve(idempotency.completeWithin(claim, 'answer', 1_000, failing(conflict))))
    let now = 0
    t.mock.method(performance, 'now', () => (now += 1_000))
    await assert.rejects(
      Promise.resolve(postgresLimits(failing(conflict)).take({ key: 'a', limit: 1, window: 1, cost: 1 })),
    )
    assert.equal(sent, 3)
  })

  it('write although the removal of expired rows fails', async () => {
    const pool: PostgresPool = {
      query: (text, values) =>
        text.includes('delete from') ? Promise.reject(new Error('no')) : database.query(text, values),
    }
    const store = postgresSessions(pool, { table: 'not_cleaned', create: true })
    assert.equal(await store.set('a', 'text', Date.now() + LATER, 'new'), true)
  })
})
