/** The store of the troubles: orders and products, with simulated network latency. */
import { setTimeout as sleep } from 'node:timers/promises'

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
export class Shop {
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

/** Creates a store with two orders: the first was paid by card, the second by bank transfer. */
export async function openShop(): Promise<Shop> {
  const shop = new Shop()
  const lines = PRODUCTS.map(({ sku }, index) => ({ sku, quantity: 1 + (index % 3) }))
  await shop.createOrder('1', lines, { method: 'card', card: { last4: '4242' } })
  await shop.createOrder('2', lines.slice(0, 2), { method: 'transfer', reference: 'RF18-5390-0754' })
  return shop
}
