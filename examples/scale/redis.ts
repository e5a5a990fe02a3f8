/** Redis: what all processes have to know at once, and may lose. */
import { EventEmitter, on } from 'node:events'
import { service } from 'verbena'
import { createClient } from 'redis'
import { settings } from './settings.js'

/** The client that the stores use, too. While Redis is down its commands fail at once: a request that waits helps nobody. */
export const client = createClient({
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

/** Connects when the app starts. It has no `check`, as the database has none. */
export const redis = service(
  async () => {
    await client.connect()
    return client
  },
  { close: (connected) => connected.close() },
)

/** What is left of a concert after a sale. */
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

  /** Tells all processes. A message is lost where nobody listens, so the streams are news and no record. */
  async announce(sale: Sale): Promise<void> {
    await client.publish(CHANNEL, JSON.stringify(sale))
  }

  /** Those that come from now on. */
  async *heard(signal: AbortSignal): AsyncGenerator<Sale> {
    for await (const [sale] of on(this.#heard, 'sale', { signal })) yield sale
  }

  close(): Promise<void> {
    return this.#subscriber.close()
  }
}

export const sales = service(() => new Sales().open(), { close: (opened) => opened.close() })
