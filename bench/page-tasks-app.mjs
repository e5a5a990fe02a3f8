/** The app of `page-tasks.mjs`: tags, two kinds of credentials, errors, and an operation that version 2 replaced. */
import { apiKey, bearer, createApp, Route } from 'verbena'
import { version } from 'verbena/decorators'
import * as z from 'zod'

export const VERSIONS = ['1.0.0', '2.0.0']

const customer = bearer(() => ({ id: 1 }), { format: 'JWT' })
const clerk = apiKey({ in: 'header', name: 'x-clerk-key' }, () => ({ id: 2 }))

const Id = z.int().min(1)
const Name = z.string().min(1).max(80)
const NewTea = z.object({ name: Name.describe('As it is on the package'), gramPrice: z.number().min(0) })
const Tea = NewTea.extend({ id: Id }).meta({ id: 'Tea' })
const Line = z.object({ tea: Id.describe('Id of a tea'), grams: z.int().min(10).max(1000).default(100) })
const OldOrder = Line.extend({ note: z.string().max(200).optional() })
const NewOrder = OldOrder.extend({ address: z.string().min(10).max(300).describe('Where we send the tea') })
const Order = Line.extend({ id: Id, state: z.enum(['placed', 'paid', 'sent']) }).meta({ id: 'Order' })
const Customer = z.object({ id: Id, name: Name, email: z.email() }).meta({ id: 'Customer' })

class Teas extends Route {
  static tags = ['teas']
  static get = this.contract({
    query: z.object({ limit: z.int().min(1).max(100).default(20), origin: z.string().optional() }),
    returns: z.array(Tea),
    summary: 'List teas',
  })
  get() {
    return []
  }

  static post = this.contract({
    body: NewTea,
    returns: Tea,
    status: 201,
    uses: { clerk },
    errors: { 409: 'A tea has this name' },
    summary: 'Add a tea',
  })
  post({ body }) {
    return { id: 1, ...body }
  }
}

class TeaById extends Route {
  static tags = ['teas']
  static path = '/teas/{id}'
  static get = this.contract({ params: z.object({ id: Id }), returns: Tea, errors: [404], summary: 'Read a tea' })
  get() {
    return { id: 1, name: 'Assam', gramPrice: 0.1 }
  }

  static delete = this.contract({
    params: z.object({ id: Id }),
    uses: { clerk },
    errors: [404],
    summary: 'Remove a tea',
  })
  delete() {}
}

class Me extends Route {
  static tags = ['customers']
  static uses = { customer }
  static get = this.contract({ returns: Customer, summary: 'Read the customer' })
  get() {
    return { id: 1, name: 'Ada', email: 'ada@example.com' }
  }

  static patch = this.contract({
    body: Customer.omit({ id: true }).partial(),
    returns: Customer,
    summary: 'Change the customer',
  })
  patch() {
    return this.get()
  }
}

class OrderById extends Route {
  static tags = ['orders']
  static uses = { customer }
  static path = '/orders/{id}'
  static get = this.contract({ params: z.object({ id: Id }), returns: Order, errors: [404], summary: 'Read an order' })
  get() {
    return { id: 1, tea: 1, grams: 100, state: 'placed' }
  }
}

const errors = { 402: 'The card was declined', 404: 'The tea does not exist', 409: 'The tea is sold out' }
const placing = { returns: Order, status: 201, errors, summary: 'Place an order' }

class OrdersV1 extends Route {
  static tags = ['orders']
  static uses = { customer }
  static path = '/orders'
  static post = this.contract({ ...placing, body: OldOrder, decorators: [version('1.x')] })
  post({ body }) {
    return { ...body, id: 1, state: 'placed' }
  }
}

class OrdersV2 extends Route {
  static tags = ['orders']
  static uses = { customer }
  static path = '/orders'
  static post = this.contract({ ...placing, body: NewOrder, decorators: [version('2.x')] })
  post({ body }) {
    return { ...body, id: 1, state: 'placed' }
  }
}

export const app = createApp({
  name: 'Tea shop',
  version: VERSIONS.at(-1),
  routes: { Teas, TeaById, OrdersV1, OrdersV2, OrderById, Me },
  logger: false,
  devConsole: false,
  compression: {},
  openapi: {
    page: '/docs',
    info: { description: 'Sells tea by weight, and sends it to your door.' },
    tags: [
      { name: 'teas', description: 'What the shop sells.' },
      { name: 'orders', description: 'What customers bought.' },
      { name: 'customers', description: 'Accounts of customers.' },
    ],
  },
})
