/** The warning about a `Secure` cookie over plain HTTP. A process logs it once, so the order of these tests matters. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { reply, Route, type Input } from 'verbena'
import { session } from 'verbena/session'
import { captureLog, createUntypedApp } from '#test/apps.js'

const mode = process.env['NODE_ENV']
const login = session({ keys: ['k'.repeat(43)] })

class Login extends Route {
  static readonly post = this.contract({ uses: { login } })
  post({ login }: Input<typeof Login.post>) {
    login.start('ada')
  }
}

class Plain extends Route {
  get({ response }: Input) {
    response.cookie('insecure', 'secure', { secure: false })
    return 'plain'
  }
  put() {
    return reply(200, 'own', { 'set-cookie': 'first=1; Path=/a' }).with({ 'set-cookie': 'second=2; SECURE' })
  }
}

/** Returns the log lines of a request. */
async function linesOf(method: string, url: string) {
  const { logger, lines } = captureLog()
  const app = createUntypedApp({ routes: { Login, Plain }, logger, devConsole: false })
  const response = await app.fetch(new Request(url, { method }))
  assert.ok(response.ok)
  return lines.filter(isOfCookie)
}

function isOfCookie({ message = '' }: { readonly message?: string | undefined }): boolean {
  return message.startsWith('Secure cookie')
}

describe('warnOfSecureCookie()', () => {
  before(() => (process.env['NODE_ENV'] = 'development'))
  after(() => (process.env['NODE_ENV'] = mode))

  it('ignores cookies over HTTPS, other cookies and responses without cookies', async () => {
    assert.deepEqual(await linesOf('POST', 'https://localhost/login'), [])
    assert.deepEqual(await linesOf('GET', 'http://localhost/plain'), [])
    assert.deepEqual(await linesOf('OPTIONS', 'http://localhost/plain'), [])
  })

  it('ignores cookies behind a trusted proxy that received the request over HTTPS', async () => {
    const options = { trustProxy: ['127.0.0.1'] }
    const headers = { 'x-forwarded-for': '10.0.0.1', 'x-forwarded-proto': 'https' }
    const { logger, lines } = captureLog()
    const app = createUntypedApp({ routes: { Login }, logger, devConsole: false, signals: false, ...options })
    const { url } = await app.listen({ port: 0, host: '127.0.0.1' })
    assert.equal((await fetch(`${url}/login`, { method: 'POST', headers })).status, 204)
    await app.close()
    assert.deepEqual(lines.filter(isOfCookie), [])
  })

  it('logs nothing in production', async () => {
    process.env['NODE_ENV'] = 'production'
    const lines = await linesOf('PUT', 'http://localhost/plain')
    process.env['NODE_ENV'] = 'development'
    assert.deepEqual(lines, [])
  })

  it('logs the first Secure cookie over plain HTTP, with its name and route', async () => {
    const [line, ...others] = await linesOf('PUT', 'http://localhost/plain')
    assert.deepEqual(
      [line?.level, line?.fields['cookie'], line?.fields['route'], others],
      ['warn', 'second', 'Plain', []],
    )
    assert.match(String(line?.message), /^Secure cookie sent over plain HTTP: .*"insecure: true"/)
  })

  it('logs it once in a process', async () => {
    assert.deepEqual(await linesOf('PUT', 'http://localhost/plain'), [])
    assert.deepEqual(await linesOf('POST', 'http://localhost/login'), [])
  })
})
