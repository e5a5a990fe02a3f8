/** Order of the session and other providers. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, group, HttpError, provide, Route, type Input } from 'verbena'
import { session } from 'verbena/session'
import { KEY } from '#test/browser-client.js'

const ORIGIN = 'http://localhost'

function visitors() {
  const visitor = session({ keys: [KEY] })
  class Signing extends Route {
    static readonly path = '/signing'
    static readonly post = this.contract({ uses: { visitor } })
    post({ visitor }: Input<typeof Signing.post>) {
      visitor.start('ada')
      return 'started'
    }
  }
  return { visitor, Signing }
}

describe('session: order of providers', () => {
  it('checks the origin for a provider of a group that uses the session', async () => {
    const { visitor, Signing } = visitors()
    const admin = provide({ uses: { visitor }, errors: [403] }, ({ visitor }) => visitor.value === 'ada')
    class Admin extends Route {
      get() {
        return 'in'
      }
      post() {
        return 'in'
      }
    }
    const app = createApp({ logger: false, routes: { Signing, admins: group({ uses: { admin }, routes: { Admin } }) } })
    const ask = (path: string, method: string, headers: Record<string, string> = {}) =>
      app.fetch(new Request(`${ORIGIN}${path}`, { method, headers }))
    assert.equal((await ask('/admin', 'GET')).status, 403)
    const [cookie = ''] = (await ask('/signing', 'POST')).headers.getSetCookie()
    const { name, value } = { name: cookie.split('=')[0], value: cookie.split(';')[0] }
    assert.equal(name, '__Host-session')
    const signedIn = { cookie: String(value) }
    assert.equal((await ask('/admin', 'GET', signedIn)).status, 200)
    assert.equal((await ask('/admin', 'POST', { ...signedIn, origin: 'https://evil.example' })).status, 403)
  })

  it('saves the session only after the cleanup of all other providers has succeeded', async () => {
    const { Signing } = visitors()
    const order: string[] = []
    const transaction = provide({}, function* () {
      yield 1
      order.push('commit')
      throw new HttpError(409, 'Somebody was faster')
    })
    const app = createApp({ logger: false, routes: { all: group({ uses: { transaction }, routes: { Signing } }) } })
    const answer = await app.fetch(new Request(`${ORIGIN}/signing`, { method: 'POST' }))
    assert.deepEqual([answer.status, answer.headers.getSetCookie(), order], [409, [], ['commit']])
  })
})
