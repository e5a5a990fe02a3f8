/**
 * Endpoints with typical faults of real code. `npm start` serves them together with the users API, `npm run visit` calls them, and the
 * console at `/__dev__` shows the faults. The code contains nothing special for the console.
 */
import { createApp, HttpError, Route, type Input, type Result } from 'verbena'
import { deprecated, log, speed, version } from 'verbena/decorators'
import * as z from 'zod'
import { openapi, users } from './app.js'
import type { Order, Shop } from './shop.js'
import type { Database } from './store.js'

const Line = z.object({ sku: z.string(), quantity: z.number().int().min(1).max(99) })
const NewOrder = z.object({ user: z.string(), lines: z.array(Line).min(1) })
const OrderView = z.object({ id: z.string(), lines: z.array(Line.extend({ name: z.string(), cents: z.number() })) })
const Receipt = z.object({ order: z.string(), paid: z.string() })
const Product = z.object({ sku: z.string(), name: z.string(), cents: z.number() })
const Sales = z.object({ orders: z.number(), correlation: z.number() })

abstract class ShopRoute extends Route<{ db: Database; shop: Shop }> {
  static readonly tags = ['shop']
}

/** Finds an order; throws a 404 if it does not exist. */
async function requireOrder(shop: Shop, id: string): Promise<Order> {
  const order = await shop.getOrder(id)
  if (!order) throw new HttpError(404, `No order ${id}`)
  return order
}

/** No fault. A quantity of 0, which a form with an empty field sends, is rejected by the schema. */
class Orders extends ShopRoute {
  static readonly post = this.contract({
    body: NewOrder,
    returns: z.object({ id: z.string() }),
    status: 201,
    summary: 'Place an order',
    description: 'It is paid by card.',
  })
  @log
  async post({ body, log, request, response }: Input<typeof Orders.post>): Result<typeof Orders.post> {
    const { id } = await this.shop.createOrder(body.user, body.lines, { method: 'card', card: { last4: '4242' } })
    response.header('location', request.href(OrderById, { id }))
    log.info({ order: id, lines: body.lines.length }, 'order placed')
    return { id }
  }
}

/** Requests the products one by one. A single call for all lines would be enough. */
class OrderById extends ShopRoute {
  static readonly path = '/orders/{id}'
  static readonly get = this.contract({
    returns: OrderView,
    errors: [404],
    summary: 'Read an order',
    description: 'With the name and the price of each product.',
  })
  async get({ params }: Input<typeof OrderById.get>): Result<typeof OrderById.get> {
    const order = await requireOrder(this.shop, params.id)
    const lines: z.infer<typeof OrderView>['lines'] = []
    for (const line of order.lines) {
      const product = await this.shop.getProduct(line.sku)
      lines.push({ ...line, name: product?.name ?? 'no longer sold', cents: product?.cents ?? 0 })
    }
    return { id: order.id, lines }
  }
}

/** Treats every payment as a card payment, as its type says. The JSON of a bank transfer has no card, which causes a TypeError. */
class OrderReceipt extends ShopRoute {
  static readonly path = '/orders/{id}/receipt'
  static readonly get = this.contract({
    returns: Receipt,
    errors: [404],
    summary: 'Read the receipt of an order',
    description: 'How it was paid.',
  })
  @log
  async get({ params, log }: Input<typeof OrderReceipt.get>): Result<typeof OrderReceipt.get> {
    const order = await requireOrder(this.shop, params.id)
    log.debug({ order: order.id }, 'writing the receipt')
    const payment: { card: { last4: string } } = JSON.parse(order.payment)
    return { order: order.id, paid: `by card ending in ${payment.card.last4}` }
  }
}

/** Searches without an index, so it is slow even if it finds little. */
class Products extends ShopRoute {
  static readonly get = this.contract({
    query: z.object({ q: z.string().min(1) }),
    returns: z.array(Product),
    summary: 'Search for products',
    description: 'By a part of their name.',
  })
  @speed({ slow: 500 })
  async get({ query }: Input<typeof Products.get>) {
    return this.shop.search(query.q)
  }
}

/** Computes on the main thread, which blocks all other requests until it is done. */
class SalesReport extends ShopRoute {
  static readonly path = '/reports/sales'
  static readonly get = this.contract({
    returns: Sales,
    summary: 'Report sales',
    description: 'How many orders there are, and how much they are alike.',
  })
  @speed
  async get(): Result<typeof SalesReport.get> {
    const orders = await this.shop.getOrders()
    return { orders: orders.length, correlation: correlate(orders, COMPUTING_MS) }
  }
}

const COMPUTING_MS = 450

/** Compares all pairs of orders repeatedly, so that it takes the same time on every machine. */
function correlate(orders: readonly Order[], ms: number): number {
  const end = performance.now() + ms
  let pairs = 0
  let alike = 0
  while (performance.now() < end) {
    for (const one of orders) for (const other of orders) alike += one.lines.length === other.lines.length ? 1 : 0
    pairs += orders.length ** 2
  }
  return alike / pairs
}

const PRICE = { summary: 'Read the price', description: 'What a pound of tea costs.' }

/** Two classes share a path for versions 1 and 2. Some clients already request version 3, which gets a 406. */
class PricesV1 extends ShopRoute {
  static readonly path = '/prices'
  static readonly get = this.contract({ ...PRICE, returns: z.object({ euros: z.number() }) })
  @version('1.x')
  @deprecated({ since: '2026-01-31' })
  async get() {
    return { euros: 3.9 }
  }
}

class PricesV2 extends ShopRoute {
  static readonly path = '/prices'
  static readonly get = this.contract({ ...PRICE, returns: z.object({ cents: z.number(), currency: z.string() }) })
  @version('2.x')
  async get() {
    return { cents: 390, currency: 'EUR' }
  }
}

/** Creates the users app with the troubles. */
export function troubledApp(db: Database, shop: Shop) {
  return createApp({
    name: 'users',
    version: '2.0.0',
    versioning: { default: '2.0.0' },
    services: { db, shop },
    openapi: { ...openapi, tags: [...(openapi.tags ?? []), { name: 'shop', description: 'Orders and products.' }] },
    routes: { ...users, Orders, OrderById, OrderReceipt, Products, SalesReport, PricesV1, PricesV2 },
  })
}
