/** The store of the troubles: orders and products, with simulated network latency. In SQLite, or in memory on Node before 22.13. */
import { setTimeout as sleep } from 'node:timers/promises'
import { observeCall } from 'verbena'
import { openSqlite, type Connection } from './sqlite.js'

/** A product for sale. */
export interface Product {
  readonly sku: string
  readonly name: string
  readonly cents: number
}

export interface OrderLine {
  readonly sku: string
  readonly quantity: number
}

/** A stored order. */
export interface Order {
  readonly id: string
  readonly user: string
  readonly lines: readonly OrderLine[]
  /** JSON of the payment provider; its shape depends on the payment method. */
  readonly payment: string
}

/** Round trip to the store in ms. */
const TRIP_MS = 3
/** Time of a search without an index, in ms. */
const SCAN_MS = 900

const TEAS = ['Assam', 'Ceylon', 'Darjeeling', 'Earl Grey', 'Genmaicha', 'Gyokuro', 'Lapsang', 'Oolong', 'Sencha']
const PRODUCTS: readonly Product[] = TEAS.map((name, index) => ({
  sku: `tea-${index + 1}`,
  name,
  cents: 390 + index * 45,
}))

/** The operations of the store. */
export interface Shop {
  getOrder(id: string): Promise<Order | undefined>
  getOrders(): Promise<Order[]>
  getProduct(sku: string): Promise<Product | undefined>
  /** Reads all products, because there is no index. */
  search(text: string): Promise<Product[]>
  createOrder(user: string, lines: readonly OrderLine[], payment: object): Promise<Order>
}

class MemoryShop implements Shop {
  readonly #products: ReadonlyMap<string, Product> = new Map(PRODUCTS.map((product) => [product.sku, product]))
  readonly #orders = new Map<string, Order>()

  async getOrder(id: string): Promise<Order | undefined> {
    await sleep(TRIP_MS)
    return this.#orders.get(id)
  }

  async getOrders(): Promise<Order[]> {
    await sleep(TRIP_MS)
    return [...this.#orders.values()]
  }

  async getProduct(sku: string): Promise<Product | undefined> {
    await sleep(TRIP_MS)
    return this.#products.get(sku)
  }

  /** Reads all products, because there is no index. */
  async search(text: string): Promise<Product[]> {
    await sleep(SCAN_MS)
    return [...this.#products.values()].filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
  }

  async createOrder(user: string, lines: readonly OrderLine[], payment: object): Promise<Order> {
    await sleep(TRIP_MS)
    const order = { id: String(this.#orders.size + 1), user, lines, payment: JSON.stringify(payment) }
    this.#orders.set(order.id, order)
    return order
  }
}

const SCHEMA = `
  create table products (sku text primary key, name text not null, cents integer not null);
  create table orders (id integer primary key, user text not null, lines text not null, payment text not null);
`
const ORDER = 'cast(id as text) as id, user, lines, payment'

interface OrderRow {
  readonly id: string
  readonly user: string
  readonly lines: string
  readonly payment: string
}

class SqliteShop implements Shop {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
    for (const { sku, name, cents } of PRODUCTS) {
      connection.prepare('insert into products (sku, name, cents) values (?, ?, ?)').get(sku, name, cents)
    }
  }

  /** Reports the query with its latency. */
  #query<Row>(text: string, params: readonly (string | number)[], latency = TRIP_MS): Promise<Row[]> {
    const send = async (): Promise<Row[]> => {
      await sleep(latency)
      // Proof: `Row` has the columns of the query.
      return this.#connection.prepare(text).all(...params) as Row[]
    }
    return observeCall({ kind: 'sql', text, params, target: 'shop' }, send, (rows) => ({ rows: rows.length }))
  }

  async getOrder(id: string): Promise<Order | undefined> {
    const rows = await this.#query<OrderRow>(`select ${ORDER} from orders where orders.id = ?`, [id])
    return rows.map(toOrder)[0]
  }

  async getOrders(): Promise<Order[]> {
    return (await this.#query<OrderRow>(`select ${ORDER} from orders order by orders.id`, [])).map(toOrder)
  }

  async getProduct(sku: string): Promise<Product | undefined> {
    const rows = await this.#query<Product>('select sku, name, cents from products where sku = ?', [sku])
    return rows[0]
  }

  async search(text: string): Promise<Product[]> {
    const query = "select sku, name, cents from products where name like '%' || ? || '%'"
    return (await this.#query<Product>(query, [text], SCAN_MS)).map((product) => ({ ...product }))
  }

  async createOrder(user: string, lines: readonly OrderLine[], payment: object): Promise<Order> {
    const values = [user, JSON.stringify(lines), JSON.stringify(payment)]
    const insert = `insert into orders (user, lines, payment) values (?, ?, ?) returning ${ORDER}`
    const [row] = await this.#query<OrderRow>(insert, values)
    return toOrder(row)
  }
}

function toOrder(row: OrderRow | undefined): Order {
  if (row === undefined) throw new Error('Cannot read an order: the database returned no row')
  return { ...row, lines: JSON.parse(row.lines) }
}

/** Creates a store with two orders: the first was paid by card, the second by bank transfer. */
export async function openShop(): Promise<Shop> {
  const connection = await openSqlite(SCHEMA)
  const shop = connection === null ? new MemoryShop() : new SqliteShop(connection)
  const lines = PRODUCTS.map(({ sku }, index) => ({ sku, quantity: 1 + (index % 3) }))
  await shop.createOrder('1', lines, { method: 'card', card: { last4: '4242' } })
  await shop.createOrder('2', lines.slice(0, 2), { method: 'transfer', reference: 'RF18-5390-0754' })
  return shop
}
