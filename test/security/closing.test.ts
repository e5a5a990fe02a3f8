/** Shutdown by signals, under load and under attack. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startChild, type ChildServer } from '#test/probe-child.js'
import { probeApp } from '#test/probe.js'
import { exchange, formatTitle } from '#test/attack-rows.js'
import { parseAnswers, type StrictAnswer } from '#test/strict-parser.js'

/** Maximum time of a shutdown in ms. A slower one was ended by the deadline. */
const PROMPT = 2500

async function ending(options: object, task: (server: ChildServer) => Promise<void>): Promise<void> {
  const server = await startChild(options)
  try {
    await task(server)
  } finally {
    await server.stop()
  }
}

/** Sends a signal; returns the exit code and the time until the process ended. */
async function signalled(
  server: ChildServer,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<{ code: unknown; ms: number }> {
  const begin = performance.now()
  server.child.kill(signal)
  const code = await server.ended
  return { code, ms: performance.now() - begin }
}

const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`

/** Waits until `count` requests have started. */
async function begun(server: ChildServer, count: number): Promise<void> {
  while ((await server.measure()).counts.begun < count) await wait(10)
}

/** A client that sends requests one after the other over one connection, and counts complete responses. */
class Busy {
  answers = 0
  /** Bytes of an incomplete response. */
  rest = Buffer.alloc(0)
  readonly closed: Promise<void>
  readonly #socket: Socket

  constructor(port: number, ms: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.#socket.on('connect', () => this.#ask(ms)).on('error', () => {})
    this.#socket.on('data', (chunk: Buffer) => {
      this.rest = Buffer.concat([this.rest, chunk])
      const answer = this.#answer()
      if (answer === undefined) return
      this.answers++
      this.rest = Buffer.alloc(0)
      if (answer.headers.get('connection')?.[0] !== 'close') this.#ask(ms)
    })
    this.closed = new Promise((resolve) => this.#socket.on('close', () => resolve()))
  }

  #ask(ms: number): void {
    this.#socket.write(get(`/working?ms=${ms}`))
  }

  #answer(): StrictAnswer | undefined {
    try {
      return parseAnswers(this.rest)[0]
    } catch {
      return undefined
    }
  }
}

describe('SIGTERM', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(formatTitle({ rule: `loses no started request under load at ${signal}`, source: 'RFC 9112 §9.6' }), () =>
      ending({}, async (server) => {
        const clients = Array.from({ length: 60 }, (_, index) => new Busy(server.port, index % 20))
        await wait(800)
        const { code, ms } = await signalled(server, signal)
        await Promise.all(clients.map(({ closed }) => closed))
        assert.equal(code, 0)
        assert.ok(ms < PROMPT, `${ms} ms`)
        const answers = clients.reduce((sum, client) => sum + client.answers, 0)
        const { begun: accepted, done } = server.counted()
        assert.ok(answers > 500, `${answers} answers`)
        assert.deepEqual({ answers, done }, { answers: accepted, done: accepted })
        for (const { rest } of clients) assert.equal(rest.length, 0, rest.toString('latin1'))
      }),
    )
  }

  it(
    formatTitle({
      rule: 'completes the request in progress with Connection: close, and exits with code 0',
      source: 'RFC 9112 §9.6',
    }),
    () =>
      ending({}, async (server) => {
        const answered = exchange(server.port, get('/working?ms=500') + get('/working?ms=1'))
        await begun(server, 1)
        const { code, ms } = await signalled(server)
        const answers = parseAnswers(await answered)
        assert.deepEqual([answers.length, answers[0]?.status], [1, 200])
        assert.deepEqual(answers[0]?.headers.get('connection'), ['close'])
        assert.equal(code, 0)
        assert.ok(ms < PROMPT, `${ms} ms`)
        assert.equal(server.counted().begun, 1)
      }),
  )

  it(formatTitle({ rule: 'accepts no new connection', source: 'Verbena: a closing server does not listen' }), () =>
    ending({}, async (server) => {
      const answered = exchange(server.port, get('/working?ms=600'))
      await begun(server, 1)
      server.child.kill('SIGTERM')
      await wait(150)
      assert.equal((await exchange(server.port, get('/alive'))).length, 0)
      assert.equal(parseAnswers(await answered)[0]?.status, 200)
      assert.equal(await server.ended, 0)
    }),
  )

  it(formatTitle({ rule: 'closes idle, silent and rejected connections immediately', source: 'RFC 9112 §9.5' }), () =>
    ending({}, async (server) => {
      const sockets = ['', get('/alive'), 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', '\0\r\n\r\n'].map((bytes) => {
        const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
        socket.on('error', () => {}).resume()
        if (bytes !== '') socket.write(bytes)
        return socket
      })
      await wait(200)
      const { code, ms } = await signalled(server)
      assert.equal(code, 0)
      assert.ok(ms < PROMPT, `${ms} ms`)
      for (const socket of sockets) socket.destroy()
    }),
  )

  it(formatTitle({ rule: 'ends event streams cleanly', source: 'WHATWG HTML §9.2.3: clients reconnect' }), () =>
    ending({}, async (server) => {
      const answered = exchange(server.port, get('/news'))
      await wait(300)
      const { code, ms } = await signalled(server)
      const [answer] = parseAnswers(await answered)
      assert.match(answer?.body.toString() ?? '', /^data: 0\n\ndata: 1\n\n/)
      assert.equal(code, 0)
      assert.ok(ms < PROMPT, `${ms} ms`)
    }),
  )

  it(
    formatTitle({
      rule: 'ends event streams that start while the app closes',
      source: 'WHATWG HTML §9.2.3: clients reconnect',
    }),
    () =>
      ending({}, async (server) => {
        const answered = exchange(server.port, get('/late-news'))
        await begun(server, 1)
        const { code, ms } = await signalled(server)
        assert.equal(parseAnswers(await answered)[0]?.status, 200)
        assert.equal(code, 0)
        assert.ok(ms < PROMPT, `${ms} ms`)
      }),
  )

  it(
    formatTitle({
      rule: 'abandons a stuck handler at the deadline, not before',
      source: 'timeouts.close: below the 30 s of orchestrators',
    }),
    () =>
      ending({ timeouts: { close: 700 } }, async (server) => {
        const answered = exchange(server.port, get('/stuck'))
        await begun(server, 1)
        const { code, ms } = await signalled(server)
        assert.equal(code, 0)
        assert.ok(ms >= 650 && ms < PROMPT, `${ms} ms`)
        assert.equal((await answered).length, 0)
      }),
  )

  it(formatTitle({ rule: 'waits for requests that end before the deadline', source: 'timeouts.close' }), () =>
    ending({ timeouts: { close: 1500 } }, async (server) => {
      const answered = exchange(server.port, get('/working?ms=700'))
      await begun(server, 1)
      assert.equal((await signalled(server)).code, 0)
      assert.equal(parseAnswers(await answered)[0]?.status, 200)
    }),
  )

  it(
    formatTitle({
      rule: 'exits immediately with code 1 after a second signal',
      source: 'Verbena: a second signal forces the exit',
    }),
    () =>
      ending({}, async (server) => {
        const answered = exchange(server.port, get('/stuck'))
        await begun(server, 1)
        server.child.kill('SIGTERM')
        await wait(300)
        const { code, ms } = await signalled(server, 'SIGINT')
        assert.equal(code, 1)
        assert.ok(ms < 1000, `${ms} ms`)
        assert.equal((await answered).length, 0)
      }),
  )

  it(
    formatTitle({
      rule: 'is not handled with `signals: false`',
      source: 'Verbena: the process belongs to the application',
    }),
    () =>
      ending({ signals: false }, async (server) => {
        assert.equal((await signalled(server)).code, 'SIGTERM')
      }),
  )

  it(
    formatTitle({
      rule: 'has its default effect again after app.close()',
      source: 'Verbena: the process belongs to the application',
    }),
    () =>
      ending({}, async (server) => {
        assert.equal(await server.ask('close'), 'closed')
        assert.equal((await signalled(server)).code, 'SIGTERM')
      }),
  )
})

describe('app.close()', () => {
  it(
    formatTitle({
      rule: 'ends event streams, including streams that start later',
      source: 'WHATWG HTML §9.2.3: clients reconnect',
    }),
    async () => {
      const app = probeApp()
      await app.close()
      const response = await app.fetch(new Request('http://localhost/ticks'))
      assert.equal(response.status, 200)
      assert.equal(await response.text(), '')
    },
  )
})
