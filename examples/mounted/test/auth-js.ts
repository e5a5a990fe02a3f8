/** Auth.js over sockets: the requests of its sign-in page. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { start } from './start.js'

class Browser {
  readonly #cookies = new Map<string, string>()
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  async send(path: string, form?: Readonly<Record<string, string>>): Promise<Response> {
    const cookie = Array.from(this.#cookies, ([name, value]) => `${name}=${value}`).join('; ')
    const body = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }
    const response = await fetch(this.#url + path, { headers: { cookie }, redirect: 'manual', ...body })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1)
      const [name = ''] = pair.split('=', 1)
      this.#cookies.set(name, pair.slice(name.length + 1))
    }
    return response
  }

  async json(path: string): Promise<Record<string, unknown>> {
    return Object(await (await this.send(path)).json())
  }
}

describe('Auth.js', () => {
  it('signs in and out with a password, and a route reads the session', async (t) => {
    const { url } = await start(t)
    const browser = new Browser(url)
    const page = await browser.send('/auth/signin')
    assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html'])
    assert.match(await page.text(), new RegExp(`action="${url}/auth/callback/credentials"`))
    const csrfToken = String((await browser.json('/auth/csrf'))['csrfToken'])
    const signIn = (password: string) =>
      browser.send('/auth/callback/credentials', { csrfToken, name: 'ada', password })

    const rejected = await signIn('wrong')
    assert.equal(rejected.status, 302)
    assert.match(rejected.headers.get('location') ?? '', /error=CredentialsSignin/)
    assert.equal((await browser.send('/guest')).status, 401)

    const accepted = await signIn('lovelace')
    assert.deepEqual([accepted.status, accepted.headers.get('location')], [302, url])
    const cookies = accepted.headers.getSetCookie()
    assert.match(cookies.find((line) => line.startsWith('authjs.session-token=')) ?? '', /; HttpOnly; SameSite=Lax$/)
    assert.deepEqual((await browser.json('/auth/session'))['user'], { name: 'ada' })
    assert.deepEqual(await browser.json('/guest'), { name: 'ada' })

    const out = await browser.send('/auth/signout', { csrfToken })
    assert.deepEqual([out.status, out.headers.get('location')], [302, url])
    assert.equal((await browser.send('/guest')).status, 401)
  })

  it('lists its providers with the public URL, and rejects unknown actions', async (t) => {
    const { url } = await start(t)
    const { credentials } = await new Browser(url).json('/auth/providers')
    assert.equal(Object(credentials).callbackUrl, `${url}/auth/callback/credentials`)
    assert.equal((await fetch(`${url}/auth/none`)).status, 400)
    assert.equal((await fetch(`${url}/auth/session`, { method: 'PUT' })).status, 400)
    assert.equal((await fetch(`${url}/auth/session`, { method: 'HEAD' })).status, 400)
  })
})
