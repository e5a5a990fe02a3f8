/** An app that sends queries, for browser tests. Import `#test/development.js` first. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createApp, observeCall, Route, startCall, type Input } from 'verbena'
import * as z from 'zod'
import { waitForSnapshot } from '#test/console.js'

/** The slowest statement of `/orders`. It has more than three lines of text. */
export const SLOW_TEXT = `select orders.id, orders.total, customers.name as customer, count(*) as items, max(items.price) as highest
from orders left join customers on customers.id = orders.customer_id
where orders.shop_id = $1 and orders.created_at between $2 and $3 and (orders.state = 'open' or orders.state = 'paid')
group by orders.id order by orders.created_at desc limit 50`

export interface QueryApp {
  readonly url: string
  /** Sends requests, waits until the console has recorded them, and returns their ids. */
  ask(...paths: readonly string[]): Promise<string[]>
  close(): Promise<void>
}

/** A database that does nothing but take time. */
class Orders {
  readonly #rates: string

  constructor(rates: string) {
    this.#rates = rates
  }

  async list(shop: number): Promise<unknown[]> {
    const params = [shop, '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z']
    const rows = Array.from({ length: 12 }, (_, id) => ({ id, total: 1 }))
    return observeCall({ kind: 'sql', text: SLOW_TEXT, params, target: 'shop' }, () => wait(60, rows), countRows)
  }

  async product(id: number): Promise<unknown> {
    const text = 'select id, price from products where id = $1'
    return observeCall({ kind: 'sql', text, params: [id], target: 'shop' }, () => wait(2, [{ id }]), countRows)
  }

  async audit(password: string): Promise<void> {
    const text = 'insert into audit (actor, password) values ($1, $2)'
    const run = () => Promise.reject(new Error('duplicate key value violates "audit_pkey"'))
    await observeCall({ kind: 'sql', text, params: ['ada', password], target: 'shop' }, run).catch(() => {})
  }

  async rates(): Promise<void> {
    await (await fetch(`${this.#rates}/rates?base=EUR`)).arrayBuffer()
  }

  leave(): void {
    startCall({ kind: 'redis', text: 'SET orders:7 1 EX 60', target: 'cache' })
  }

  /** Sends one query for each text, with the text in every place. */
  async hostile(statements: readonly string[]): Promise<void> {
    for (const text of statements) {
      const failed = () => Promise.reject(new Error(text))
      await observeCall({ kind: 'sql', text, params: [text], target: text }, failed).catch(() => {})
      startCall({ kind: text, text })?.end()
    }
  }
}

function countRows(rows: readonly unknown[]): { rows: number } {
  return { rows: rows.length }
}

class OrderList extends Route<{ orders: Orders }> {
  static readonly path = '/orders'
  async get() {
    const orders = await this.orders.list(7)
    for (let id = 101; id <= 106; id++) await this.orders.product(id)
    await this.orders.audit('hunter2')
    await this.orders.rates()
    this.orders.leave()
    return orders
  }
}

class Product extends Route<{ orders: Orders }> {
  static readonly path = '/products'
  static readonly get = this.contract({ query: z.object({ count: z.int().default(0) }) })
  async get({ query }: Input<typeof Product.get>) {
    for (let id = 0; id < query.count; id++) {
      startCall({ kind: 'sql', text: `select ${'x'.repeat(id)} from t` })?.end({ rows: id })
    }
    return []
  }
}

/**
 * Starts the app, and a server for its requests.
 *
 * @param statements Statements of `/hostile`
 */
export async function openQueryApp(statements: readonly string[] = []): Promise<QueryApp> {
  const rates = createServer((_, response) => response.writeHead(503).end('closed'))
  await new Promise<void>((resolve) => rates.listen(0, '127.0.0.1', resolve))
  // Proof: the server listens on a port.
  const { port } = rates.address() as AddressInfo
  const silent = (): void => {}
  class Hostile extends Route<{ orders: Orders }> {
    async get() {
      await this.orders.hostile(statements)
      return []
    }
  }
  const app = createApp({
    name: 'orders',
    services: { orders: new Orders(`http://127.0.0.1:${port}`) },
    routes: { OrderList, Product, Hostile },
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    signals: false,
  })
  const { url } = await app.listen()
  let count = 0
  const ask = async (...paths: readonly string[]): Promise<string[]> => {
    for (const path of paths) await (await fetch(`${url}${path}`)).arrayBuffer()
    count += paths.length
    const { requests } = await waitForSnapshot(url, count)
    return requests.slice(0, paths.length).map(({ id }) => id)
  }
  const close = async (): Promise<void> => {
    await app.close()
    rates.close()
    rates.closeAllConnections()
  }
  return { url, ask, close }
}
