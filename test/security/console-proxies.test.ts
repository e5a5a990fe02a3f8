/** Clients that look local because of a reverse proxy on the same machine cannot see the console without its token. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { createApp, Route, type CommonOptions } from 'verbena'
import { formatTitle } from '#test/attack-rows.js'

const OWN = 'Verbena: a client of a local proxy is not local'
const TOKEN = 'a-token-of-the-option'

// Also if stdout is a terminal, because that does not show who can reach the app.
Object.defineProperty(process.stdout, 'isTTY', { value: true })

class Home extends Route {
  get(): string {
    return 'home'
  }
}

interface Served extends AsyncDisposable {
  readonly port: number
  /** Messages that the app has logged. */
  readonly lines: readonly string[]
}

/** Starts an app with this `NODE_ENV`, which is read when the app is created. */
async function served(mode: string | undefined, options: CommonOptions = {}): Promise<Served> {
  const lines: string[] = []
  const write = (_fields: object, message = ''): void => void lines.push(message)
  if (mode === undefined) delete process.env['NODE_ENV']
  else process.env['NODE_ENV'] = mode
  const app = createApp({
    routes: { Home },
    logger: { debug: write, info: write, warn: write, error: write },
    ...options,
  })
  const { port } = await app.listen()
  return { port, lines, [Symbol.asyncDispose]: () => app.close() }
}

interface Answered {
  readonly status: number
  readonly text: string
}

/** Sends a raw request. */
async function ask(port: number, head: readonly string[], body = ''): Promise<Answered> {
  const socket = connect(port, '127.0.0.1')
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  const answer = await text(socket)
  return { status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1]), text: answer }
}

/** A request as nginx 1.22 forwards it with only `proxy_pass http://127.0.0.1:<port>`. */
function nginx(port: number, target: string, fields: readonly string[] = []): string[] {
  return [`GET ${target} HTTP/1.0`, `Host: 127.0.0.1:${port}`, 'Connection: close', ...fields]
}

/** A request from a browser on this machine. */
function direct(port: number, target: string, fields: readonly string[] = []): string[] {
  return [`GET ${target} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Connection: close', ...fields]
}

const PAGES = ['/__dev__', '/__dev__/requests', '/__dev__/api/snapshot', '/__dev__/api/har', '/__dev__/events']

async function signedIn(port: number, token: string, fields: readonly string[] = []): Promise<Answered> {
  const body = JSON.stringify({ token })
  const own = ['Connection: close', 'Content-Type: application/json', `Content-Length: ${body.length}`]
  return ask(port, ['POST /__dev__/session HTTP/1.1', `Host: 127.0.0.1:${port}`, ...own, ...fields], body)
}

describe('the console behind a reverse proxy', () => {
  for (const mode of [undefined, 'test', 'development']) {
    it(
      formatTitle({
        rule: `requires the token behind a plain proxy_pass if NODE_ENV is ${mode ?? 'not set'}`,
        source: OWN,
      }),
      async () => {
        await using app = await served(mode)
        for (const page of PAGES) {
          const { status, text: answer } = await ask(app.port, nginx(app.port, page))
          assert.deepEqual([page, status], [page, 401])
          assert.ok(!answer.includes('dev-token') && !answer.includes('Home'), page)
        }
      },
    )
  }

  it(formatTitle({ rule: 'is open without a token only in development', source: OWN }), async () => {
    for (const [mode, status] of [
      ['development', 200],
      ['test', 401],
      [undefined, 401],
      ['production', 404],
    ] as const) {
      await using app = await served(mode)
      assert.equal((await ask(app.port, direct(app.port, '/__dev__/api/snapshot'))).status, status, mode)
    }
  })

  it(formatTitle({ rule: 'is open with devConsole: true only if NODE_ENV is development', source: OWN }), async () => {
    for (const [mode, status] of [
      ['development', 200],
      [undefined, 401],
    ] as const) {
      await using app = await served(mode, { devConsole: true })
      assert.equal((await ask(app.port, direct(app.port, '/__dev__/api/snapshot'))).status, status, mode)
    }
  })

  it(formatTitle({ rule: 'responds 404 to forwarded requests', source: OWN }), async () => {
    await using app = await served('development')
    for (const field of [
      'X-Forwarded-For: 127.0.0.1',
      'Forwarded: for=127.0.0.1',
      'Via: 1.1 x',
      'X-Real-IP: ::1',
      'cf-ray: 1',
    ]) {
      assert.equal((await ask(app.port, direct(app.port, '/__dev__', [field]))).status, 404, field)
    }
  })

  it(formatTitle({ rule: 'opens with the printed link, but not with a forged cookie', source: OWN }), async () => {
    await using app = await served(undefined)
    const [, token = ''] =
      /^Console \(token required, because NODE_ENV is not set\): \S+#token=(\S+)$/m.exec(app.lines.join('\n')) ?? []
    const opened = await signedIn(app.port, token)
    assert.equal(opened.status, 200)
    const cookie = /^set-cookie: ([^;]+)/im.exec(opened.text)?.[1] ?? ''
    assert.equal((await ask(app.port, nginx(app.port, '/__dev__/api/snapshot', [`Cookie: ${cookie}`]))).status, 200)
    const forged = cookie.replace(/=./, '=z')
    assert.equal((await ask(app.port, nginx(app.port, '/__dev__/api/snapshot', [`Cookie: ${forged}`]))).status, 401)
  })

  it(
    formatTitle({
      rule: 'counts attempts per client of a trusted proxy, so that no client locks out others',
      source: OWN,
    }),
    async () => {
      const allow = ['203.0.113.0/24']
      await using app = await served('production', {
        trustProxy: ['127.0.0.1'],
        devConsole: { token: TOKEN, allow, allowInProduction: true },
      })
      const statuses: number[] = []
      const tried = async (client: string, token: string) => {
        const { status } = await signedIn(app.port, token, [`X-Forwarded-For: 127.0.0.1, ${client}`])
        statuses.push(status)
      }
      for (let attempt = 0; attempt < 5; attempt++) await tried('203.0.113.1', 'not-the-token-of-it')
      await tried('203.0.113.2', TOKEN)
      await tried('198.51.100.1', TOKEN)
      assert.deepEqual([statuses[0], statuses.at(-2), statuses.at(-1)], [403, 200, 404])
      assert.ok(statuses.includes(429))
    },
  )

  it(formatTitle({ rule: 'sets Secure on the cookie behind a TLS proxy', source: 'RFC 6265 §4.1.2.5' }), async () => {
    await using app = await served('production', {
      devConsole: { token: TOKEN, allowInProduction: true, allowedHosts: ['dev.example'] },
    })
    const body = JSON.stringify({ token: TOKEN })
    const head = ['POST /__dev__/session HTTP/1.0', 'Host: dev.example', 'Origin: https://dev.example']
    const fields = ['Sec-Fetch-Site: same-origin', 'Content-Type: application/json', `Content-Length: ${body.length}`]
    const { status, text: answer } = await ask(app.port, [...head, ...fields], body)
    assert.equal(status, 200)
    assert.match(answer, /^set-cookie: __dev=\S+; HttpOnly; SameSite=Strict; Path=\/__dev__; Secure\r$/im)
  })
})
