/** The method stores the receipt after the charge, so an early retry does not find it. */
import { bearer, createApp, Route, service, type Input, type Result } from 'verbena'
import * as z from 'zod'

type Charge = (user: string, cents: number) => Promise<number>

const users = new Map([
  ['a1b2', { name: 'ada' }],
  ['c3d4', { name: 'ben' }],
])
const user = bearer((token) => users.get(token))

class Payments extends Route<{ charge: Charge; receipts: Map<string, number> }> {
  static readonly post = this.contract({
    uses: { user },
    headers: z.object({ 'idempotency-key': z.string() }),
    body: z.object({ cents: z.int().positive() }),
    returns: z.object({ receipt: z.int() }),
    status: 201,
  })
  async post({ body, headers, user }: Input<typeof Payments.post>): Result<typeof Payments.post> {
    const key = `${user.name} ${headers['idempotency-key']}`
    const receipt = this.receipts.get(key) ?? (await this.charge(user.name, body.cents))
    this.receipts.set(key, receipt)
    return { receipt }
  }
}

export function createPayments(charge: Charge) {
  const receipts = service(() => new Map<string, number>())
  return createApp({ services: { charge, receipts }, routes: { Payments } })
}
