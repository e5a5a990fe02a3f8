/** A payments app for the idempotency tests. */
import { HttpError, provide, Route, type AnyProvider, type App, type Input, type Middleware } from 'verbena'
import {
  idempotency,
  type IdempotencyStore,
  type IdempotencyStoreWithin,
  type KeyClaim,
  type KeyState,
} from 'verbena/idempotency'
import * as z from 'zod'
import { captureLog, createUntypedApp, type Line } from '#test/apps.js'

/** Options of the app, its contracts and `idempotency()`. */
export interface ShopOptions {
  readonly store?: IdempotencyStore
  readonly required?: boolean
  readonly ttl?: number
  readonly by?: (input: { user: string }) => unknown
  readonly uses?: Readonly<Record<string, AnyProvider>>
  /** Replaces the method; returns the reply. */
  readonly pay?: (input: Payment) => unknown
  readonly contract?: object
  readonly middleware?: readonly Middleware[]
  readonly app?: object
}

/** Input of the method. */
export type Payment = Input & { readonly body: { readonly amount: number } }

/** An app, the amount of each call of its method, and its log. */
export interface Shop {
  readonly app: App
  readonly made: number[]
  readonly lines: readonly Line[]
}

/** Returns the user in the header `x-user`; default `ada`. Responds 401 to `nobody`. */
export const user = provide({ guard: true }, ({ request }) => {
  const { 'x-user': name = 'ada' } = request.headers
  if (name === 'nobody') throw new HttpError(401)
  return name
})

/** Creates the app. `POST /payments` and `POST /orders/{id}` accept `{ amount }`, and respond 201 with the number of the payment. */
export function createShop(options: ShopOptions = {}): Shop {
  const { by = ({ user: name }) => name, uses = {}, pay, contract = {}, middleware = [], app = {}, ...given } = options
  const made: number[] = []
  // Proof: some tests pass values that the types reject.
  const once = idempotency({ ttl: 60_000, ...given, by: by as () => string, uses: { user } })
  const method = async (input: Payment): Promise<unknown> => {
    made.push(input.body.amount)
    return pay === undefined ? { number: made.length } : pay(input)
  }
  const spec = {
    ...{ idempotency: once, uses, body: z.object({ amount: z.number() }) },
    ...{ returns: z.object({ number: z.number() }), status: 201, errors: [402] },
    ...contract,
  }
  class Payments extends Route {
    static readonly post = this.contract(spec)
    post(input: Payment) {
      return method(input)
    }
  }
  class Orders extends Route {
    static readonly path = '/orders/{id}'
    static readonly post = this.contract(spec)
    post(input: Payment) {
      return method(input)
    }
  }
  const { logger, lines } = captureLog()
  return {
    app: createUntypedApp({ routes: { Payments, Orders }, middleware, logger, signals: false, ...app }),
    made,
    lines,
  }
}

/** Builds a payment request; `key` is the raw value of the header, or `null` to omit it. */
export function paymentRequest(amount: number, key: string | null, headers: Record<string, string> = {}): RequestInit {
  const named = key === null ? {} : { 'idempotency-key': key }
  const fields = { 'content-type': 'application/json', ...named, ...headers }
  return { method: 'POST', headers: fields, body: JSON.stringify({ amount }) }
}

/** A key in a store of the tests. */
export interface Entry {
  claim: KeyClaim
  response: string | null
  end: number
}

/** A store whose leases expire like in an external store, by a clock that the test sets. */
export class LeasedStore implements IdempotencyStore {
  readonly entries = new Map<string, Entry>()
  now: number = 0

  async claim(claim: KeyClaim): Promise<KeyState> {
    const known = this.#entryOf(claim)
    if (known !== undefined && known.claim.request !== claim.request) return { state: 'mismatch' }
    if (known !== undefined && known.response !== null) return { state: 'completed', response: known.response }
    if (known !== undefined && known.claim.owner !== claim.owner) return { state: 'in-progress' }
    this.entries.set(claim.key, { claim, response: null, end: this.now + claim.lease })
    return { state: 'claimed' }
  }

  async complete(claim: KeyClaim, response: string, ttl: number): Promise<boolean> {
    const known = this.#entryOf(claim)
    if (known !== undefined && known.claim.owner !== claim.owner) return false
    this.entries.set(claim.key, { claim, response, end: this.now + ttl })
    return true
  }

  async release(claim: KeyClaim): Promise<void> {
    if (this.#entryOf(claim)?.claim.owner === claim.owner) this.entries.delete(claim.key)
  }

  #entryOf({ key }: KeyClaim): Entry | undefined {
    const entry = this.entries.get(key)
    return entry === undefined || entry.end <= this.now ? undefined : entry
  }
}

/** Rows and responses of one transaction. */
export interface Staging {
  readonly rows: unknown[]
  readonly responses: Map<string, Entry>
}

/** A store whose responses can be part of a transaction. Each key has one response, like in a table with a primary key. */
export class StagedStore extends LeasedStore implements IdempotencyStoreWithin<Staging> {
  /** Responses of committed transactions by key. */
  readonly committed = new Map<string, Entry>()
  /** Called before a response is stored. */
  beforeComplete: (claim: KeyClaim) => unknown = () => {}

  override async claim(claim: KeyClaim): Promise<KeyState> {
    const stored = this.committed.get(claim.key)
    if (stored === undefined) return super.claim(claim)
    if (stored.claim.request !== claim.request) return { state: 'mismatch' }
    return { state: 'completed', response: stored.response ?? '' }
  }

  async completeWithin(claim: KeyClaim, response: string, ttl: number, through: Staging): Promise<boolean> {
    await this.beforeComplete(claim)
    if (this.committed.has(claim.key)) return false
    through.responses.set(claim.key, { claim, response, end: this.now + ttl })
    return true
  }
}
