/** Failures around the app: the clock, file descriptors, the logger, unhandled promises, services. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createApp, health, HttpError, Route, service, text, type Context, type Input, type Logger } from 'verbena'
import { log, speed } from 'verbena/decorators'
import { startFaulty } from '#test/faulty-child.js'
import { startChild } from '#test/probe-child.js'
import { assertAlive, exchange, formatTitle } from '#test/attack-rows.js'
import { parseAnswers, type StrictAnswer } from '#test/strict-parser.js'

const get = (target: string, fields = 'Connection: close\r\n'): string =>
  `GET ${target} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`

async function ask(port: number, target: string): Promise<StrictAnswer> {
  const [answer] = parseAnswers(await exchange(port, get(target)))
  assert.ok(answer, `No response to ${target}`)
  return answer
}

/** Collects uncaught exceptions and unhandled rejections while a task runs. */
async function unheard(task: () => Promise<void>): Promise<unknown[]> {
  const faults: unknown[] = []
  const onFault = (error: unknown): void => void faults.push(error)
  process.on('uncaughtException', onFault).on('unhandledRejection', onFault)
  try {
    await task()
    await wait(20)
  } finally {
    process.off('uncaughtException', onFault).off('unhandledRejection', onFault)
  }
  return faults
}

class Timed extends Route {
  @log
  @speed({ slow: 0 })
  async get() {
    await wait(2)
    return 'timed'
  }
}

class Failing extends Route {
  @log
  get() {
    throw new Error('a failure')
  }
}

/** Throws after it has timed out and its response was sent. */
class Late extends Route {
  static readonly get = this.contract({ timeout: 10 })
  async get() {
    await wait(40)
    throw new Error('too late')
  }
}

class Tasks extends Route {
  get({ response }: Context) {
    response.after(() => Promise.reject(new Error('a task')))
    return 'answered'
  }
}

class Breaking extends Route {
  async *get() {
    yield 'one'
    await wait(1)
    throw new Error('a stream')
  }
}

class Alive extends Route {
  get() {
    return 'alive'
  }
}

const ROUTES = { Alive, Timed, Failing, Late, Tasks, Breaking }

describe('a clock that jumps back', () => {
  it(
    formatTitle({
      rule: 'changes no response, and no duration is negative',
      source: 'clock_settime(2): the time of day may be set at any moment',
    }),
    async (test) => {
      const durations: unknown[] = []
      const take = (fields: object): void => void durations.push(Reflect.get(fields, 'duration'))
      const logger: Logger = { debug: take, info: take, warn: take, error: take }
      test.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 2) })
      const app = createApp({ routes: ROUTES, logger, signals: false, devConsole: true })
      const { port } = await app.listen()
      try {
        for (const day of [2, 1, 3, 1]) {
          const waiting = ask(port, '/timed')
          test.mock.timers.setTime(Date.UTC(2026, 0, day))
          const { status, headers } = await waiting
          assert.equal(status, 200)
          assert.match(headers.get('server-timing')?.[0] ?? '', /dur=\d/)
        }
      } finally {
        await app.close()
      }
      const lines = durations.filter((duration) => duration !== undefined)
      assert.ok(lines.length >= 4)
      for (const duration of lines) assert.ok(Number(duration) >= 0, String(duration))
    },
  )

  it(
    formatTitle({
      rule: 'does not extend the timeout of a stalled body',
      source: 'clock_settime(2): the time of day may be set at any moment',
    }),
    { timeout: 20_000 },
    async (test) => {
      test.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 2) })
      const app = createApp({ routes: { Uploaded, Alive }, signals: false, timeouts: { body: 400 } })
      const { port } = await app.listen()
      try {
        const head = 'Host: a\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n'
        const refused = exchange(port, `POST /uploaded HTTP/1.1\r\n${head}\r\nhalf`)
        // The server has checked the connection once.
        await wait(300)
        test.mock.timers.setTime(Date.UTC(2026, 0, 1))
        assert.deepEqual(
          parseAnswers(await refused).map(({ status }) => status),
          [408],
        )
      } finally {
        await app.close()
      }
    },
  )
})

class Uploaded extends Route {
  static readonly post = this.contract({ body: text() })
  post({ body }: Input<typeof Uploaded.post>) {
    return body
  }
}

describe('no file descriptor left', () => {
  it(
    formatTitle({
      rule: 'does not stop the server: open connections work, and new ones when descriptors are free',
      source: 'accept(2): EMFILE',
    }),
    { timeout: 60_000 },
    async () => {
      const server = await startChild({ signals: false }, 'few-descriptors')
      const sockets: Socket[] = []
      try {
        const old = connect({ port: server.port, host: '127.0.0.1' })
        await once(old, 'connect')
        sockets.push(old)
        for (let count = 0; count < 400; count++) {
          sockets.push(connect({ port: server.port, host: '127.0.0.1' }).on('error', () => {}))
        }
        const refused = (): number => sockets.filter(({ destroyed }) => destroyed).length
        for (let tries = 0; refused() <= 50 && tries < 200; tries++) await wait(50)
        assert.ok(refused() > 50, `Only ${refused()} connections were refused: there were descriptors left`)
        const answer = once(old, 'data')
        old.write(get('/alive', ''))
        assert.match(String((await answer)[0]), /^HTTP\/1\.1 200 /)
        for (const socket of sockets) socket.destroy()
        await wait(500)
        assert.equal(server.child.exitCode, null)
        await assertAlive(server.port)
      } finally {
        for (const socket of sockets) socket.destroy()
        await server.stop()
      }
    },
  )
})

describe('a logger that fails', () => {
  const broken = (): never => {
    throw new Error('the disk is full')
  }
  const blocked = (): void => {
    const begin = performance.now()
    while (performance.now() - begin < 30);
  }
  for (const [name, write, devConsole] of [
    ['throws', broken, false],
    ['throws while the console listens', broken, true],
    ['blocks', blocked, false],
  ] as const) {
    it(
      formatTitle({
        rule: `does not affect responses or shutdown: one that ${name}`,
        source: 'Verbena: a log never fails its caller',
      }),
      async () => {
        let closed = 0
        const store = service(() => ({}), {
          close: () => {
            closed++
            throw new Error('cannot close')
          },
        })
        const logger: Logger = { debug: write, info: write, warn: write, error: write }
        const options = { logger, signals: false, devConsole, timeouts: { close: 100 } }
        const app = createApp({ routes: { ...ROUTES, Stuck }, services: { store }, ...options })
        const faults = await unheard(async () => {
          const { port } = await app.listen()
          const statuses = []
          for (const path of ['/timed', '/failing', '/late', '/tasks', '/alive']) {
            statuses.push((await ask(port, path)).status)
          }
          assert.deepEqual(statuses, [200, 500, 503, 200, 200])
          const stuck = exchange(port, get('/stuck'))
          await wait(20)
          await app.close()
          assert.equal((await stuck).length, 0)
        })
        assert.deepEqual(faults, [])
        assert.equal(closed, 1, 'The service was not closed')
      },
    )
  }
})

class Stuck extends Route {
  async get() {
    await new Promise(() => {})
  }
}

describe('rejected promises', () => {
  it(
    formatTitle({
      rule: 'are all handled if Verbena awaits them: late handlers, tasks, streams',
      source: 'Node: an unhandled rejection ends the process',
    }),
    async () => {
      const app = createApp({ routes: ROUTES, logger: false, signals: false })
      const faults = await unheard(async () => {
        const { port } = await app.listen()
        for (const path of ['/late', '/tasks', '/failing']) await exchange(port, get(path))
        await exchange(port, get('/breaking'))
        await wait(60)
        await assertAlive(port)
        await app.close()
      })
      assert.deepEqual(faults, [])
    },
  )

  it(
    formatTitle({
      rule: 'end the process, as in Node, if the application does not handle them',
      source: 'Verbena installs no global handlers',
    }),
    async () => {
      const server = startFaulty('rejecting')
      await exchange(await server.port, get('/forgetful'))
      assert.equal(await server.ended, 1)
      assert.match(server.printed(), /nobody awaits this/)
    },
  )

  it(
    formatTitle({
      rule: 'do not affect the server if the application has a listener',
      source: 'Verbena: the process belongs to the application',
    }),
    async () => {
      const server = startFaulty('heard')
      const port = await server.port
      assert.equal((await ask(port, '/forgetful')).body.toString(), 'answered')
      await server.says('heard')
      await assertAlive(port)
      server.child.kill('SIGTERM')
      assert.equal(await server.ended, 0)
    },
  )
})

/** A backend of a service: a TCP server that can stop and restart on the same port. */
class Backend {
  port = 0
  readonly #sockets = new Set<Socket>()
  #server = createServer()

  async up(): Promise<void> {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket))
      socket.on('data', () => void socket.write('pong\n'))
    })
    this.#server.listen(this.port, '127.0.0.1')
    await once(this.#server, 'listening')
    const address = this.#server.address()
    this.port = typeof address === 'object' && address !== null ? address.port : 0
  }

  async down(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    const closed = once(this.#server, 'close')
    this.#server.close()
    await closed
  }
}

/** Pings a backend over a new connection. */
async function ping(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' })
  try {
    await once(socket, 'connect')
    socket.write('ping\n')
    return String((await once(socket, 'data'))[0]).trim()
  } finally {
    socket.destroy()
  }
}

class Ping extends Route<{ backend: { ping(): Promise<string> } }> {
  get() {
    return this.backend.ping()
  }
}

describe('a service that stops and recovers', () => {
  it(
    formatTitle({
      rule: 'makes the app not ready while it is down, hides details from clients, and is used again',
      source: 'Verbena: readiness follows the checks of the services',
    }),
    async () => {
      const backend = new Backend()
      await backend.up()
      const recipe = service(() => ({ ping: () => ping(backend.port) }), { check: (made) => made.ping() })
      const refused = (error: unknown): HttpError | undefined =>
        Reflect.get(Object(error), 'code') === 'ECONNREFUSED' ? new HttpError(503, 'Try again later') : undefined
      const app = createApp({
        routes: { Ping, ...health() },
        services: { backend: recipe },
        mapError: refused,
        logger: false,
        signals: false,
      })
      const { port } = await app.listen()
      const look = async (): Promise<readonly number[]> => [
        (await ask(port, '/ping')).status,
        (await ask(port, '/readyz')).status,
        (await ask(port, '/livez')).status,
      ]
      try {
        for (let round = 0; round < 3; round++) {
          assert.deepEqual(await look(), [200, 200, 200])
          await backend.down()
          assert.deepEqual(await look(), [503, 503, 200])
          assert.doesNotMatch((await ask(port, '/ping')).body.toString(), /ECONNREFUSED|127\.0\.0\.1/)
          await backend.up()
        }
        assert.deepEqual(await look(), [200, 200, 200])
      } finally {
        await app.close()
        await backend.down()
      }
    },
  )
})
