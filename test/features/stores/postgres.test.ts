import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { postgresIdempotency, postgresLimits, postgresSessions, type PostgresPool } from 'verbena/postgres'
import { createDatabase, failingPool, watchedPool } from '#test/postgres.js'
import { until } from '#test/e2e.js'

const database = await createDatabase()
const STORES = [
  ['postgresSessions', postgresSessions, 'OPTION_INVALID'],
  ['postgresIdempotency', postgresIdempotency, 'OPTION_INVALID'],
  ['postgresLimits', postgresLimits, 'PROVIDER_INVALID'],
] as const
const LATER = 60_000

function tablesLike(name: string): Promise<string[]> {
  const sql = "select tablename from pg_tables where schemaname || '.' || tablename like $1 order by 1"
  return database.query<{ tablename: string }>(sql, [name]).then(({ rows }) => rows.map(({ tablename }) => tablename))
}

for (const [name, createStore, code] of STORES) {
  describe(`${name}() options`, () => {
    const invalid: readonly (readonly [object, RegExp])[] = [
      [{ table: 'Shop' }, /"table" must be a name of lower-case letters/],
      [{ table: 'a"; drop table b; --' }, /"table" must be a name/],
      [{ table: 'a'.repeat(41) }, /"table" must be a name/],
      [{ table: 'a.b.c' }, /"table" must be a name/],
      [{ create: 'yes' }, /"create" must be true or false/],
      [{ tabel: 'a' }, /unknown option "tabel". Did you mean "table"\?/],
    ]
    for (const [options, message] of invalid) {
      it(`rejects ${JSON.stringify(options).slice(0, 40)}`, () => {
        assert.throws(() => createStore(database, options), { code, message })
      })
    }

    it('rejects a pool without a query method', () => {
      // Proof: the test passes what the types reject.
      assert.throws(() => createStore({} as PostgresPool), {
        code,
        message: /Pass "new Pool\(\)" of pg, or "new PGlite\(\)"/,
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

  it('remove at most 1,000 expired rows with a write, once a minute', async () => {
    const pool = watchedPool(database)
    const store = postgresSessions(pool, { table: 'cleaned', create: true })
    await store.get('nothing')
    assert.ok(!pool.texts.some((text) => text.startsWith('delete')))
    const expired = "select 'k' || n, '', now() - interval '1 second' from generate_series(1, 1500) n"
    await database.query(`insert into cleaned (key, text, expires_at) ${expired}`)
    const count = async (): Promise<unknown> => (await database.query('select count(*)::int as n from cleaned')).rows[0]
    await store.set('a', 'text', Date.now() + LATER, 'new')
    await until(async () => Object(await count()).n === 501, '1,000 rows are removed')
    await store.set('b', 'text', Date.now() + LATER, 'new')
    assert.equal(pool.texts.filter((text) => text.startsWith('delete')).length, 1)
    assert.deepEqual(await count(), { n: 502 })
  })

  it('write although the removal of expired rows fails', async () => {
    const pool: PostgresPool = {
      query: (text, values) =>
        text.startsWith('delete') ? Promise.reject(new Error('no')) : database.query(text, values),
    }
    const store = postgresSessions(pool, { table: 'not_cleaned', create: true })
    assert.equal(await store.set('a', 'text', Date.now() + LATER, 'new'), true)
  })
})
