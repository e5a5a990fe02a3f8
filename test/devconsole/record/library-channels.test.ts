// own process: it publishes to channels, whose subscribers are all consoles of the process
import '#test/development.js'
import assert from 'node:assert/strict'
import { channel, tracingChannel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { createApp, Route } from 'verbena'
import type { Query } from '#src/devconsole/wire/request-types.js'
import { newestRecord } from '#test/console.js'

const TRACED = ['mysql2:query', 'mysql2:execute', 'ioredis:command', 'node-redis:command', 'mongoose:query']

/** Returns the queries of a request that runs `work`. */
async function queriesOf(work: () => unknown): Promise<readonly Query[]> {
  class Books extends Route {
    async get() {
      await work()
      return 'done'
    }
  }
  await using app = createApp({ routes: { Books }, logger: false, devConsole: true })
  const { url } = await app.listen()
  await (await fetch(`${url}/books`)).text()
  const { queries } = await newestRecord(url, 1)
  return queries
}

/** Publishes a call on the channel of a library, with the message that the library sends. */
function publish<T>(name: string, message: object, result: T | Error): Promise<T | Error> {
  const run = async (): Promise<T> => {
    if (result instanceof Error) throw result
    return result
  }
  return tracingChannel(name)
    .tracePromise(run, message)
    .catch((error: Error) => error)
}

describe('openLibraryChannels()', () => {
  it('reports requests of fetch and node:http with their status or error', async () => {
    await using server = createServer((request, response) => {
      response.writeHead(request.url === '/lost?page=2' ? 404 : 200).end('ok')
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    // Proof: the server listens on a port.
    const { port } = server.address() as AddressInfo
    const origin = `http://127.0.0.1:${port}`
    const closed = 'http://127.0.0.1:9'
    const queries = await queriesOf(async () => {
      await (await fetch(`${origin}/lost?page=2`, { method: 'POST' })).text()
      await new Promise((resolve) => get(`${origin}/found`, (response) => response.resume().on('end', resolve)))
      await new Promise((resolve) => get(`${closed}/`).on('error', resolve))
      await fetch('http://127.0.0.1:65000/').catch(() => null)
    })
    assert.deepEqual(
      queries.map(({ kind, text, target, status }) => [kind, text, target, status]),
      [
        ['http', `POST ${origin}/lost?page=2`, `127.0.0.1:${port}`, 404],
        ['http', `GET ${origin}/found`, `127.0.0.1:${port}`, 200],
        ['http', `GET ${closed}/`, '127.0.0.1:9', null],
        ['http', 'GET http://127.0.0.1:65000/', '127.0.0.1:65000', null],
      ],
    )
    assert.deepEqual(
      queries.map(({ error }) => error !== null),
      [false, false, true, true],
    )
    assert.ok(queries.every(({ duration }) => duration !== null))
    const here = 'test/devconsole/record/library-channels.test.ts'
    assert.deepEqual(
      [queries[0], queries[3]].map((query) => query?.site?.file),
      [here, here],
    )
  })

  it('reports a request of node:http once, with the line that creates it', async () => {
    const request = { method: 'GET', protocol: 'http:', host: 'a.example', path: '/', getHeader: () => 'a.example' }
    const queries = await queriesOf(async () => {
      channel('http.client.request.created').publish({ request })
      // Node starts it when the stack does not contain the app.
      const start = channel('http.client.request.start')
      setImmediate(start.publish.bind(start), { request })
      await new Promise(setImmediate)
      channel('http.client.response.finish').publish({ request, response: { statusCode: 204 } })
      channel('http.client.request.created').publish({ request: { ...request, getHeader: null, host: 'b.example' } })
    })
    const here = 'test/devconsole/record/library-channels.test.ts'
    assert.deepEqual(
      queries.map(({ text, status, site }) => [text, status, site?.file]),
      [
        ['GET http://a.example/', 204, here],
        ['GET http://b.example/', null, here],
      ],
    )
  })

  it('reports queries and commands of databases with rows and errors', async () => {
    const queries = await queriesOf(async () => {
      await publish('mysql2:query', { query: 'select 7', values: [7], database: 'shop' }, [{ id: 7 }])
      await publish('mysql2:execute', { query: 'update books', values: { id: 7 } }, { affectedRows: 3 })
      await publish('mysql2:execute', { query: 'select 1' }, [])
      await publish('mysql2:query', { query: 'select broken' }, new Error('syntax'))
      await publish('ioredis:command', { command: 'get', args: ['a', 7], database: 2, serverAddress: 'cache' }, 'x')
      await publish('node-redis:command', { command: 'GET', args: ['GET', 'a'], serverAddress: 'cache' }, null)
      await publish('node-redis:command', { command: 'PING' }, 'PONG')
      await publish('node-redis:batch', { batchMode: 'MULTI', batchSize: 2, serverAddress: 'cache' }, [])
      await publish('node-redis:batch', { batchMode: 'PIPELINE', batchSize: 2 }, [])
      const filter = { filter: { title: 'x' }, options: undefined }
      await publish('mongoose:query', { operation: 'find', collection: 'books', args: filter }, [1, 2])
      await publish('mongoose:query', { operation: 'updateMany' }, { modifiedCount: 2 })
    })
    assert.deepEqual(
      queries.map(({ kind, text, params, target, rows, error }) => [kind, text, params, target, rows, error]),
      [
        ['sql', 'select 7', null, 'shop', 1, null],
        ['sql', 'update books', '{"id":7}', null, 3, null],
        ['sql', 'select 1', null, null, 0, null],
        ['sql', 'select broken', null, null, null, 'syntax'],
        ['redis', 'get a 7', null, 'cache/2', null, null],
        ['redis', 'GET a', null, 'cache/0', null, null],
        ['redis', 'PING', null, null, null, null],
        ['redis', 'MULTI (2 commands)', null, 'cache/0', 0, null],
        ['mongodb', 'books.find', '{"title":"x"}', 'books', 2, null],
        ['mongodb', '.updateMany', null, null, 2, null],
      ],
    )
  })

  it('ignores malformed messages, and calls outside of requests', async () => {
    const queries = await queriesOf(() => {
      for (const message of [undefined, null, 7, {}, { request: 7 }, { request: null, response: 7 }]) {
        channel('undici:request:create').publish(message)
        channel('undici:request:headers').publish(message)
        channel('http.client.request.start').publish(message)
        channel('http.client.request.error').publish(message)
      }
      channel('http.client.request.start').publish({
        request: {
          getHeader() {
            throw new Error('A message can throw')
          },
        },
      })
    })
    assert.ok(queries.every(({ kind }) => kind === 'http'))
    assert.deepEqual(await publish('ioredis:command', { command: 'get' }, 'x'), 'x')
  })

  it('subscribes while at least one console is open', async () => {
    const isSubscribed = (): boolean[] =>
      [...TRACED.map((name) => channel(`tracing:${name}:start`)), channel('undici:request:create')].map(
        ({ hasSubscribers }) => hasSubscribers,
      )
    const none = isSubscribed().map(() => false)
    assert.deepEqual(isSubscribed(), none)
    const apps = [1, 2].map(() => createApp({ routes: {}, logger: false, devConsole: true }))
    for (const app of apps) await app.listen()
    await apps[0]?.close()
    assert.deepEqual(
      isSubscribed(),
      none.map(() => true),
    )
    await apps[1]?.close()
    assert.deepEqual(isSubscribed(), none)
  })
})
