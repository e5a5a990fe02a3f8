/** Attacks on connections: slow senders, slow readers, too many connections; and attached servers. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Route, SetupError, stream, type Input } from 'verbena'
import { createUntypedApp } from '#test/apps.js'
import { PROBE_ROUTES, probeApp } from '#test/probe.js'
import { sendStrictly, assertAlive, rowBytes, exchange, formatTitle } from '#test/attack-rows.js'
import { formatGet, serving, readStatuses, withApp } from '#test/serving.js'
import { parseAnswers, type StrictAnswer } from '#test/strict-parser.js'

const BAD = '\x00\x01 garbage\r\n\r\n'

/** Sends packets, and measures how long the connection stays open. */
async function lifeOf(
  port: number,
  packets: string | readonly string[],
): Promise<{ ms: number; answers: StrictAnswer[] }> {
  const begin = performance.now()
  const answers = parseAnswers(await exchange(port, packets))
  return { ms: performance.now() - begin, answers }
}

describe('timeouts.headers', () => {
  const options = { timeouts: { headers: 600, keepAlive: 300 } }

  it(
    formatTitle({
      rule: 'accepts headers that arrive in time, and responds 408 otherwise',
      source: 'RFC 9110 §15.5.9',
    }),
    () =>
      withApp(options, async (port) => {
        const head = rowBytes({ target: '/alive' })
        const slowly = await sendStrictly(port, [head.slice(0, 5), head.slice(5, 9), head.slice(9)])
        assert.deepEqual(readStatuses(slowly), [200])
        const { ms, answers } = await lifeOf(port, formatGet('/alive').slice(0, -2))
        assert.deepEqual(readStatuses(answers), [408])
        assert.ok(ms >= 550 && ms < 3500, `${ms} ms`)
      }),
  )

  it(
    formatTitle({
      rule: 'does not extend the time for headers sent in small pieces',
      source: 'CVE-2018-12122: slow headers',
    }),
    () =>
      withApp(options, async (port) => {
        const { ms, answers } = await lifeOf(port, [
          formatGet('/alive').slice(0, -2),
          ...Array<string>(200).fill('X: y\r\n'),
        ])
        assert.deepEqual(readStatuses(answers), [408])
        assert.ok(ms < 3500, `${ms} ms`)
      }),
  )

  it(formatTitle({ rule: 'closes a connection that sends nothing', source: 'RFC 9112 §9.5' }), () =>
    withApp(options, async (port) => {
      const { ms } = await lifeOf(port, '')
      assert.ok(ms < 3500, `${ms} ms`)
    }),
  )
})

describe('timeouts.keepAlive', () => {
  it(
    formatTitle({ rule: 'keeps an idle connection until the timeout, and then closes it', source: 'RFC 9112 §9.5' }),
    () =>
      withApp({ timeouts: { keepAlive: 400 } }, async (port) => {
        const { ms, answers } = await lifeOf(port, [
          formatGet('/alive'),
          ...Array<string>(10).fill(''),
          formatGet('/alive'),
        ])
        assert.deepEqual(readStatuses(answers), [200, 200])
        // Newer versions of Node add a second, so that a request already sent still arrives.
        assert.ok(ms >= 400 && ms < 3000, `${ms} ms`)
      }),
  )
})

const upload = (length: number, target = '/json'): string =>
  `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Type: application/${target === '/json' ? 'json' : 'octet-stream'}\r\n` +
  `Content-Length: ${length}\r\nConnection: close\r\n\r\n`

describe('timeouts.body', () => {
  const options = { timeouts: { body: 250 } }

  it(formatTitle({ rule: 'responds 408 if the first byte does not arrive', source: 'RFC 9110 §15.5.9' }), () =>
    withApp(options, async (port) => {
      for (const target of ['/json', '/upload']) {
        const { ms, answers } = await lifeOf(port, upload(10, target))
        assert.deepEqual(readStatuses(answers), [408], target)
        assert.ok(ms >= 230 && ms < 4000, `${ms} ms`)
      }
    }),
  )

  it(formatTitle({ rule: 'responds 408 if the body stops in the middle', source: 'RFC 9110 §15.5.9' }), () =>
    withApp(options, async (port) => {
      for (const target of ['/json', '/upload']) {
        assert.deepEqual(readStatuses((await lifeOf(port, [upload(10, target), '"a'])).answers), [408], target)
      }
    }),
  )

  it(
    formatTitle({
      rule: 'responds 408 to a steady body of less than 1 kB per second',
      source: 'slow bodies: the rule of mod_reqtimeout',
    }),
    () =>
      withApp(options, async (port) => {
        for (const target of ['/json', '/upload']) {
          const { ms, answers } = await lifeOf(port, [upload(1000, target), ...Array<string>(999).fill('x')])
          assert.deepEqual(readStatuses(answers), [408], target)
          assert.ok(ms < 4000, `${ms} ms`)
        }
      }),
  )

  it(
    formatTitle({
      rule: 'accepts a steady body of more than 1 kB per second',
      source: 'slow bodies: the rule of mod_reqtimeout',
    }),
    () =>
      // A busy machine may pause for longer than the timeout of the other tests.
      withApp({ timeouts: { body: 1_000 } }, async (port) => {
        const packets = Array<string>(100).fill('x'.repeat(100))
        const { ms, answers } = await lifeOf(port, [upload(10_000, '/upload'), ...packets])
        assert.deepEqual(readStatuses(answers), [200])
        assert.ok(ms > 1_000, `${ms} ms`)
      }),
  )

  it(
    formatTitle({
      rule: 'does not count the time in which the handler does not read',
      source: "back-pressure is not the client's fault",
    }),
    async () => {
      class Sip extends Route {
        static readonly post = this.contract({ body: stream() })
        async post({ body }: Input<typeof Sip.post>) {
          let length = 0
          for await (const chunk of body) {
            if (length === 0) await wait(700)
            length += chunk.length
          }
          return { length }
        }
      }
      await serving(
        createUntypedApp({ routes: { ...PROBE_ROUTES, Sip }, signals: false, timeouts: { body: 250 } }),
        async (port) => {
          const answers = await sendStrictly(port, [upload(5, '/sip'), ...'abcde'])
          assert.deepEqual(readStatuses(answers), [200], answers[0]?.body.toString())
        },
      )
    },
  )
})

describe('timeouts.write', () => {
  /** Reads a large response with a pause; returns the received bytes, and whether the response was complete. */
  function readSlowly(port: number, pause: number): Promise<{ bytes: number; ended: boolean }> {
    return new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1' })
      let bytes = 0
      let ended = false
      socket.write(formatGet('/big?size=30000000', 'Connection: close\r\n'))
      socket.once('data', () => {
        socket.pause()
        setTimeout(() => socket.resume(), pause)
      })
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      socket.on('end', () => {
        ended = true
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve({ bytes, ended }))
    })
  }

  it(
    formatTitle({
      rule: 'sends everything to a reader with a short pause, and cuts a reader that stops reading',
      source: 'slow readers: CWE-400',
    }),
    () =>
      withApp({ timeouts: { write: 500 } }, async (port) => {
        assert.ok((await readSlowly(port, 150)).bytes > 30_000_000)
        const cut = await readSlowly(port, 2500)
        assert.ok(cut.bytes < 30_000_000, `${cut.bytes} bytes`)
      }),
  )
})

describe('timeouts.handler', () => {
  it(
    formatTitle({ rule: 'responds 503 after the timeout, and with the value before it', source: 'RFC 9110 §15.6.4' }),
    () =>
      withApp({ timeouts: { handler: 200 } }, async (port) => {
        assert.deepEqual(readStatuses(await sendStrictly(port, rowBytes({ target: '/slow?ms=50' }))), [200])
        assert.deepEqual(readStatuses(await sendStrictly(port, rowBytes({ target: '/slow?ms=500' }))), [503])
        await wait(400)
      }),
  )
})

describe('limits.connections', () => {
  it(formatTitle({ rule: 'accepts as many connections as the limit, and no more', source: 'CWE-770' }), async () => {
    const app = probeApp({ limits: { connections: 3 } })
    const { port } = await app.listen()
    const sockets = [1, 2, 3].map(() => connect({ port, host: '127.0.0.1' }))
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.write(formatGet('/alive'), resolve))))
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('data', resolve))))
    assert.equal((await exchange(port, formatGet('/alive'))).length, 0)
    sockets[0]?.destroy()
    await wait(50)
    await assertAlive(port)
    for (const socket of sockets) socket.destroy()
    await app.close()
  })
})

describe('a rejected connection', () => {
  it(formatTitle({ rule: 'is closed by the server if the client does not close it', source: 'RFC 9112 §9.6' }), () =>
    withApp({}, async (port) => {
      for (const bytes of [BAD, 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 'FOO / HTTP/1.1\r\n\r\n']) {
        const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
        socket.on('error', () => {}).resume()
        socket.write(bytes, 'latin1')
        // The client keeps its side open; the server must close the connection.
        const begin = performance.now()
        while (!socket.destroyed && performance.now() - begin < 5000) {
          socket.write('x')
          await wait(50)
        }
        assert.ok(socket.destroyed, JSON.stringify(bytes))
      }
    }),
  )
})

describe('app.attach()', () => {
  it(
    formatTitle({
      rule: 'applies its limits and timeouts to an attached server',
      source: 'Verbena: limits belong to the app',
    }),
    async () => {
      const app = probeApp({ limits: { headers: 10, headerBytes: 2000 }, timeouts: { headers: 300 } })
      const server = createServer()
      app.attach(server)
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      // Proof: the server listens on a TCP port.
      const { port } = server.address() as AddressInfo
      try {
        const line = (headers: string): string => formatGet('/alive', `Connection: close\r\n${headers}`)
        assert.deepEqual(readStatuses(await sendStrictly(port, line('X: y\r\n'.repeat(9)))), [431])
        assert.deepEqual(readStatuses(await sendStrictly(port, line(`X: ${'y'.repeat(3000)}\r\n`))), [431])
        assert.deepEqual(readStatuses(await sendStrictly(port, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n')), [400])
        await assertAlive(port)
      } finally {
        await app.close()
      }
      assert.equal(server.listening, false)
    },
  )
})

describe('a port in use', () => {
  it(
    formatTitle({
      rule: 'is reported, and leaves nothing open',
      source: 'Verbena: a failed listen releases everything',
    }),
    () =>
      withApp({}, async (port) => {
        const second = probeApp()
        await assert.rejects(second.listen({ port }), (error: unknown) => {
          assert.ok(error instanceof SetupError)
          assert.match(error.message, new RegExp(`^Cannot listen on 127\\.0\\.0\\.1:${port}: it is in use`))
          return true
        })
        await second.close()
      }),
  )
})

describe('the process', () => {
  it(
    formatTitle({
      rule: 'gets no handler for uncaught exceptions',
      source: 'Verbena: the process belongs to the application',
    }),
    () =>
      withApp({}, async () => {
        const installed = ['uncaughtException', 'unhandledRejection'].map((event) => process.listenerCount(event))
        const app = probeApp()
        await app.listen()
        await app.close()
        assert.deepEqual(
          ['uncaughtException', 'unhandledRejection'].map((event) => process.listenerCount(event)),
          installed,
        )
      }),
  )
})
