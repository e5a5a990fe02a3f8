/** Attacks on connections: pipelines, requests behind the last one, slow senders, slow readers, too many of them. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Route, SetupError, stream, type App, type CommonOptions, type Input } from 'verbena'
import { loosely } from '#test/apps.js'
import { PROBE_ROUTES, probeApp } from '#test/probe.js'
import { assertAlive, askStrictly, bytesOf, exchange } from '#test/rows.js'
import { parseAnswers, type StrictAnswer } from '#test/strict-parser.js'

const BAD = '\x00\x01 garbage\r\n\r\n'

async function withApp(options: CommonOptions, task: (port: number, app: App) => Promise<void>): Promise<void> {
  await serving(probeApp(options), task)
}

async function serving(app: App, task: (port: number, app: App) => Promise<void>): Promise<void> {
  const { port } = await app.listen()
  try {
    await task(port, app)
    await assertAlive(port)
  } finally {
    await app.close()
  }
}

const get = (target: string, headers = ''): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`
const statuses = (answers: readonly StrictAnswer[]): number[] => answers.map(({ status }) => status)

/** Sends, and measures how long the connection lives. */
async function lifeOf(
  port: number,
  packets: string | readonly string[],
): Promise<{ ms: number; answers: StrictAnswer[] }> {
  const begin = performance.now()
  const answers = parseAnswers(await exchange(port, packets))
  return { ms: performance.now() - begin, answers }
}

describe('a pipeline', () => {
  it('is answered in order, one at a time', () =>
    withApp({}, async (port) => {
      const requests = [60, 1, 30, 0].map((ms, index) => get(`/slow?ms=${ms}`, `X-Id: ${index}\r\n`))
      const answers = await askStrictly(port, `${requests.join('')}${bytesOf({ target: '/alive' })}`)
      const ids = answers.slice(0, 4).map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id)
      assert.deepEqual(ids, ['0', '1', '2', '3'])
      assert.deepEqual(statuses(answers), [200, 200, 200, 200, 200])
    }))

  it('of requests with bodies is answered in order', () =>
    withApp({}, async (port) => {
      const post = (body: string): string =>
        `POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      const answers = await askStrictly(port, `${post('[1]')}${post('[2]')}${bytesOf({ target: '/alive' })}`)
      assert.deepEqual(
        answers.map(({ body }) => body.toString()),
        ['{"body":[1]}', '{"body":[2]}', 'alive'],
      )
    }))

  it('cut into single bytes is answered the same', () =>
    withApp({}, async (port) => {
      const answers = await askStrictly(port, [...`${get('/alive')}${bytesOf({ target: '/echo/x' })}`])
      assert.deepEqual(statuses(answers), [200, 200])
    }))

  it('gets 400 for what follows, behind the answers and once', () =>
    withApp({}, async (port) => {
      assert.deepEqual(statuses(await askStrictly(port, [get('/alive'), BAD, BAD])), [200, 400])
      // In one packet, newer versions of Node come upon it before the answer has left.
      const [first, ...rest] = statuses(await askStrictly(port, `${get('/alive')}${BAD}${BAD}`))
      assert.equal(first, 200)
      assert.ok(rest.length === 0 || (rest.length === 1 && rest[0] === 400), String(rest))
    }))

  it('gets nothing for what follows while a request is in work: its answer is the last', () =>
    withApp({}, async (port) => {
      for (const bad of [
        BAD,
        'FOO / HTTP/1.1\r\n\r\n',
        'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
        get('/', 'Bad Field: x\r\n'),
      ]) {
        const answers = await askStrictly(port, [get('/slow?ms=80'), bad])
        assert.deepEqual(statuses(answers), [200], bad)
        assert.deepEqual(answers[0]?.headers.get('connection'), ['close'])
        assert.deepEqual(statuses(await askStrictly(port, `${get('/slow?ms=80')}${bad}`)), [200], bad)
      }
    }))

  it('gets one answer when the body in work becomes malformed', () =>
    withApp({}, async (port) => {
      const head =
        'POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
      for (const target of ['/json', '/upload', '/slow?ms=50', '/nothing']) {
        const type = target === '/upload' ? 'application/octet-stream' : 'application/json'
        const answers = await askStrictly(port, [
          head.replace('/json', target).replace('application/json', type),
          '2\r\n[1\r\n',
          'zz\r\n',
        ])
        assert.equal(answers.length, 1, target)
        assert.ok((answers[0]?.status ?? 0) >= 400, target)
      }
    }))

  it('is not served behind an answer that ends the connection', async () => {
    let served = 0
    class Last extends Route {
      get() {
        return new Response('x', { headers: { connection: 'close' } })
      }
    }
    class Count extends Route {
      post() {
        served++
      }
    }
    await serving(loosely({ routes: { ...PROBE_ROUTES, Last, Count }, signals: false }), async (port) => {
      const count = 'POST /count HTTP/1.1\r\nHost: a\r\n\r\n'
      for (const first of [
        get('/last'),
        get('/alive', 'Connection: close\r\n'),
        'GET /alive HTTP/1.0\r\n\r\n',
        'POST /small HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n28\r\n"' +
          `${'a'.repeat(38)}"\r\n0\r\n\r\n`,
      ]) {
        assert.equal((await askStrictly(port, `${first}${count}${count}`)).length, 1, first)
        assert.equal((await askStrictly(port, [first, count])).length, 1, first)
        await wait(20)
        assert.equal(served, 0, first)
      }
    })
  })
})

describe('timeouts.headers', () => {
  const options = { timeouts: { headers: 600, keepAlive: 300 } }

  it('lets a head that comes in time pass, and answers 408 to one that does not', () =>
    withApp(options, async (port) => {
      const head = bytesOf({ target: '/alive' })
      const slowly = await askStrictly(port, [head.slice(0, 5), head.slice(5, 9), head.slice(9)])
      assert.deepEqual(statuses(slowly), [200])
      const { ms, answers } = await lifeOf(port, get('/alive').slice(0, -2))
      assert.deepEqual(statuses(answers), [408])
      assert.ok(ms >= 550 && ms < 3500, `${ms} ms`)
    }))

  it('does not count the drops of a slow one', () =>
    withApp(options, async (port) => {
      const { ms, answers } = await lifeOf(port, [get('/alive').slice(0, -2), ...Array<string>(200).fill('X: y\r\n')])
      assert.deepEqual(statuses(answers), [408])
      assert.ok(ms < 3500, `${ms} ms`)
    }))

  it('ends a connection that sends nothing at all', () =>
    withApp(options, async (port) => {
      const { ms } = await lifeOf(port, '')
      assert.ok(ms < 3500, `${ms} ms`)
    }))
})

describe('timeouts.keepAlive', () => {
  it('keeps an idle connection below, and ends it above', () =>
    withApp({ timeouts: { keepAlive: 400 } }, async (port) => {
      const { ms, answers } = await lifeOf(port, [get('/alive'), ...Array<string>(10).fill(''), get('/alive')])
      assert.deepEqual(statuses(answers), [200, 200])
      // Newer versions of Node add a second, so that a request already on its way still arrives.
      assert.ok(ms >= 400 && ms < 3000, `${ms} ms`)
    }))
})

const upload = (length: number, target = '/json'): string =>
  `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Type: application/${target === '/json' ? 'json' : 'octet-stream'}\r\n` +
  `Content-Length: ${length}\r\nConnection: close\r\n\r\n`

describe('timeouts.body', () => {
  const options = { timeouts: { body: 250 } }

  it('answers 408 when the first byte does not come', () =>
    withApp(options, async (port) => {
      for (const target of ['/json', '/upload']) {
        const { ms, answers } = await lifeOf(port, upload(10, target))
        assert.deepEqual(statuses(answers), [408], target)
        assert.ok(ms >= 230 && ms < 4000, `${ms} ms`)
      }
    }))

  it('answers 408 when a byte between does not come', () =>
    withApp(options, async (port) => {
      for (const target of ['/json', '/upload']) {
        assert.deepEqual(statuses((await lifeOf(port, [upload(10, target), '"a'])).answers), [408], target)
      }
    }))

  it('answers 408 to less than 1 kB a second, however steady', () =>
    withApp(options, async (port) => {
      for (const target of ['/json', '/upload']) {
        const { ms, answers } = await lifeOf(port, [upload(1000, target), ...Array<string>(999).fill('x')])
        assert.deepEqual(statuses(answers), [408], target)
        assert.ok(ms < 4000, `${ms} ms`)
      }
    }))

  it('lets a steady body of more than 1 kB a second pass', () =>
    withApp(options, async (port) => {
      const packets = Array<string>(40).fill('x'.repeat(100))
      const answers = await askStrictly(port, [upload(4000, '/upload'), ...packets])
      assert.deepEqual(statuses(answers), [200])
    }))

  it('does not count the time in which a handler does not read', async () => {
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
      loosely({ routes: { ...PROBE_ROUTES, Sip }, signals: false, timeouts: { body: 250 } }),
      async (port) => {
        const answers = await askStrictly(port, [upload(5, '/sip'), ...'abcde'])
        assert.deepEqual(statuses(answers), [200], answers[0]?.body.toString())
      },
    )
  })
})

describe('timeouts.write', () => {
  /** How long a reader that pauses keeps its connection, and what it got. */
  function readSlowly(port: number, pause: number): Promise<{ bytes: number; ended: boolean }> {
    return new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1' })
      let bytes = 0
      let ended = false
      socket.write(get('/big?size=30000000', 'Connection: close\r\n'))
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

  it('lets a reader that pauses less have all, and cuts one that takes nothing', () =>
    withApp({ timeouts: { write: 500 } }, async (port) => {
      assert.ok((await readSlowly(port, 150)).bytes > 30_000_000)
      const cut = await readSlowly(port, 2500)
      assert.ok(cut.bytes < 30_000_000, `${cut.bytes} bytes`)
    }))
})

describe('timeouts.handler', () => {
  it('answers 503 above, and the value below', () =>
    withApp({ timeouts: { handler: 200 } }, async (port) => {
      assert.deepEqual(statuses(await askStrictly(port, bytesOf({ target: '/slow?ms=50' }))), [200])
      assert.deepEqual(statuses(await askStrictly(port, bytesOf({ target: '/slow?ms=500' }))), [503])
      await wait(400)
    }))
})

describe('limits.connections', () => {
  it('takes as many as the limit, and no more', async () => {
    const app = probeApp({ limits: { connections: 3 } })
    const { port } = await app.listen()
    const sockets = [1, 2, 3].map(() => connect({ port, host: '127.0.0.1' }))
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.write(get('/alive'), resolve))))
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('data', resolve))))
    assert.equal((await exchange(port, get('/alive'))).length, 0)
    sockets[0]?.destroy()
    await wait(50)
    await assertAlive(port)
    for (const socket of sockets) socket.destroy()
    await app.close()
  })
})

describe('a refused connection', () => {
  it('is given up when its client does not close it', () =>
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
    }))
})

describe('app.attach()', () => {
  it('holds its limits and time-outs on a server of the author', async () => {
    const app = probeApp({ limits: { headers: 10, headerBytes: 2000 }, timeouts: { headers: 300 } })
    const server = createServer()
    app.attach(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    // Proof: it listens on a port.
    const { port } = server.address() as AddressInfo
    try {
      const line = (headers: string): string => get('/alive', `Connection: close\r\n${headers}`)
      assert.deepEqual(statuses(await askStrictly(port, line('X: y\r\n'.repeat(9)))), [431])
      assert.deepEqual(statuses(await askStrictly(port, line(`X: ${'y'.repeat(3000)}\r\n`))), [431])
      assert.deepEqual(statuses(await askStrictly(port, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n')), [400])
      await assertAlive(port)
    } finally {
      await app.close()
    }
    assert.equal(server.listening, false)
  })
})

describe('a port in use', () => {
  it('is told, and nothing stays open', () =>
    withApp({}, async (port) => {
      const second = probeApp()
      await assert.rejects(second.listen({ port }), (error: unknown) => {
        assert.ok(error instanceof SetupError)
        assert.match(error.message, new RegExp(`^Cannot listen on 127\\.0\\.0\\.1:${port}: it is in use`))
        return true
      })
      await second.close()
    }))
})

describe('the process', () => {
  it('gets no handler for its uncaught exceptions', () =>
    withApp({}, async () => {
      const installed = ['uncaughtException', 'unhandledRejection'].map((event) => process.listenerCount(event))
      const app = probeApp()
      await app.listen()
      await app.close()
      assert.deepEqual(
        ['uncaughtException', 'unhandledRejection'].map((event) => process.listenerCount(event)),
        installed,
      )
    }))
})
