/** Receiver of the webhooks: books each payment once, although a message can arrive several times. */
import { createApp, health, Route, type CommonOptions, type Input, type Result } from 'verbena'
import { webhook } from 'verbena/auth'
import * as z from 'zod'
import { database, transaction } from './database.js'

/** Settings of the receiver. To rotate the secret, add the new one, let the sender change, then remove the old one. */
export const ReceiverConfig = z.object({
  DATABASE_URL: z.url(),
  PORT: z.int().min(0).max(65_535).default(3001),
  WEBHOOK_SECRETS: z.string().transform((secrets) => secrets.split(',')),
})
type ReceiverConfig = z.output<typeof ReceiverConfig>

const SCHEMA = `
  create table if not exists webhooks (id text primary key, received_at timestamptz not null default now());
  create table if not exists bookings (payment integer not null, account integer not null, cents integer not null);
`

const Id = z.int().min(1)
const Event = z.object({
  type: z.literal('payment.made'),
  payment: z.object({ id: Id, target: Id, cents: Id }),
})

const event = webhook({ secrets: ({ config }: { config: ReceiverConfig }) => config.WEBHOOK_SECRETS })

export class Webhooks extends Route {
  static readonly post = this.contract({ uses: { event, tx: transaction }, body: Event, returns: null })
  async post({ event, body, tx }: Input<typeof Webhooks.post>): Result<typeof Webhooks.post> {
    // The id is committed with the booking, or rolled back with it. A second request with the same id waits for the first one.
    const insert = 'insert into webhooks (id) values ($1) on conflict do nothing'
    const { rowCount } = await tx.query(insert, [event.id])
    // 204 also for a repeated message, so that the sender stops.
    if (rowCount === 0) return
    const { id, target, cents } = body.payment
    await tx.query('insert into bookings (payment, account, cents) values ($1, $2, $3)', [id, target, cents])
  }
}

/** Creates the app. */
export function receiverApp(config: ReceiverConfig, common: CommonOptions = {}) {
  const services = { config, db: database(SCHEMA) }
  return createApp({ name: 'receiver', version: '1.0.0', services, routes: { Webhooks, ...health() }, ...common })
}
