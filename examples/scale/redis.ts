/** Redis: state that all processes share immediately, and that may be lost. */
import { EventEmitter, on } from 'node:events'
import { service } from 'verbena'
import { createClient } from 'redis'
import { settings } from './settings.js'

/** The client of the service `redis`. While Redis is down, its commands fail immediately instead of waiting. */
const client = createClient({
  url: settings.REDIS_URL,
  disableOfflineQueue: true,
  socket: {
    connectTimeout: 1_000,
    socketTimeout: 5_000,
    reconnectStrategy: (attempt) => Math.min(50 * attempt, 1_000),
  },
  pingInterval: 2_000,
})
client.on('error', (error: unknown) => console.error(`Redis: ${String(error)}`))

/** Connects when the app starts. Like the database, it has no `check`. */
export const redis = service(
  async () => {
    await client.connect()
    return client
  },
  { close: (connected) => connected.close() },
)

/** A sale, and the tickets that are still available. */
export interface Sale {
  readonly concert: number
  readonly available: number
}

const CHANNEL = 'sales'

/** Sales of all processes, for the event streams of this one. */
export class Sales {
  readonly #heard = new EventEmitter().setMaxListeners(0)
  readonly #subscriber = client.duplicate({ disableOfflineQueue: false })

  async open(): Promise<this> {
    this.#subscriber.on('error', () => {})
    await this.#subscriber.connect()
    await this.#subscriber.subscribe(CHANNEL, (text) => void this.#heard.emit('sale', JSON.parse(text)))
    return this
  }

  /** Publishes a sale to all processes. Messages without a subscriber are lost, so the streams are not a complete record. */
  async announce(sale: Sale): Promise<void> {
    await client.publish(CHANNEL, JSON.stringify(sale))
  }

  /** Yields all future sales. */
  async *heard(signal: AbortSignal): AsyncGenerator<Sale> {
    for await (const [sale] of on(this.#heard, 'sale', { signal })) yield sale
  }

  close(): Promise<void> {
    return this.#subscriber.close()
  }
}

export const sales = service(() => new Sales().open(), { close: (opened) => opened.close() })
