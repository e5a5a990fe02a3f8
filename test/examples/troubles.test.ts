/** The troubles app of the users example: each problem occurs as its comment describes. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp } from 'verbena/testing'
import { openShop } from '../../examples/users/shop.js'
import { openDatabase } from '../../examples/users/store.js'
import { troubledApp } from '../../examples/users/troubles.js'
import { usersApp } from '../../examples/users/app.js'

const db = await openDatabase()
const app = troubledApp(db, await openShop())

/** Creates a test app with separate services, and records the requested products. */
async function troubled() {
  const shop = await openShop()
  const asked: string[] = []
  const original = shop.getProduct.bind(shop)
  shop.getProduct = (sku) => {
    asked.push(sku)
    return original(sku)
  }
  const test = await testApp(app, { services: { db: await openDatabase(), shop } })
  return { ...test, asked }
}

describe('examples/users/troubles', () => {
  it('has the users endpoints and its own, and no findings', () => {
    const paths = app.routes().map(({ method, path }) => `${method} ${path}`)
    assert.deepEqual(
      paths.slice(0, 4),
      usersApp(db)
        .routes()
        .map(({ method, path }) => `${method} ${path}`),
    )
    assert.deepEqual(paths.slice(4), [
      'POST /orders',
      'GET /orders/{id}',
      'GET /orders/{id}/receipt',
      'GET /products',
      'GET /reports/sales',
      'GET /prices',
      'GET /prices',
    ])
    assert.deepEqual(app.check(), [])
  })

  it('requests the products of an order one by one', async () => {
    const { api, asked } = await troubled()
    const { body, ok } = await api('/orders/{id}').get({ params: { id: '1' } })
    assert.ok(ok)
    assert.deepEqual([body.lines.length, body.lines[0]?.name, body.lines[0]?.quantity], [9, 'Assam', 1])
    assert.deepEqual(
      asked,
      body.lines.map(({ sku }) => sku),
    )
  })

  it('shows an order line whose product was removed', async () => {
    const { api } = await troubled()
    const made = await api('/orders').post({ body: { user: '1', lines: [{ sku: 'coffee-1', quantity: 1 }] } })
    assert.ok(made.ok)
    assert.equal(made.headers.get('location'), `/orders/${made.body.id}`)
    const { body } = await api('/orders/{id}').get({ params: { id: made.body.id } })
    assert.deepEqual(Object(body).lines, [{ sku: 'coffee-1', quantity: 1, name: 'no longer sold', cents: 0 }])
  })

  it('fails for the receipt of an order paid by bank transfer', async () => {
    const { api } = await troubled()
    const paid = await api('/orders/{id}/receipt').get({ params: { id: '1' } })
    assert.deepEqual(paid.body, { order: '1', paid: 'by card ending in 4242' })
    await assert.rejects(
      api('/orders/{id}/receipt').get({ params: { id: '2' } }),
      ({ cause }: Error) => cause instanceof TypeError && /'last4'/.test(cause.message),
    )
    assert.equal((await api('/orders/{id}/receipt').get({ params: { id: '3' } })).status, 404)
  })

  it('rejects a quantity of 0, and reports its location', async () => {
    const { api } = await troubled()
    const lines = [
      { sku: 'tea-1', quantity: 1 },
      { sku: 'tea-2', quantity: 0 },
    ]
    const { status, body } = await api('/orders').post({ body: { user: '1', lines } })
    assert.deepEqual([status, Object(body).errors[0].pointer], [422, '/lines/1/quantity'])
  })

  it('finds products by name, slowly', async () => {
    const { api } = await troubled()
    const began = performance.now()
    const { body } = await api('/products').get({ query: { q: 'GREY' } })
    assert.deepEqual(body, [{ sku: 'tea-4', name: 'Earl Grey', cents: 525 }])
    assert.ok(performance.now() - began > 850)
  })

  it('blocks the event loop while it computes', async () => {
    const { api } = await troubled()
    let longest = 0
    let last = performance.now()
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
    }, 5)
    const { body } = await api('/reports/sales').get()
    await new Promise((resolve) => setTimeout(resolve, 10))
    clearInterval(timer)
    assert.deepEqual(body, { orders: 2, correlation: 0.5 })
    assert.ok(longest > 400, String(longest))
  })

  it('has prices for two versions, and responds 406 to a third', async () => {
    const { api, fetch } = await troubled()
    const prices = async (version: string) => {
      const response = await fetch('/prices', { headers: { 'accept-version': version } })
      return { status: response.status, body: Object(await response.json()), headers: response.headers }
    }
    const first = await prices('1.4')
    assert.deepEqual([first.body, first.headers.get('deprecation')], [{ euros: 3.9 }, '@1769817600'])
    const unasked = await api('/prices').get()
    assert.deepEqual(unasked.body, { cents: 390, currency: 'EUR' })
    const third = await prices('3.0')
    assert.deepEqual([third.status, third.body.supported], [406, ['1.x', '2.x']])
  })
})
