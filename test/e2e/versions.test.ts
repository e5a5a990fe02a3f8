/** Version headers over a socket, where a client can send headers that a web `Request` rejects. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Route } from 'verbena'
import { version } from 'verbena/decorators'
import { createUntypedApp } from '#test/apps.js'
import { askWire } from '#test/e2e.js'

class UsersV1 extends Route {
  static readonly path = '/users'
  @version('1.x')
  async get() {
    return 'one'
  }
}
class UsersV2 extends Route {
  static readonly path = '/users'
  @version('>=2')
  async get() {
    return 'two'
  }
}

/** Headers, and the status and version of the response. */
const ROWS: readonly (readonly [
  headers: Readonly<Record<string, string>>,
  status: number,
  used: string | undefined,
])[] = [
  [{}, 200, '1.0.0'],
  [{ 'Accept-Version': '2.1' }, 200, '2.1.0'],
  [{ 'accept-version': '\t 2.1 \t' }, 200, '2.1.0'],
  [{ 'ACCEPT-VERSION': '1' }, 200, '1.0.0'],
  [{ 'accept-version': '0.1' }, 406, undefined],
  [{ 'accept-version': '' }, 400, undefined],
  [{ 'accept-version': '1', 'Accept-Version': '1' }, 400, undefined],
  [{ 'accept-version': '1', 'Accept-Version': '2' }, 400, undefined],
  [{ 'accept-version': '\u00b2' }, 400, undefined],
  [{ 'accept-version': `1.${'9'.repeat(8_000)}` }, 400, undefined],
]

describe('versions over a socket', () => {
  const app = createUntypedApp({ versioning: { default: '1' }, routes: { UsersV1, UsersV2 } })
  let port = 0
  before(async () => {
    port = (await app.listen()).port
  })
  after(() => app.close())

  for (const [headers, status, used] of ROWS) {
    it(`responds with ${used ?? status} to ${JSON.stringify(headers).slice(0, 60)}`, async () => {
      const answer = await askWire(port, { target: '/users', headers })
      assert.equal(answer.status, status)
      assert.equal(answer.headers.get('vary'), 'accept-version')
      assert.equal(answer.headers.get('api-version'), used)
      if (used !== undefined) assert.equal(answer.body, used.startsWith('1') ? 'one' : 'two')
    })
  }
})
