/** Attacks on connections: slow senders, slow readers, too many of them; and the server of an author, and its end. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Route, SetupError, stream, type Input } from 'verbena'
import { createUntypedApp } from '#test/apps.js'
import { PROBE_ROUTES, probeApp } from '#test/probe.js'
import { sendStrictly, assertAlive, rowBytes, exchange, formatTitle } from '#test/rows.js'
import { getOf, serving, statusesOf, withApp } from '#test/serving.js'
import { parseAnswers, type StrictAnswer } from '#test/strict-parser.js'

const BAD = '\x00\x01 garbage\r\n\r\n'

/** Sends, and measures how long the connection lives. */
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
      rule: 'lets a head that comes in time pass, and answers 408 to one that does not',
      source: 'RFC 9110 §15.5.9',
    }),
    () =>
      withApp(options, async (port) => {
        const head = rowBytes({ target: '/alive' })
        const slowly = await sendStrictly(port, [head.slice(0, 5), head.slice(5, 9), head.slice(9)])
        assert.deepEqual(statusesOf(slowly), [200])
        const { ms, answers } = await lifeOf(port, getOf('/alive').slice(0, -2))
        assert.deepEqual(statusesOf(answers), [408])
        assert.ok(ms >= 550 && ms < 3500, `${ms} ms`)
      }),
  )

  it(formatTitle({ rule: 'does not count the drops of a slow one', source: 'CVE-2018-12122: slow heads' }), () =>
    withApp(options, async (port) => {
      const { ms, answers } = await lifeOf(port, [getOf('/alive').slice(0, -2), ...Array<string>(200).fill('X: y\r\n')])
      assert.deepEqual(statusesOf(answers), [408])
      assert.ok(ms < 3500, `${ms} ms`)
    }),
  )

  it(formatTitle({ rule: 'ends a connection that sends nothing at all', source: 'RFC 9112 §9.5' }), () =>
    withApp(options, async (port) => {
      const { ms } = await lifeOf(port, '')
      assert.ok(ms < 3500, `${ms} ms`)
    }),
  )
})

describe('timeouts.keepAlive', () => {
  it(formatTitle({ rule: 'keeps an idle connection below, and ends it above', source: 'RFC 9112 §9.5' }), () =>
    withApp({ timeouts: { keepAlive: 400 } }, async (port) => {
      const { ms, answers } = await lifeOf(port, [getOf('/alive'), ...Array<string>(10).fill(''), getOf('/alive')])
      assert.deepEqual(statusesOf(answers), [200, 200])
      // Newer versions of Node add a second, so that a request already on its way still arrives.
      assert.ok(ms >= 400 && ms < 3000, `${ms} ms`)
    }),
  )
})

const upload = (length: number, target = '/json'): string =>
  `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Type: application/${target === '/json' ? 'json' : 'octet-stream'}\r\n` +
  `Content-Length: ${length}\r\nConnection: close\r\n\r\n`

describe('timeouts.body', () => {
  const options = { timeouts: { body: 250 } }

  it(formatTitle({ rule: 'answers 408 when the first byte does not come', source: 'RFC 9110 §15.5.9' }), () =>
    withApp(options, async (port) => {
      for (const target of ['/json', '/upload']) {
        const { ms, answers } = await lifeOf(port, upload(10, target))
        assert.deepEqual(statusesOf(answers), [408], target)
        assert.ok(ms >= 230 && ms < 4000, `${ms} ms`)
      }
    }),
  )

  it(formatTitle({ rule: 'answers 408 when a byte between does not come', source: 'RFC 9110 §15.5.9' }), () =>
    withApp(options, async (port) => {
      for (const target of ['/json', '/upload']) {
        assert.deepEqual(statusesOf((await lifeOf(port, [upload(10, target), '"a'])).answers), [408], target)
      }
    }),
  )

  it(
    formatTitle({
      rule: 'answers 408 to less than 1 kB a second, however steady',
      source: 'slow bodies: the rule of mod_reqtimeout',
    }),
    () =>
      withApp(options, async (port) => {
        for (const target of ['/json', '/upload']) {
          const { ms, answers } = await lifeOf(port, [upload(1000, target), ...Array<string>(999).fill('x')])
          assert.deepEqual(statusesOf(answers), [408], target)
          assert.ok(ms < 4000, `${ms} ms`)
        }
      }),
  )

  it(
    formatTitle({
      rule: 'lets a steady body of more than 1 kB a second pass',
      source: 'slow bodies: the rule of mod_reqtimeout',
    }),
    () =>
      withApp(options, async (port) => {
        const packets = Array<string>(40).fill('x'.repeat(100))
        const answers = await sendStrictly(port, [upload(4000, '/upload'), ...packets])
        assert.deepEqual(statusesOf(answers), [200])
      }),
  )

  it(
    formatTitle({
      rule: 'does not count the time in which a handler does not read',
      source: 'back-pressure is no fault of the client',
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
          assert.deepEqual(statusesOf(answers), [200], answers[0]?.body.toString())
        },
      )
    },
  )
})

describe('timeouts.write', () => {
  /** How long a reader that pauses keeps its connection, and what it got. */
  function readSlowly(port: number, pause: number): Promise<{ bytes: number; ended: boolean }> {
    return new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1' })
      let bytes = 0
      let ended = false
      socket.write(getOf('/big?size=30000000', 'Connection: close\r\n'))
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
      rule: 'lets a reader that pauses less have all, and cuts one that takes nothing',
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
  it(formatTitle({ rule: 'answers 503 above, and the value below', source: 'RFC 9110 §15.6.4' }), () =>
    withApp({ timeouts: { handler: 200 } }, async (port) => {
      assert.deepEqual(statusesOf(await sendStrictly(port, rowBytes({ target: '/slow?ms=50' }))), [200])
      assert.deepEqual(statusesOf(await sendStrictly(port, rowBytes({ target: '/slow?ms=500' }))), [503])
      await wait(400)
    }),
  )
})

describe('limits.connections', () => {
  it(formatTitle({ rule: 'takes as many as the limit, and no more', source: 'CWE-770' }), async () => {
    const app = probeApp({ limits: { connections: 3 } })
    const { port } = await app.listen()
    const sockets = [1, 2, 3].map(() => connect({ port, host: '127.0.0.1' }))
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.write(getOf('/alive'), resolve))))
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('data', resolve))))
    assert.equal((await exchange(port, getOf('/alive'))).length, 0)
    sockets[0]?.destroy()
    await wait(50)
    await assertAlive(port)
    for (const socket of sockets) socket.destroy()
    await app.close()
  })
})

describe('a refused connection', () => {
  it(formatTitle({ rule: 'is given up when its client does not close it', source: 'RFC 9112 §9.6' }), () =>
    withApp({}, async (port) => {
      for (const bytes of [BAD, 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 'FOO / HTTP/1.1\r\n\r\n']) {
        const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
        socket.on('error', () => {}).resume()
        socket.write(bytes, 'latin1')
        // Its side stays open: what it writes must come to be refused.
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
      rule: 'holds its limits and time-outs on a server of the author',
      source: 'own rule: the limits come with the app',
    }),
    async () => {
      const app = probeApp({ limits: { headers: 10, headerBytes: 2000 }, timeouts: { headers: 300 } })
      const server = createServer()
      app.attach(server)
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      // Proof: it listens on a port.
      const { port } = server.address() as AddressInfo
      try {
        const line = (headers: string): string => getOf('/alive', `Connection: close\r\n${headers}`)
        assert.deepEqual(statusesOf(await sendStrictly(port, line('X: y\r\n'.repeat(9)))), [431])
        assert.deepEqual(statusesOf(await sendStrictly(port, line(`X: ${'y'.repeat(3000)}\r\n`))), [431])
        assert.deepEqual(statusesOf(await sendStrictly(port, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n')), [400])
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
    formatTitle({ rule: 'is told, and nothing stays open', source: 'own rule: a failed listen leaves nothing behind' }),
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
      rule: 'gets no handler for its uncaught exceptions',
      source: 'own rule: the process belongs to its author',
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
