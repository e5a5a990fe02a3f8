/** Version headers over a socket, because a client can send headers that a web `Request` rejects. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createApp, Route, type App, type Input } from 'verbena'
import { createClient } from 'verbena/client'
import { version } from 'verbena/decorators'
import * as z from 'zod'
import { createUntypedApp } from '#test/apps.js'
import { onCleanup } from '#test/cleanup.js'
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

describe('a client of one version', () => {
  class OrdersV1 extends Route {
    static readonly path = '/orders'
    static readonly post = this.contract({
      body: z.object({ name: z.string() }),
      returns: z.object({ id: z.number() }),
    })
    @version('1.x')
    post() {
      return { id: 1 }
    }
  }
  class OrdersV2 extends Route {
    static readonly path = '/orders'
    static readonly post = this.contract({
      body: z.object({ items: z.array(z.string()) }),
      returns: z.array(z.string()),
    })
    @version('2.x')
    post({ body }: Input<typeof OrdersV2.post>) {
      return body.items
    }
  }
  class Status extends Route {
    static readonly get = this.contract({ returns: z.string() })
    get() {
      return 'fine'
    }
  }
  const v1 = { OrdersV1, Status }
  const v2 = { OrdersV2, Status }

  it('has the types of its routes, and selects their version with a header', async (t) => {
    const app = createApp({ logger: false, signals: false, versioning: { default: '1' }, routes: { ...v1, ...v2 } })
    onCleanup(t, () => app.close())
    const { url } = await app.listen()
    const first = createClient<App<typeof v1>>(url, { headers: { 'accept-version': '1' } })
    const second = createClient<App<typeof v2>>(url, { headers: { 'accept-version': '2' } })

    const order = await first('/orders').post({ body: { name: 'tea' } })
    assert.ok(order.ok)
    const id: number = order.body.id
    assert.equal(id, 1)
    assert.equal(order.headers.get('api-version'), '1.0.0')

    const orders = await second('/orders').post({ body: { items: ['tea', 'milk'] } })
    assert.ok(orders.ok)
    const items: string[] = orders.body
    assert.deepEqual(items, ['tea', 'milk'])
    assert.equal(orders.headers.get('api-version'), '2.0.0')

    const status = await second('/status').get()
    assert.deepEqual([status.ok && status.body, status.headers.get('api-version')], ['fine', null])
  })
})
