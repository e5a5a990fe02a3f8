/** Payments that are made once for each key, at most ten a minute from each address. */
import { createApp, Route, type Input } from 'verbena'
import { idempotency } from 'verbena/idempotency'
import { rateLimit } from 'verbena/limits'
import { sqliteIdempotency, sqliteLimits, type SqliteDatabase } from 'verbena/sqlite'
import * as z from 'zod'
import { openState } from './state.js'

interface State {
  readonly state: SqliteDatabase
}

/** Makes a payment, and returns its number. */
export type Pay = (amount: number) => Promise<number> | number

const once = idempotency({
  by: ({ request }) => request.ip,
  ttl: 86_400_000,
  store: ({ state }: State) => sqliteIdempotency(state, { create: true }),
})
const few = rateLimit({
  by: ({ request }) => request.ip,
  limit: 10,
  window: 60_000,
  store: ({ state }: State) => sqliteLimits(state, { create: true }),
})

export class Payments extends Route<{ pay: Pay }> {
  static readonly uses = { few }
  static readonly post = this.contract({
    idempotency: once,
    body: z.object({ amount: z.number().positive() }),
    returns: z.object({ number: z.number() }),
  })
  async post({ body }: Input<typeof Payments.post>) {
    return { number: await this.pay(body.amount) }
  }
}

/** Creates the app. Its stores are in the file of this path. */
export function paymentApp(path: string, pay: Pay) {
  return createApp({ routes: { Payments }, services: { state: openState(path), pay } })
}
