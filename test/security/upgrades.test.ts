/** Attacks on upgrades: cross-origin pages, slow and malformed handshakes, and clients that never disconnect. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { bearer, group, provide, Route, type CommonOptions, type Routes } from 'verbena'
import { upgrade, type UpgradeNeeds } from 'verbena/upgrade'
import { captureLog, createGate, createUntypedApp } from '#test/apps.js'
import { onCleanup } from '#test/cleanup.js'
import { until } from '#test/e2e.js'
import { startChild } from '#test/probe-child.js'
import { formatTitle } from '#test/attack-rows.js'
import {
  requestUpgrade,
  attachUpgrade,
  hail,
  Raw,
  SERVED,
  parseStatus,
  SWITCHING,
  type ServedUpgrade,
} from '#test/upgrades.js'

interface Opened {
  readonly port: number
  readonly calls: { count: number }
}

async function open(
  t: TestContext,
  served: ServedUpgrade,
  routes: Routes,
  options: CommonOptions = {},
): Promise<Opened> {
  const calls = { count: 0 }
  const count = provide({ guard: true }, ({ request }) => {
    calls.count++
    return request.id
  })
  const { logger } = captureLog()
  const counted = { '/': group({ uses: { count }, routes }) }
  const app = createUntypedApp({
    routes: counted,
    logger,
    signals: false,
    devConsole: false,
    ...served.options,
    ...options,
  })
  const port = await served.open(app)
  onCleanup(t, () => app.close())
  return { port, calls }
}

const live = (needs: UpgradeNeeds = {}) => upgrade(needs, (_, socket) => void socket.end(SWITCHING))
const HOST = 'a'

/** Origins that an app at `http://a` rejects if it trusts `https://app.example` and the subdomains of `preview.example`. */
const REFUSED_ORIGINS = [
  ...[
    'http://b',
    'https://a',
    'http://a:80',
    'http://a.b',
    'http://a@b',
    'http://A',
    'a',
    'null',
    '',
    ' ',
    '*',
    'http://',
  ],
  ...['https://app.example.evil.test', 'https://app.example:444', 'http://app.example', 'https://evil.app.example'],
  ...[
    'https://preview.example',
    'https://x.preview.example.evil.test',
    'https://app.example, http://a',
    'https://app.example/',
  ],
  ...['file://', 'chrome-extension://a', 'http://a\x00', 'http://[::1]', 'x'.repeat(4000)],
]
const TRUSTED_ORIGINS = [`http://${HOST}`, 'https://app.example', 'https://x.y.preview.example']
const NAMED = ['https://app.example', 'https://*.preview.example']

describe('cross-origin pages', () => {
  const [served = assert.fail()] = SERVED
  const statusFor = async (port: number, fields: string): Promise<number> =>
    parseStatus(await requestUpgrade(port, hail('/live', fields)))

  it(
    formatTitle({
      rule: 'cannot connect with any other origin',
      source: 'CWE-1385: cross-site WebSocket hijacking',
    }),
    async (t) => {
      const { port, calls } = await open(t, served, { '/live': live({ origins: NAMED }) })
      for (const origin of REFUSED_ORIGINS) {
        const status = await statusFor(port, `Origin: ${origin}\r\n`)
        assert.ok(status === 403 || status === 400, `${JSON.stringify(origin)}: ${status}`)
      }
      assert.equal(await statusFor(port, 'Origin: http://a\r\nOrigin: http://b\r\n'), 403)
      assert.equal(calls.count, 0, 'a guard ran before the origin check')
    },
  )

  it(
    formatTitle({
      rule: 'can connect if they are trusted, like pages of the same host and clients that are not browsers',
      source: 'RFC 6455 §10.2',
    }),
    async (t) => {
      const { port } = await open(t, served, { '/live': live({ origins: NAMED }) })
      for (const origin of TRUSTED_ORIGINS) assert.equal(await statusFor(port, `Origin: ${origin}\r\n`), 101, origin)
      for (const origin of TRUSTED_ORIGINS) {
        const status = await statusFor(port, `Origin: ${origin}\r\nSec-Fetch-Site: cross-site\r\n`)
        assert.equal(status, origin === `http://${HOST}` ? 403 : 101, `cross-site ${origin}`)
      }
      assert.equal(await statusFor(port, ''), 101)
    },
  )

  it(
    formatTitle({
      rule: 'can connect if "cors" trusts them with credentials, but not without credentials',
      source: 'Fetch standard §3.2.5',
    }),
    async (t) => {
      const origins = 'https://app.example'
      const routes = {
        '/live': live(),
        '/open': group({ cors: { origins }, routes: { '/live': live() } }),
        '/none': group({ cors: false, routes: { '/live': live() } }),
      }
      const { port } = await open(t, served, routes, { cors: { origins, credentials: true } })
      const ask = async (path: string): Promise<number> =>
        parseStatus(await requestUpgrade(port, hail(path, `Origin: ${origins}\r\n`)))
      assert.deepEqual([await ask('/live'), await ask('/open/live'), await ask('/none/live')], [101, 403, 403])
    },
  )

  it(
    formatTitle({
      rule: 'can connect if a function accepts them, but not if it throws',
      source: 'the option "origins"',
    }),
    async (t) => {
      const origins = (origin: string): boolean => {
        if (origin === 'https://broken.example') throw new Error('no')
        return origin === 'https://app.example'
      }
      const { port } = await open(t, served, { '/live': live({ origins }), '/all': live({ origins: '*' }) })
      assert.equal(await statusFor(port, 'Origin: https://app.example\r\n'), 101)
      assert.equal(await statusFor(port, 'Origin: https://broken.example\r\n'), 403)
      assert.equal(await statusFor(port, 'Origin: null\r\n'), 403)
      assert.equal(parseStatus(await requestUpgrade(port, hail('/all', 'Origin: https://else.example\r\n'))), 101)
    },
  )

  it(
    formatTitle({ rule: 'are compared with the host sent by a trusted proxy', source: 'RFC 7239 §5.3' }),
    async (t) => {
      const { port } = await open(t, served, { '/live': live() }, { trustProxy: ['127.0.0.1'] })
      const forwarded = 'X-Forwarded-Host: app.example\r\nX-Forwarded-Proto: https\r\n'
      assert.equal(await statusFor(port, `${forwarded}Origin: https://app.example\r\n`), 101)
      assert.equal(await statusFor(port, `${forwarded}Origin: http://a\r\n`), 403)
    },
  )
})

for (const served of SERVED) {
  const { scheme } = served
  describe(`attacks on upgrades over ${served.name}`, () => {
    const user = bearer((token) => token === 'a')

    it(
      formatTitle({
        rule: 'cannot bypass guards with another method, version, spelling or protocol',
        source: 'RFC 9110 §7.8',
      }),
      async (t) => {
        const guarded = group({ uses: { user }, routes: { '/live': live() } })
        const { port } = await open(t, served, { '/v1': guarded })
        const good = hail('/v1/live')
        const ROWS: readonly (readonly [what: string, bytes: string, status: number])[] = [
          ['as it should be', good, 401],
          ['POST', good.replace('GET', 'POST'), 405],
          ['HEAD', good.replace('GET', 'HEAD'), 426],
          ['HTTP/1.0', good.replace('HTTP/1.1', 'HTTP/1.0'), 426],
          ['absolute form', good.replace('/v1', 'http://a/v1'), 401],
          ['a query', good.replace('/live', '/live?a=/v1'), 401],
          ['an encoded literal', good.replace('/live', '/%6cive'), 404],
          ['a slash at the end', good.replace('/live', '/live/'), 404],
          ['two slashes', good.replace('/live', '//live'), 404],
          ['dots', good.replace('/live', '/../v1/live'), 400],
          ['another protocol', good.replace('websocket', 'h2c'), 426],
          ['a version of the protocol', good.replace('websocket', 'websocket/13'), 426],
          ['the protocol among others', good.replace('websocket', 'h2c, WebSocket'), 401],
          ['the protocol in another field', good.replace('websocket\r\n', 'h2c\r\nUpgrade: websocket\r\n'), 401],
          ['no option of the connection', good.replace('Connection: Upgrade\r\n', ''), 426],
          ['no host', good.replace('Host: a\r\n', ''), 400],
          ['two hosts', good.replace('Host: a', 'Host: a\r\nHost: b'), 400],
          ['a large head', good.replace('Host: a', `Host: a\r\n${'X: y\r\n'.repeat(300)}Z: z`), 431],
          ['an expectation', good.replace('Host: a', 'Host: a\r\nExpect: 100-continue'), 426],
          ['two lengths', good.replace('Host: a', 'Host: a\r\nContent-Length: 0\r\nContent-Length: 4'), 400],
        ]
        for (const [what, bytes, status] of ROWS) {
          const text = await requestUpgrade(port, bytes, scheme)
          assert.equal(parseStatus(text), status, `${what}: ${text.slice(0, 200)}`)
        }
      },
    )

    it(
      formatTitle({
        rule: 'cannot smuggle a request in a body or after a request',
        source: 'RFC 9112 §6.3: a body does not belong to another protocol',
      }),
      async (t) => {
        class Notes extends Route {
          get() {
            return 'notes'
          }
        }
        const { port } = await open(t, served, { '/live': live(), Notes })
        const inner = 'GET /notes HTTP/1.1\r\nHost: a\r\n\r\n'
        const bodied = hail('/live', `Content-Length: ${inner.length}\r\n`) + inner
        const chunked = `${hail('/live', 'Transfer-Encoding: chunked\r\n')}${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`
        for (const bytes of [
          bodied,
          chunked,
          hail('/notes') + inner,
          hail('/notes', 'Content-Length: 3\r\n') + inner,
        ]) {
          const text = await requestUpgrade(port, bytes, scheme)
          assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, text)
        }
        assert.equal(parseStatus(await requestUpgrade(port, bodied, scheme)), 426)
      },
    )

    it(
      formatTitle({
        rule: 'leave no connection open after a rejection, even if the client does not disconnect',
        source: 'RFC 9112 §9.6',
      }),
      async (t) => {
        const { port } = await open(t, served, { '/live': live({ uses: { user } }) })
        const raws = Array.from({ length: 20 }, () => new Raw(port, scheme))
        for (const raw of raws) {
          raw.socket.on('end', () => {})
          raw.write(`${hail('/live')}${'x'.repeat(100_000)}`)
        }
        const texts = await Promise.all(raws.map((raw) => raw.closed))
        assert.deepEqual([...new Set(texts.map(parseStatus))], [401])
      },
    )
  })
}

describe('slow and many upgrades', () => {
  const [served = assert.fail()] = SERVED

  it(formatTitle({ rule: 'time out like other request headers', source: 'timeouts.headers' }), async (t) => {
    const { port } = await open(t, served, { '/live': live() }, { timeouts: { headers: 200 } })
    const raw = new Raw(port).write('GET /live HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgr')
    assert.equal(parseStatus(await raw.closed), 408)
  })

  it(formatTitle({ rule: 'count as connections', source: 'limits.connections' }), async (t) => {
    const { port } = await open(
      t,
      served,
      { '/live': upgrade({}, (_, socket) => void socket.write(SWITCHING)) },
      { limits: { connections: 2 } },
    )
    const raws = [new Raw(port), new Raw(port)]
    for (const raw of raws) await raw.write(hail('/live')).until(SWITCHING)
    assert.equal(await requestUpgrade(port, hail('/live')), '')
    raws[0]?.socket.resetAndDestroy()
    await until(async () => {
      const raw = new Raw(port).write(hail('/live'))
      await Promise.race([once(raw.socket, 'data'), raw.closed])
      return parseStatus(raw.text) === 101
    }, 'a place for one more')
    raws[1]?.socket.destroy()
  })

  it(
    formatTitle({ rule: 'are cut at the deadline if they do not end when the app closes', source: 'timeouts.close' }),
    async () => {
      const { logger, lines } = captureLog()
      const stuck = upgrade({}, (_, socket) => {
        // The handler reads, but does not end the connection.
        socket.write(SWITCHING)
        socket.on('data', () => {})
      })
      const routes = { '/live': stuck }
      const app = createUntypedApp({ routes, logger, signals: false, timeouts: { close: 60 } })
      const port = await attachUpgrade(app)
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      socket.on('error', () => {}).write(hail('/live'))
      await once(socket, 'data')
      const begin = performance.now()
      await app.close()
      assert.ok(performance.now() - begin < 1000)
      assert.ok(lines.some(({ message }) => message === 'App closed before all requests and tasks were done'))
      socket.destroy()
    },
  )

  it(formatTitle({ rule: 'are rejected while the app closes', source: 'close()' }), async () => {
    const [begun, letGo] = [createGate(), createGate()]
    const slow = provide({ guard: true }, async () => {
      begun.open()
      await letGo.opened
    })
    const app = createUntypedApp({ routes: { '/live': live({ uses: { slow } }) }, signals: false })
    const { port } = await app.listen()
    const text = requestUpgrade(port, hail('/live'))
    await begun.opened
    const closed = app.close()
    letGo.open()
    assert.match(await text, /^HTTP\/1\.1 503 [^]*The server is closing/)
    await closed
  })

  it(
    formatTitle({ rule: 'do not delay a closing app: 10,000 idle connections end immediately', source: 'close()' }),
    async () => {
      const child = await startChild({ signals: false, timeouts: { close: 60_000 } }, 'attached', 'upgrades')
      try {
        const raws: Raw[] = []
        for (let round = 0; round < 50; round++) {
          const some = Array.from({ length: 200 }, () => new Raw(child.port).write(hail('/idle')))
          await Promise.all(some.map((raw) => raw.until(SWITCHING)))
          raws.push(...some)
        }
        assert.equal((await child.measure()).connections, 10_000)
        const begin = performance.now()
        const ended = Promise.all(raws.map((raw) => raw.closed))
        assert.equal(await child.ask('close'), 'closed')
        assert.ok(performance.now() - begin < 10_000, `took ${performance.now() - begin} ms`)
        await ended
      } finally {
        await child.stop()
      }
    },
  )
})
