/** Access to the console: every combination of peer, `Host`, `Origin` and token. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { TrustedProxies } from '#src/http/forwarded.js'
import { MountedConsole } from '#src/devconsole/serve/mount.js'
import { isOfFastPath } from '#test/apps.js'
import { createExchange, createHost } from '#test/console-host.js'
import { HOSTS, ORIGINS, originFields, PEERS, PROXIES, SITES, type Origin } from '#test/visitors.js'
import { actionToken, openConsole, post, readStatus, type TestConsole } from '#test/console.js'

/** Status of the app, if the console does not handle the request. */
const LEFT = 404

const TOKEN = 'a-token-of-the-option'
/** Requests to the console, with the kind of response for an allowed client. */
const REQUESTS = [
  { method: 'GET', url: '/__dev__', kind: 'document' },
  { method: 'GET', url: '/__dev__/requests', kind: 'document' },
  { method: 'GET', url: '/__dev__/api/metrics', kind: 'read' },
  { method: 'POST', url: '/__dev__/api/clear', kind: 'action' },
  { method: 'OPTIONS', url: '/__dev__/api/clear', kind: 'preflight' },
  { method: 'HEAD', url: '/__dev__', kind: 'wrong method' },
  { method: 'PUT', url: '/__dev__/api/clear', kind: 'wrong method' },
  { method: 'POST', url: '/__dev__', kind: 'wrong method' },
  { method: 'GET', url: '/__dev__/session', kind: 'wrong method' },
] as const
const TOKENS = ['absent', 'wrong', 'right'] as const

interface Cell {
  readonly peer: (typeof PEERS)[keyof typeof PEERS]
  readonly host: 'known' | 'unknown' | 'malformed'
  readonly origin: Origin
  readonly site: (typeof SITES)[number]
  readonly request: (typeof REQUESTS)[number]
  readonly token: (typeof TOKENS)[number]
  readonly isForwarded: boolean
  readonly hasSession: boolean
}

/** The status of a cell: the first rule that applies. */
function expectedOf(cell: Cell): number {
  const { peer, host, origin, site, request, token, isForwarded, hasSession } = cell
  const { kind } = request
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const isTyped =
    site === 'none' && isRead && request.url !== '/__dev__/api/metrics' && request.url !== '/__dev__/session'
  const rules: readonly (readonly [boolean, number])[] = [
    [isForwarded || peer === 'remote', LEFT],
    [host === 'malformed', 400],
    [host === 'unknown', 403],
    [kind === 'preflight', 403],
    [origin === 'other' || origin === 'null' || origin === 'twice', 403],
    [origin !== 'absent' && site === 'absent' && isRead, 403],
    [site !== 'absent' && site !== 'same-origin' && !isTyped, 403],
    [kind === 'wrong method', 405],
    [!hasSession, 401],
    [kind === 'action' && token !== 'right', 403],
  ]
  return rules.find(([holds]) => holds)?.[1] ?? 200
}

function statusAt(console: MountedConsole, asked: Parameters<typeof createExchange>[0]): number | Promise<number> {
  const { exchange, answers } = createExchange(asked)
  if (!console.respondsTo(exchange)) return LEFT
  const [answer] = answers
  return answer === undefined
    ? new Promise((resolve) => setImmediate(() => resolve(answers[0]?.status ?? 0)))
    : answer.status
}

describe('console guard', () => {
  const options = { allow: ['172.17.0.1'], token: TOKEN, allowedHosts: ['dev.example'] }
  const console = new MountedConsole(createHost({ isGuarded: true, options }))

  /** Session cookies, one for each port in `HOSTS`. */
  async function session(): Promise<string> {
    const rawHeaders = ['Host', 'localhost', 'Content-Type', 'application/json']
    const asked = createExchange({
      method: 'POST',
      url: '/__dev__/session',
      rawHeaders,
      body: JSON.stringify({ token: TOKEN }),
    })
    console.respondsTo(asked.exchange)
    await turn()
    const cookie = asked.answers[0]?.headers.get('set-cookie') ?? ''
    assert.match(cookie, /^__dev=[\w.-]+; HttpOnly; SameSite=Strict; Path=\/__dev__$/)
    const [name] = cookie.split(';')
    return `${name}; ${name?.replace('=', '_3000=')}`
  }

  async function pageToken(cookie: string): Promise<string> {
    const asked = createExchange({ rawHeaders: ['Host', 'localhost', 'Cookie', cookie] })
    console.respondsTo(asked.exchange)
    await turn()
    return /name="dev-token" content="([\w-]+)"/.exec(String(asked.answers[0]?.payload.data))?.[1] ?? ''
  }

  it('responds with the status that the rules define for every combination of client, host, origin and session', async () => {
    const cookie = await session()
    const right = await pageToken(cookie)
    const wrong: string[] = []
    let cells = 0
    for (const [ip, peer] of Object.entries(PEERS)) {
      for (const [hosts, host] of HOSTS) {
        for (const origin of ORIGINS) {
          for (const site of SITES) {
            for (const proxy of PROXIES) {
              for (const request of REQUESTS) {
                for (const [token, hasSession] of TOKENS.flatMap(
                  (each) =>
                    [
                      [each, true],
                      [each, false],
                    ] as const,
                )) {
                  const cell = { peer, host, origin, site, request, token, isForwarded: proxy.length > 0, hasSession }
                  const rawHeaders = [
                    ...hosts.flatMap((name) => ['Host', name]),
                    ...originFields(origin, hosts[0] ?? ''),
                    ...(site === 'absent' ? [] : ['Sec-Fetch-Site', site]),
                    ...proxy,
                    ...(token === 'absent' ? [] : ['X-Dev-Token', token === 'right' ? right : 'wrong']),
                    ...(hasSession ? ['Cookie', cookie] : []),
                    ...['Content-Type', 'application/json'],
                  ]
                  const { method, url } = request
                  const status = await statusAt(console, { method, url, ip, rawHeaders })
                  cells++
                  if (status !== expectedOf(cell))
                    wrong.push(`${status} for ${ip} ${method} ${url} ${rawHeaders.join(' ')}`)
                }
              }
            }
          }
        }
      }
    }
    assert.deepEqual(wrong.slice(0, 10), [])
    assert.equal(cells, 8 * 11 * 6 * 6 * 4 * 9 * 6)
  })

  it('recognizes all proxy headers', () => {
    const names = [
      'x-forwarded-for',
      'X-Forwarded-Host',
      'X-FORWARDED-PROTO',
      'x-forwarded-anything',
      'forwarded',
      'via',
      'x-real-ip',
      'x-forwarded',
      'forwarded-for',
      'cf-connecting-ip',
      'CF-Ray',
      'True-Client-IP',
      'Client-IP',
      'CDN-Loop',
      'X-Original-URL',
      'X-Envoy-External-Address',
      'X-Azure-ClientIP',
      'X-ARR-SSL',
      'X-Vercel-Id',
    ]
    for (const name of names) {
      assert.equal(statusAt(console, { rawHeaders: ['Host', 'localhost', name, ''] }), LEFT, name)
    }
  })

  it('accepts the whole loopback network, and host names in any case', async () => {
    assert.equal(await statusAt(console, { ip: '127.9.9.9' }), 401)
    assert.equal(await statusAt(console, { rawHeaders: ['host', 'LocalHost:65535'] }), 401)
    assert.equal(await statusAt(console, { rawHeaders: ['host', '127.0.0.1.evil.test'] }), 403)
  })
})

describe('open console guard', () => {
  const proxies = new TrustedProxies(['127.0.0.2', '10.0.0.1'])
  const console = new MountedConsole(createHost({ proxies }))
  const RULES: readonly (readonly [ip: string, minorVersion: number, fields: readonly string[], status: number])[] = [
    ['127.0.0.1', 1, [], 200],
    ['::1', 1, [], 200],
    ['127.0.0.1', 0, [], 401],
    ['::ffff:127.0.0.1', 0, [], 401],
    ['127.0.0.1', 1, ['Via', '1.1 x'], LEFT],
    ['127.0.0.2', 1, [], 200],
    ['127.0.0.2', 1, ['X-Forwarded-For', '127.0.0.1'], 401],
    ['127.0.0.2', 0, ['X-Forwarded-For', '127.0.0.1'], 401],
    ['127.0.0.2', 1, ['X-Real-IP', '127.0.0.1'], 401],
    ['127.0.0.2', 1, ['X-Forwarded-For', '8.8.8.8'], LEFT],
    ['10.0.0.1', 1, ['X-Forwarded-For', '127.0.0.1'], LEFT],
    ['10.0.0.1', 1, [], LEFT],
  ]
  for (const [ip, minorVersion, fields, status] of RULES) {
    it(`responds ${status} to HTTP/1.${minorVersion} from ${ip} with ${fields.join(': ') || 'no more headers'}`, async () => {
      for (const url of ['/__dev__', '/__dev__/requests', '/__dev__/api/metrics']) {
        const rawHeaders = ['Host', '127.0.0.1:3000', ...fields]
        assert.equal(await statusAt(console, { url, ip, minorVersion, rawHeaders }), status, url)
      }
    })
  }

  it('allows the clients in "allow" through a trusted proxy with a token', async () => {
    const options = { allow: ['203.0.113.7'], token: TOKEN }
    const shared = new MountedConsole(createHost({ isGuarded: true, options, proxies }))
    const asked = (client: string) => ({ ip: '10.0.0.1', rawHeaders: ['Host', 'localhost', 'X-Forwarded-For', client] })
    assert.equal(await statusAt(shared, asked('203.0.113.7')), 401)
    assert.equal(await statusAt(shared, asked('203.0.113.8')), LEFT)
  })

  it('prints the link with the token once if a proxy may have sent the request', () => {
    const host = createHost()
    const opened = new MountedConsole(host)
    opened.opened('http://127.0.0.1:3000')
    for (let round = 0; round < 3; round++) statusAt(opened, { minorVersion: 0 })
    const [, told, ...more] = host.printed
    assert.match(
      told ?? '',
      /^__dev__ rejected a request from 127\.0\.0\.1: a proxy may .* open http:\S+\/__dev__#token=[\w-]{22}$/,
    )
    assert.deepEqual(more, [])
  })

  it('accepts the token of the printed link', async () => {
    const host = createHost()
    const opened = new MountedConsole(host)
    statusAt(opened, { minorVersion: 0 })
    const [, token] = /#token=([\w-]+)/.exec(host.printed.join('')) ?? []
    const rawHeaders = ['Host', 'localhost', 'Content-Type', 'application/json']
    const entry = createExchange({
      method: 'POST',
      url: '/__dev__/session',
      rawHeaders,
      body: JSON.stringify({ token }),
    })
    opened.respondsTo(entry.exchange)
    await turn()
    const cookie = entry.answers[0]?.headers.get('set-cookie')?.split(';', 1).join('') ?? ''
    assert.equal(await statusAt(opened, { minorVersion: 0, rawHeaders: ['Host', 'localhost', 'Cookie', cookie] }), 200)
    assert.equal(
      await statusAt(new MountedConsole(createHost()), {
        minorVersion: 0,
        rawHeaders: ['Host', 'localhost', 'Cookie', cookie],
      }),
      401,
    )
  })
})

describe('console guard over a socket', () => {
  let shown: TestConsole
  before(async () => {
    shown = await openConsole()
  })
  after(() => shown.close())

  const ROWS: readonly (readonly [what: string, head: string, status: number])[] = [
    ['a request from this machine', 'GET /__dev__/api/metrics HTTP/1.1\r\nHost: localhost\r\n', 200],
    ['another host name (DNS rebinding)', 'GET /__dev__/api/metrics HTTP/1.1\r\nHost: evil.test\r\n', 403],
    ['two hosts', 'GET /__dev__/api/metrics HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n', 400],
    ['no host', 'GET /__dev__/api/metrics HTTP/1.1\r\n', 400],
    ['a proxy without headers in HTTP/1.0', 'GET /__dev__/api/metrics HTTP/1.0\r\nHost: 127.0.0.1:3000\r\n', 401],
    ['no host in HTTP/1.0', 'GET /__dev__/api/metrics HTTP/1.0\r\n', 400],
    ['a tunnel', 'GET /__dev__/api/metrics HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 1.2.3.4\r\n', 404],
    ['an image on another site', 'GET /__dev__ HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\n', 403],
    [
      'a stream for another site',
      'GET /__dev__/events HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.test\r\n',
      403,
    ],
    ['a preflight', 'OPTIONS /__dev__/api/clear HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n', 403],
    [
      'a form on another site',
      'POST /__dev__/api/clear HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\nContent-Length: 0\r\n',
      403,
    ],
    ['a request with an invalid Expect header', 'GET /__dev__ HTTP/1.1\r\nHost: localhost\r\nExpect: magic\r\n', 417],
    [
      'an unknown address that was typed',
      'GET /__dev__/nowhere HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: none\r\n',
      404,
    ],
    ['an absolute request target', 'GET http://localhost/__dev__ HTTP/1.1\r\nHost: localhost\r\n', 404],
  ]
  for (const [what, head, status] of ROWS) {
    it(`responds ${status} to ${what}`, async () => {
      assert.equal(await readStatus(shown.port, `${head}\r\n`), status)
    })
  }

  it('logs each kind of rejection once per minute, with the option that allows it', async () => {
    const { lines } = shown
    const refused = lines.filter((line) => line.includes('evil.test'))
    assert.deepEqual(refused, [
      `__dev__ rejected a request from 127.0.0.1: the host "evil.test" is not known. To allow: devConsole: { allowedHosts: ['evil.test'] }`,
    ])
    assert.equal(lines.filter((line) => line.includes('forwarded')).length, 1)
  })
})

describe('console with a token', () => {
  let shown: TestConsole
  let base: string
  before(async () => {
    shown = await openConsole({ token: TOKEN })
    base = `${shown.url}/__dev__`
  })
  after(() => shown.close())

  it('prints the link with the token', () => {
    assert.match(
      shown.lines.find((line) => !isOfFastPath(line)) ?? '',
      new RegExp(`^Console \\(token required, because devConsole.token is set\\): ${base}#token=${TOKEN}$`),
    )
  })

  it('responds 401 without a session, with a sign-in page for browsers', async () => {
    for (const path of ['', '/page.js', '/views.js', '/requests', '/api/snapshot', '/events', '/api/har']) {
      const response = await fetch(base + path)
      assert.equal(response.status, 401, path)
      assert.match(await response.text(), /^The console needs a token/)
    }
    const headers = { accept: 'text/html' }
    assert.match(await (await fetch(`${base}/api/snapshot`, { headers })).text(), /^The console needs/)
    assert.match(await (await fetch(`${base}/`, { headers })).text(), /^<!doctype html>/)
    const page = await fetch(base, { headers })
    assert.equal(page.status, 401)
    const html = await page.text()
    assert.ok(!html.includes('library') && !html.includes(TOKEN))
    const policy = page.headers.get('content-security-policy') ?? ''
    const script = /<script>([^]*)<\/script>/.exec(html)?.[1] ?? ''
    assert.ok(policy.includes(`script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`))
    assert.match(policy, /require-trusted-types-for 'script'; trusted-types 'none'/)
  })

  it('exchanges the token for a cookie, one attempt a second', async () => {
    const wrong = await post(`${base}/session`, { token: 'another-token-of-16' })
    assert.deepEqual([wrong.status, wrong.headers.get('set-cookie')], [403, null])
    const soon = await post(`${base}/session`, { token: TOKEN })
    assert.deepEqual([soon.status, soon.headers.get('retry-after')], [429, '1'])
    let opened = soon
    while (opened.status === 429) opened = await post(`${base}/session`, { token: TOKEN })
    const cookie = opened.headers.get('set-cookie') ?? ''
    assert.match(cookie, /^__dev_\d+=[\w-]+\.[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/__dev__$/)
    assert.ok(cookie.startsWith(`__dev_${new URL(base).port}=`) && !cookie.includes(TOKEN))
    const headers = { cookie: cookie.split(';', 1).join('') }
    assert.equal((await fetch(`${base}/api/snapshot`, { headers })).status, 200)
    const token = await actionToken(shown.url, headers)
    assert.equal((await post(`${base}/api/clear`, {}, headers)).status, 403)
    assert.equal((await post(`${base}/api/clear`, {}, { ...headers, 'x-dev-token': token })).status, 200)
    assert.equal(
      (await fetch(`${base}/api/snapshot`, { headers: { cookie: headers.cookie.replace(/=.*/, '=wrong') } })).status,
      401,
    )
  })
})
