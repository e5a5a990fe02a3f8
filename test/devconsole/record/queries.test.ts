import '#test/development.js'
import assert from 'node:assert/strict'
import { get } from 'node:http'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp, observeCall, observed, Route, startCall } from 'verbena'
import type { RequestRecord } from '#src/devconsole/wire/request-types.js'
import type { CallStats } from '#src/devconsole/wire/view-types.js'
import { makeParts } from '#src/devconsole/serve/console-parts.js'
import { createHost } from '#test/console-host.js'
import { AdaptedClient } from '#test/query-adapter.js'
import { newestRecord, post, actionToken, read } from '#test/console.js'

class Database {
  async find(id: number): Promise<{ id: number }[]> {
    const call = { kind: 'sql', text: 'select * from books where id = $1', params: [id], target: 'shop' }
    return observeCall(
      call,
      async () => {
        await sleep(15)
        return [{ id }]
      },
      (rows) => ({ rows: rows.length }),
    )
  }

  async findEach(): Promise<number> {
    for (let id = 1; id <= 6; id++) await this.find(id)
    return 6
  }

  async run(work: () => unknown): Promise<unknown> {
    return work()
  }
}

/** Sends a request to an endpoint that runs `work`, and returns its record. */
async function recordOf(work: (db: Database) => unknown, slow = 800): Promise<RequestRecord> {
  class Books extends Route<{ db: Database }> {
    async get() {
      await work(this.db)
      return 'done'
    }
  }
  await using app = createApp({
    ...{ routes: { Books }, services: { db: new Database() }, logger: false },
    devConsole: { slow },
  })
  const { url } = await app.listen()
  await (await fetch(`${url}/books`)).text()
  return await newestRecord(url, 1)
}

describe('Queries', () => {
  it('records text, parameters, rows, call site and service call', async () => {
    const { queries, calls, ...record } = await recordOf((db) => db.find(7))
    const [query] = queries
    assert.deepEqual(
      { ...query, start: 0, duration: 0, site: query?.site?.file },
      {
        ...{
          kind: 'sql',
          text: 'select * from books where id = $1',
          params: '7',
          target: 'shop',
          start: 0,
          duration: 0,
        },
        ...{ rows: 1, status: null, error: null, call: 0, shape: 0 },
        site: 'test/devconsole/record/queries.test.ts',
      },
    )
    assert.ok((query?.duration ?? 0) >= 1)
    assert.deepEqual([record['dev.queries'], record.queriesMore], [1, 0])
    const [call] = calls
    assert.deepEqual([call?.result, call?.site?.file], ['1 × { id }', 'test/devconsole/record/queries.test.ts'])
    assert.ok((call?.own ?? 0) <= (call?.duration ?? 0) - (query?.duration ?? 0) + 0.01, 'own time without the query')
  })

  it('reports repeated queries instead of the service calls that send them', async () => {
    const { repeated, queries, 'dev.flags': flags, ...record } = await recordOf((db) => db.findEach(), 1)
    assert.deepEqual(
      repeated.map(({ kind, name, count }) => [kind, name, count]),
      [['sql', 'select * from books where id = $1', 6]],
    )
    assert.deepEqual([new Set(queries.map(({ shape }) => shape)), flags], [new Set([0]), ['slow', 'n+1']])
    const { callOuts } = record as RequestRecord & { callOuts: readonly { title: unknown; text: unknown }[] }
    const texts = JSON.stringify(callOuts)
    assert.match(texts, /with the same shape/)
    assert.match(texts, /% in ",\{"code":"db.findEach"\},": ",\{"code":"select \* from books/)
  })

  it('hides values of secret columns, and secrets of the request', async () => {
    const { queries } = await recordOf(() => {
      startCall({ kind: 'sql', text: 'update users set password = $1 where id = $2', params: ['hunter2', 7] })
      startCall({ kind: 'sql', text: "select 'hunter2' from users where token = 'abc'", params: [null, undefined] })
      startCall({ kind: 'redis', text: 'SET session hunter2', params: [] })
      startCall({ kind: 'mongodb', text: 'users.find', params: [{ password: 'x', age: 7 }] })
    })
    assert.deepEqual(
      queries.map(({ text, params, duration }) => [text, params, duration]),
      [
        ['update users set password = $1 where id = $2', '"redacted", 7', null],
        ["select 'redacted' from users where token = 'redacted'", 'null, undefined', null],
        ['SET session redacted', null, null],
        ['users.find', '{"password":"redacted","age":7}', null],
      ],
    )
  })

  it('hides parameters that are passed by name', async () => {
    const { queries } = await recordOf(() => {
      const send = (text: string, ...params: unknown[]) => startCall({ kind: 'sql', text, params })
      send('select 1 from users where id = $id and password = $p', { id: 7, p: 'hunter21' })
      send('update users set password = :a where name = :b', { ':a': 'hunter22', ':b': 'Ada' })
      send('select 1 from users where id = $x and password = ?', { x: 7 }, 'hunter23')
      send('select 1 from users where id = $id and password = $p', { id: 7, p: null })
      send('insert into users (data, password, name) values (?, ?, ?)', { a: 1 }, 'hunter24', 'Ada')
      const throwing = new Proxy({}, { ownKeys: () => assert.fail('A parameter can throw') })
      send('select 1 from users where id = $id and password = $p', throwing)
    })
    assert.deepEqual(
      queries.map(({ params }) => params),
      [
        '{"id":7,"p":"redacted"}',
        '{":a":"redacted",":b":"Ada"}',
        '{"x":7}, "redacted"',
        '{"id":7,"p":null}',
        '{"a":1}, "redacted", "Ada"',
        '"[cannot be read]"',
      ],
    )
  })

  it('records errors of promises and synchronous code, which reach the caller', async () => {
    const seen: unknown[] = []
    const { queries, calls } = await recordOf(async (db) => {
      const failing = { kind: 'sql', text: 'select 1/0' }
      const fail = (): never => {
        throw new Error('division by zero')
      }
      seen.push(await observeCall(failing, async () => fail()).catch((error: Error) => error.message))
      assert.throws(() => observeCall(failing, fail), /division by zero/)
      seen.push(observeCall({ kind: 'sql', text: 'select 1' }, () => 1))
      await db.run(() => fail()).catch(() => null)
      startCall(failing)?.fail(new AggregateError([new Error('refused')]))
    })
    assert.deepEqual(seen, ['division by zero', 1])
    assert.deepEqual(
      queries.map(({ error }) => error),
      ['division by zero', 'division by zero', null, 'refused'],
    )
    assert.deepEqual([calls[0]?.error, calls[0]?.result], ['division by zero', null])
  })

  it('records a query once if a client below a pool reports the same text', async () => {
    const { queries } = await recordOf(() => {
      const call = startCall({ kind: 'sql', text: 'select 1' })
      call?.run(() => {
        assert.equal(startCall({ kind: 'sql', text: 'select 1' }), null)
        startCall({ kind: 'sql', text: 'set role' })?.end({ status: 200 })
      })
      call?.end()
      call?.end({ rows: 3 })
    })
    assert.deepEqual(
      queries.map(({ text, rows, status }) => [text, rows, status]),
      [
        ['select 1', 3, null],
        ['set role', null, 200],
      ],
    )
  })

  it('stores at most 200 queries and 200,000 characters', async () => {
    const many = await recordOf(() => {
      for (let id = 0; id < 250; id++) startCall({ kind: 'sql', text: 'select 1' })?.end()
    })
    assert.deepEqual([many.queries.length, many.queriesMore, many['dev.queries']], [200, 50, 250])
    const long = await recordOf(() => {
      for (let id = 0; id < 60; id++) startCall({ kind: 'sql', text: `select ${'1 '.repeat(3_000)}` })?.end()
    })
    assert.ok(long.queries.length < 60 && (long.queries[0]?.text.length ?? 0) <= 4_000)
  })

  it('subtracts the time of ended queries from the own time of a service call', async () => {
    const query = { kind: 'sql', text: 'select 1' }
    const { calls } = await recordOf(async (db) => {
      await db.run(() => observeCall(query, () => sleep(30)))
      await db.run(async () => {
        startCall(query)
        await sleep(30)
      })
    })
    const [ended, open] = calls
    assert.ok(ended !== undefined && ended.own < ended.duration / 2, JSON.stringify(ended))
    assert.equal(open?.own, open?.duration)
  })

  it('assigns queries of service calls beyond the first 200 to the request', async () => {
    const { queries, callsMore } = await recordOf(async (db) => {
      for (let id = 0; id < 201; id++) await db.run(() => id)
      await db.run(() => startCall({ kind: 'sql', text: 'select 1' })?.end())
    })
    assert.deepEqual([queries[0]?.call, callsMore], [null, 2])
  })

  it('uses the call site of the service call if the stack contains no code of the app', async () => {
    const { queries, calls } = await recordOf((db) =>
      db.run(() => new Promise((resolve) => get('http://127.0.0.1:9/').on('error', resolve))),
    )
    assert.deepEqual([queries[0]?.site, queries[0]?.site?.file], [calls[0]?.site, calls[0]?.site?.file])
    assert.ok(queries[0]?.site)
  })

  it('uses the caller of an adapter as the call site', async () => {
    class Notes extends Route<{ client: AdaptedClient }> {
      async get() {
        return this.client.query('select 1')
      }
    }
    const services = { client: new AdaptedClient() }
    await using app = createApp({ routes: { Notes }, services, logger: false, devConsole: true })
    const { url } = await app.listen()
    await (await fetch(`${url}/notes`)).text()
    const { queries, calls } = await newestRecord(url, 1)
    assert.deepEqual(queries[0]?.site, calls[0]?.site)
    assert.equal(queries[0]?.site?.file, 'test/devconsole/record/queries.test.ts')
  })

  it('uses the call site of the service call if the stack contains only the adapter', async () => {
    const client = new AdaptedClient()
    const inService = await recordOf((db) => db.run(() => client.queryLater('select 1')))
    assert.deepEqual(inService.queries[0]?.site, inService.calls[0]?.site)
    assert.equal(inService.calls[0]?.site?.file, 'test/devconsole/record/queries.test.ts')
    const inHandler = await recordOf(() => client.queryLater('select 1'))
    assert.equal(inHandler.queries[0]?.site?.file, 'test/support/query-adapter.ts')
  })

  it('uses the stack of the call, if it contains code of the app', async () => {
    const client = new AdaptedClient()
    const { queries, calls } = await recordOf(async (db) => {
      const { stack } = new Error('of the query')
      for (let count = 0; count < 2; count++) await db.run(() => client.queryLater('select 1', stack))
      await db.run(() => client.queryLater('select 2', 'Error\n    at node:internal/timers:7:9'))
    })
    const here = 'test/devconsole/record/queries.test.ts'
    const [first, second, third] = queries.map(({ site }) => site)
    assert.deepEqual([first, first?.file, third], [second, here, calls[2]?.site])
    assert.equal(Number(first?.line) + 1, calls[0]?.site?.line)
  })

  it('ignores queries of a request without details', () => {
    const { recorder } = makeParts(createHost())
    const trail = recorder.observe({ method: 'GET', url: '/' }, performance.now())
    assert.equal(trail.startQuery({ kind: 'sql', text: 'select 1' }, null, true), null)
  })

  it('ignores queries outside of requests and after them', async () => {
    let later: () => unknown = () => 'not set'
    await recordOf(() => {
      const query = { kind: 'sql', text: 'select 1' }
      // The work keeps the async context of the request.
      const pending = sleep(200).then(() => startCall(query))
      later = () => pending
    })
    assert.deepEqual([startCall({ kind: 'sql', text: 'select 1' }), await later()], [null, null])
  })
})

describe('observed()', () => {
  it('records calls of a value as service calls, and returns the value without a console', async () => {
    const value = { query: async (text: string) => [text] }
    const { calls } = await recordOf(async () => {
      const view = observed('tx', value)
      assert.notEqual(view, value)
      assert.deepEqual(await view.query('begin'), ['begin'])
      assert.equal(observed('count', 7), 7)
    })
    assert.deepEqual(
      calls.map(({ name, args, result }) => [name, args, result]),
      [['tx.query', '"begin"', '1 × string']],
    )
    assert.equal(observed('tx', value), value)
  })

  it('calls the value without recording it outside of requests', async () => {
    await using app = createApp({ routes: {}, logger: false, devConsole: true })
    await app.listen()
    assert.deepEqual(await observed('tx', { query: async () => 7 }).query(), 7)
  })
})

describe('observeCall() without a console', () => {
  it('calls the function and returns its result', () => {
    const result = Promise.resolve(7)
    assert.equal(
      observeCall({ kind: 'sql', text: 'select 1' }, () => result),
      result,
    )
  })
})

describe('GET api/calls', () => {
  it('returns statements and service methods of all requests until they are cleared', async () => {
    class Books extends Route<{ db: Database }> {
      async get() {
        await this.db.findEach()
        startCall({ kind: 'sql', text: 'select * from books where id in ($1, $2)' })?.fail(new Error('no'))
        await this.db.run(() => Promise.reject(new Error('no'))).catch(() => null)
        return 'done'
      }
    }
    const services = { db: new Database() }
    await using app = createApp({ routes: { Books }, services, logger: false, devConsole: true })
    const { url } = await app.listen()
    await (await fetch(`${url}/books`)).text()
    const { id } = await newestRecord(url, 1)
    const { statements, services: methods, dropped } = await read<CallStats>(`${url}/__dev__/api/calls`)
    assert.deepEqual(
      statements.map(({ text, count, errors, rows, slowest }) => [text, count, errors, rows, slowest]),
      [
        ['select * from books where id = ?', 6, 0, 6, id],
        ['select * from books where id in (?, …)', 1, 1, null, id],
      ],
    )
    assert.deepEqual(
      methods.map(({ name, count, errors }) => [name, count, errors]),
      [
        ['db.findEach', 1, 0],
        ['db.run', 1, 1],
      ],
    )
    assert.ok((methods[0]?.own ?? 0) < (methods[0]?.total ?? 0) && dropped === 0)
    await post(`${url}/__dev__/api/clear`, {}, { 'x-dev-token': await actionToken(url) })
    assert.deepEqual(await read(`${url}/__dev__/api/calls`), { statements: [], services: [], dropped: 0 })
  })
})
