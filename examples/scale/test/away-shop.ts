/** An app whose stores lose their server, with one request for each command that a store sends. */
import assert from 'node:assert/strict'
import { createApp, Route, type AdditionalServices, type Input } from 'verbena'
import { idempotency, type IdempotencyStore } from 'verbena/idempotency'
import { rateLimit, type LimitStore } from 'verbena/limits'
import { session, type SessionStore } from 'verbena/session'
import * as z from 'zod'

/** The stores of a shop. */
export interface Stores {
  readonly sessions: SessionStore
  readonly keys: IdempotencyStore
  readonly limits: LimitStore
}

/** The functions of a shop for a test. */
export interface Shop {
  /** Sends a request; returns its status. */
  readonly send: (path: string, method?: string, headers?: Readonly<Record<string, string>>) => Promise<number>
  /** Sends a request with the cookie of a session that exists. */
  readonly sendSignedIn: (path: string, method?: string) => Promise<number>
  /** Signs in, so that the next requests have a new session. */
  readonly signIn: () => Promise<number>
  /** Keys of the payments that were made. */
  readonly made: string[]
  /** Runs when a payment is made. */
  onMade: () => void
  /** Messages of warnings and errors in the log. */
  readonly lines: string[]
  readonly close: () => Promise<void>
}

/** Creates a shop, with further routes. */
export function createShop(
  { sessions, keys, limits }: Stores,
  further: object = {},
  services: AdditionalServices = {},
): Shop {
  const counted = { by: () => 'ada', limit: 1_000_000, window: 60_000, store: limits }
  const closed = rateLimit({ ...counted, name: 'closed' })
  const open = rateLimit({ ...counted, name: 'open', whenDown: 'open' })
  const visitor = session({ schema: z.object({ count: z.int() }), keys: ['k'.repeat(43)], store: sessions })
  const once = idempotency({ by: () => 'ada', ttl: 60_000, lease: 1_000, store: keys })
  const made: string[] = []

  class Closed extends Route {
    static readonly get = this.contract({ uses: { closed } })
    async get() {}
  }
  class Open extends Route {
    static readonly get = this.contract({ uses: { open } })
    async get() {}
  }
  class Cart extends Route {
    static readonly get = this.contract({ uses: { visitor } })
    async get({ visitor }: Input<typeof Cart.get>) {
      assert.ok(visitor.value !== undefined, 'the user is signed out')
    }
    static readonly post = this.contract({ uses: { visitor } })
    async post({ visitor }: Input<typeof Cart.post>) {
      visitor.start({ count: 0 })
    }
    static readonly put = this.contract({ uses: { visitor } })
    async put({ visitor }: Input<typeof Cart.put>) {
      visitor.set({ count: (visitor.value?.count ?? 0) + 1 })
    }
    static readonly delete = this.contract({ uses: { visitor } })
    async delete({ visitor }: Input<typeof Cart.delete>) {
      visitor.end()
    }
  }
  class Payments extends Route {
    static readonly post = this.contract({
      idempotency: once,
      query: z.object({ fail: z.string().optional() }),
      returns: null,
    })
    async post({ request, query }: Input<typeof Payments.post>) {
      made.push(String(request.idempotencyKey))
      shop.onMade()
      if (query.fail !== undefined) throw new Error('the payment fails')
    }
  }
  const lines: string[] = []
  const write = (_fields: object, message = ''): void => void lines.push(message)
  const logger = { debug: () => {}, info: () => {}, warn: write, error: write }
  const routes = { Closed, Open, Cart, Payments, ...further }
  const app = createApp({ routes, services, logger, signals: false })
  let cookie = ''
  const fetchFrom = (path: string, method: string, headers: Readonly<Record<string, string>>): Promise<Response> =>
    app.fetch(new Request(`http://localhost${path}`, { method, headers }))
  const shop: Shop = {
    made,
    onMade: () => {},
    lines,
    close: () => app.close(),
    send: async (path, method = 'GET', headers = {}) => (await fetchFrom(path, method, headers)).status,
    sendSignedIn: async (path, method = 'GET') => (await fetchFrom(path, method, { cookie })).status,
    async signIn() {
      const response = await fetchFrom('/cart', 'POST', {})
      cookie = response.headers.getSetCookie()[0]?.replace(/;.*/, '') ?? cookie
      return response.status
    },
  }
  return shop
}

/** A request, and the command that it sends to the server of the stores. */
export interface AwayCase {
  readonly name: string
  /** Text in the command. */
  readonly command: string
  /** Prepares the request, while the server is available. */
  readonly prepare?: (shop: Shop) => Promise<unknown>
  readonly send: (shop: Shop, key: string) => Promise<number>
  /** Status if the command is lost. */
  readonly lost: number
  /** Status of the same request afterwards. */
  readonly again: number
}

const keyed = (key: string): { readonly 'idempotency-key': string } => ({ 'idempotency-key': `"${key}"` })

/** Requests with the commands of their stores. `commands` has the text of each. */
export function awayCases(commands: Readonly<Record<string, string>>): AwayCase[] {
  const text = (name: string): string => commands[name] ?? assert.fail(`there is no command ${name}`)
  const prepare = (shop: Shop): Promise<number> => shop.signIn()
  const pay = (shop: Shop, key: string, path = '/payments'): Promise<number> => shop.send(path, 'POST', keyed(key))
  return [
    {
      name: 'read a session',
      command: text('get'),
      prepare,
      send: (shop) => shop.sendSignedIn('/cart'),
      lost: 503,
      again: 204,
    },
    { name: 'start a session', command: text('start'), send: (shop) => shop.signIn(), lost: 503, again: 204 },
    {
      name: 'change a session',
      command: text('change'),
      prepare,
      send: (shop) => shop.sendSignedIn('/cart', 'PUT'),
      lost: 503,
      again: 204,
    },
    {
      name: 'end a session',
      command: text('end'),
      prepare,
      send: (shop) => shop.sendSignedIn('/cart', 'DELETE'),
      lost: 503,
      again: 204,
    },
    {
      name: 'count for a closed limit',
      command: text('count'),
      send: (shop) => shop.send('/closed'),
      lost: 503,
      again: 204,
    },
    {
      name: 'count for an open limit',
      command: text('count'),
      send: (shop) => shop.send('/open'),
      lost: 204,
      again: 204,
    },
    { name: 'claim a key', command: text('claim'), send: pay, lost: 503, again: 204 },
    { name: 'store a response', command: text('keep'), send: pay, lost: 204, again: 204 },
    {
      name: 'release a key',
      command: text('free'),
      send: (shop, key) => pay(shop, key, '/payments?fail=yes'),
      lost: 500,
      again: 500,
    },
  ]
}
