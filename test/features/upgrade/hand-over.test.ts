/** Upgrades from their guards to the end of the connection: input and errors of the handler, and cleanup. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp, group, HttpError, provide, service, type CommonOptions, type Context } from 'verbena'
import { log } from 'verbena/decorators'
import { upgrade, type UpgradeInput } from 'verbena/upgrade'
import * as z from 'zod'
import { captureLog, createGate, createUntypedApp, type Line } from '#test/apps.js'
import { onCleanup } from '#test/cleanup.js'
import { requestUpgrade, hail, Raw, parseStatus, SWITCHING } from '#test/upgrades.js'

async function open(t: TestContext, routes: object, options: CommonOptions = {}) {
  const { logger, lines } = captureLog()
  const app = createUntypedApp({ routes, logger, signals: false, devConsole: false, ...options })
  const { port } = await app.listen()
  onCleanup(t, () => app.close())
  return { app, port, lines }
}

type Take = (input: UpgradeInput, socket: Duplex, head: Buffer) => unknown

const asking = async (t: TestContext, handler: Take, options: CommonOptions = {}) => {
  const opened = await open(t, { '/live': upgrade({}, handler) }, options)
  return { ...opened, text: await requestUpgrade(opened.port, hail('/live')) }
}

const errorsOf = (lines: readonly Line[]): string[] => lines.flatMap(({ fields }) => String(fields['err'] ?? ''))

describe('upgrade(): handler', () => {
  it('receives the validated sources that its needs name', async (t) => {
    const seen = createGate<unknown>()
    const Query = z.object({ since: z.number() })
    const needs = { params: z.object({ id: z.number() }), query: Query, headers: z.object({ 'x-a': z.string() }) }
    const typed = upgrade({ ...needs, cookies: z.object({ b: z.string() }) }, (input, socket, head, request) => {
      const { params, query, headers, cookies } = input
      seen.open({ params, query, headers, cookies, head: String(head), url: request.url, id: input.request.id !== '' })
      socket.end(SWITCHING)
    })
    const { port } = await open(t, { '/live/{id}': typed })
    await requestUpgrade(port, `${hail('/live/7?since=3', 'X-A: a\r\nCookie: b=c\r\n')}rest`)
    assert.deepEqual(await seen.opened, {
      ...{ params: { id: 7 }, query: { since: 3 }, headers: { 'x-a': 'a' }, cookies: { b: 'c' } },
      ...{ head: 'rest', url: '/live/7?since=3', id: true },
    })
    const refused = await requestUpgrade(port, hail('/live/x?since=3'))
    assert.match(refused, /^HTTP\/1\.1 422 [^]*"in":"params","pointer":"\/id"/)
    assert.equal(parseStatus(await requestUpgrade(port, hail('/live/%'))), 400)
    assert.equal(parseStatus(await requestUpgrade(port, hail('/live/1').replace('Host: a\r\n', ''))), 400)
  })

  it('matches a path with a trailing slash if trailingSlash is "ignore" or "redirect"', async (t) => {
    const routes = { '/live/{id}': upgrade({}, ({ params }, socket) => void socket.end(SWITCHING + params['id'])) }
    const ignoring = await open(t, routes, { trailingSlash: 'ignore' })
    assert.equal(await requestUpgrade(ignoring.port, hail('/live/7/')), `${SWITCHING}7`)
    assert.equal(parseStatus(await requestUpgrade(ignoring.port, hail('/'))), 404)
    const redirecting = await open(t, routes, { trailingSlash: 'redirect' })
    assert.equal(await requestUpgrade(redirecting.port, hail('/live/7/')), `${SWITCHING}7`)
  })

  it('runs after the guards of the group and the upgrade, without middleware', async (t) => {
    const order: string[] = []
    const pass = (name: string) => provide({ guard: true }, () => void order.push(name))
    const own = upgrade({ uses: { own: pass('own') } }, (_, socket) => {
      order.push('handler')
      socket.end(SWITCHING)
    })
    const middleware = [() => Promise.reject(new Error('not called'))]
    const inner = group({ uses: { outer: pass('group') }, middleware, routes: { '/live': own } })
    const { port } = await open(t, { '/v1': inner }, { middleware })
    assert.equal(await requestUpgrade(port, hail('/v1/live')), SWITCHING)
    assert.deepEqual(order, ['group', 'own', 'handler'])
  })

  it('waits for the services and for an asynchronous handler', async () => {
    const db = service(async () => {
      await sleep(20)
      return { name: 'db' }
    })
    const named = provide({}, (_, { db: made }: { db: { name: string } }) => made.name)
    const live = upgrade({ uses: { named } }, async ({ named: name }, socket) => {
      await sleep(5)
      socket.end(SWITCHING + name)
    })
    const { createServer } = await import('node:http')
    const server = createServer()
    const app = createApp({ routes: { '/live': live }, services: { db }, logger: false, signals: false })
    app.attach(server)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = Object(server.address())
    assert.equal(await requestUpgrade(port, hail('/live')), `${SWITCHING}db`)
    await app.close()
  })

  it('responds 503 if the services fail', async () => {
    const { createServer } = await import('node:http')
    const server = createServer()
    const broken = service((): never => {
      throw new Error('no')
    })
    const app = createUntypedApp({ routes: { '/live': upgrade({}, () => {}) }, services: { broken }, signals: false })
    app.attach(server)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = Object(server.address())
    assert.match(await requestUpgrade(port, hail('/live')), /^HTTP\/1\.1 503 [^]*"status":503/)
    await app.close()
  })
})

describe('upgrade(): handler errors and disconnects', () => {
  it('responds 500 and logs the error if the handler fails before it writes', async (t) => {
    const { text, lines } = await asking(t, () => {
      throw new Error('not made for this')
    })
    assert.match(text, /^HTTP\/1\.1 500 [^]*\r\nconnection: close\r\n[^]*"status":500/)
    assert.doesNotMatch(text, /not made/)
    assert.deepEqual(errorsOf(lines), ['Error: not made for this'])
  })

  it('responds with an HttpError that the handler throws', async (t) => {
    const { text, lines } = await asking(t, async () => {
      await sleep(1)
      throw new HttpError(409, 'The room is full', { headers: { 'retry-after': '3' } })
    })
    assert.match(text, /^HTTP\/1\.1 409 [^]*\r\nretry-after: 3\r\n[^]*The room is full/)
    assert.deepEqual(lines, [])
  })

  it('closes the connection if the handler fails after it has written', async (t) => {
    const { text, lines } = await asking(t, (_, socket) => {
      socket.write(SWITCHING)
      throw new Error('half way')
    })
    assert.ok(text === SWITCHING || text === '', text)
    assert.deepEqual(errorsOf(lines), ['Error: half way'])
  })

  it('responds 500 and logs an error if the handler returns without writing a response', async (t) => {
    const { text, lines } = await asking(t, () => {})
    assert.equal(parseStatus(text), 500)
    assert.match(
      errorsOf(lines).join(),
      /Cannot leave the connection of "\/live\.get" open: .* Write a response, directly or with a library/,
    )
  })

  it('allows the handler to close the connection without a response', async (t) => {
    const { text, lines } = await asking(t, (_, socket) => void socket.destroy())
    assert.deepEqual([text, lines], ['', []])
  })

  for (const fastPath of [true, false]) {
    it(`receives all bytes and the end that arrive while guards run, with fastPath ${fastPath}`, async (t) => {
      const slow = provide({ guard: true }, () => sleep(60))
      const echo = upgrade({ uses: { slow } }, (_input, socket, head) => {
        socket.write(SWITCHING)
        socket.write(head)
        socket.pipe(socket)
      })
      const { port } = await open(t, { '/live': echo }, { fastPath })
      const get = 'GET /none HTTP/1.1\r\nHost: a\r\n\r\n'
      for (const before of ['', get, get + get]) {
        const raw = new Raw(port).write(`${before}${hail('/live')}one,`)
        await sleep(20)
        raw.write('two')
        await sleep(20)
        raw.socket.end()
        assert.ok((await raw.closed).endsWith(`${SWITCHING}one,two`), raw.text)
      }
    })
  }

  it('receives the end of the client data that arrives while guards run, without other bytes', async (t) => {
    const slow = provide({ guard: true }, () => sleep(60))
    const patient = upgrade({ uses: { slow } }, (_input, socket) => {
      socket.write(SWITCHING)
      socket.on('data', () => {}).on('end', () => socket.end('bye'))
    })
    const { port } = await open(t, { '/live': patient })
    const raw = new Raw(port).write(hail('/live'))
    raw.socket.end()
    assert.equal(await raw.closed, `${SWITCHING}bye`)
  })

  it('survives a connection reset by the client', async (t) => {
    const gone = createGate()
    const live = upgrade({}, (_, socket) => {
      socket.write(SWITCHING)
      socket.on('close', () => gone.open())
    })
    const { port, lines } = await open(t, { '/live': live })
    const raw = new Raw(port).write(hail('/live'))
    await raw.until(SWITCHING)
    raw.socket.resetAndDestroy()
    await gone.opened
    assert.deepEqual(lines, [])
  })
})

describe('upgrade(): providers', () => {
  it('cleans up providers after the handler, or after the connection', async (t) => {
    const order: string[] = []
    const ending = (name: string, ends: 'before-response' | 'after-response') =>
      provide(
        {},
        function* () {
          yield name
          order.push(`${name} ends`)
        },
        { ends },
      )
    const uses = { a: ending('early', 'before-response'), b: ending('late', 'after-response') }
    const done = createGate()
    const live = upgrade({ uses }, ({ response }, socket) => {
      response.after(() => {
        order.push('task')
        done.open()
      })
      socket.write(SWITCHING)
      socket.on('data', () => {
        order.push('data')
        socket.end()
      })
    })
    const { port } = await open(t, { '/live': live })
    const raw = new Raw(port).write(hail('/live'))
    await raw.until(SWITCHING)
    await sleep(5)
    raw.write('x')
    await raw.closed
    await done.opened
    assert.deepEqual(order, ['early ends', 'data', 'late ends', 'task'])
  })

  it('throws the error of the handler into the provider', async (t) => {
    const told: unknown[] = []
    const tx = provide({}, function* () {
      try {
        yield 1
      } catch (error) {
        told.push(error)
        throw error
      }
    })
    const failure = new HttpError(409)
    const live = upgrade({ uses: { tx } }, () => Promise.reject(failure))
    const { port } = await open(t, { '/live': live })
    assert.equal(parseStatus(await requestUpgrade(port, hail('/live'))), 409)
    assert.deepEqual(told, [failure])
  })
})

describe('upgrade(): signal', () => {
  it('is aborted when the connection ends, even if a guard has read it before', async (t) => {
    const [early, late] = [createGate<unknown>(), createGate<unknown>()]
    const guard = provide({ guard: true }, ({ signal }: Context) => {
      signal.addEventListener('abort', () => early.open(signal.reason))
    })
    const live = upgrade({ uses: { guard } }, (input, socket) => {
      socket.write(SWITCHING)
      // Read once the connection is gone.
      socket.once('close', () => setImmediate(() => late.open(input.signal.aborted)))
    })
    const { port } = await open(t, { '/live': live })
    const raw = new Raw(port).write(hail('/live'))
    await raw.until(SWITCHING)
    raw.socket.resetAndDestroy()
    assert.match(String(await early.opened), /AbortError: The client disconnected/)
    assert.equal(await late.opened, true)
  })

  it('is aborted if the client disconnects before the handler runs', async (t) => {
    const [begun, aborted] = [createGate(), createGate()]
    const slow = provide({ guard: true }, async ({ signal }: Context) => {
      signal.addEventListener('abort', () => aborted.open())
      begun.open()
      await aborted.opened
    })
    const live = upgrade({ uses: { slow } }, (_, socket) => assert.ok(socket.destroyed))
    const { port, lines } = await open(t, { '/live': live })
    const raw = new Raw(port).write(hail('/live'))
    await begun.opened
    raw.socket.resetAndDestroy()
    await aborted.opened
    await sleep(5)
    assert.deepEqual(lines, [])
  })

  it('is aborted before the app closes the connection, so that the handler can send last data', async (t) => {
    const live = upgrade({}, ({ signal }, socket) => {
      socket.write(SWITCHING)
      signal.addEventListener('abort', () => socket.write(String(signal.reason)))
    })
    const { app, port } = await open(t, { '/live': live })
    const raw = new Raw(port).write(hail('/live'))
    await raw.until(SWITCHING)
    await app.close()
    assert.equal(await raw.closed, `${SWITCHING}AbortError: The server is closing`)
  })
})

describe('upgrade(): log and metrics', () => {
  it('logs a @log line and counts the request when the connection has ended', async (t) => {
    const live = upgrade({ decorators: [log] }, (_, socket) => {
      socket.write(SWITCHING)
      socket.on('data', () => socket.end())
    })
    const { app, port, lines } = await open(t, { '/live': live }, { metrics: '/metrics' })
    const raw = new Raw(port).write(hail('/live'))
    await raw.until(SWITCHING)
    assert.deepEqual([lines, app.metrics().total.count], [[], 0])
    await sleep(20)
    raw.write('x')
    await raw.closed
    await requestUpgrade(port, hail('/live').replace('Host: a\r\n', ''))
    await sleep(5)
    const [line] = lines
    assert.deepEqual([line?.message, line?.fields['template']], ['GET /live 101', '/live'])
    assert.ok(Number(line?.fields['duration']) >= 15, String(line?.fields['duration']))
    const [figures] = app.metrics().endpoints
    assert.deepEqual([figures?.path, figures?.count], ['/live', 1])
  })
})
