import { bearer, createApp, Route, type Input, type Result } from 'verbena'
import { idempotency } from 'verbena/idempotency'
import * as z from 'zod'

type Charge = (user: string, cents: number) => Promise<number>

const users = new Map([
  ['a1b2', { name: 'ada' }],
  ['c3d4', { name: 'ben' }],
])
const user = bearer((token) => users.get(token))
const once = idempotency({ by: ({ user }) => user.name, uses: { user }, ttl: 86_400_000 })

class Payments extends Route<{ charge: Charge }> {
  static readonly post = this.contract({
    uses: { user },
    idempotency: once,
    body: z.object({ cents: z.int().positive() }),
    returns: z.object({ receipt: z.int() }),
    status: 201,
  })
  async post({ body, user }: Input<typeof Payments.post>): Result<typeof Payments.post> {
    return { receipt: await this.charge(user.name, body.cents) }
  }
}

export const createPayments = (charge: Charge) => createApp({ services: { charge }, routes: { Payments } })
