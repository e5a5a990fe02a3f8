/** Outbox: messages that are written in the transaction of their work, and sent by a worker as signed webhooks, at least once. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { service, type Logger } from 'verbena'
import { signWebhook } from 'verbena/auth'
import type { Queryable } from './database.js'

/** Settings of the worker. */
export interface OutboxConfig {
  readonly WEBHOOK_URL: string
  readonly WEBHOOK_SECRET: string
  /** Maximum time of a delivery, in ms. */
  readonly WEBHOOK_TIMEOUT: number
}

interface Dependencies {
  readonly config: OutboxConfig
  readonly db: Queryable
  readonly log: Logger
}

interface Message {
  readonly id: string
  readonly body: string
  readonly attempts: number
}

/** Maximum number of messages that a worker sends at the same time. */
const BATCH = 10
/** Time between two queries while nothing is due, in ms. */
const PAUSE = 200
/** Delay after a failed delivery, in ms: doubled after each attempt, up to an hour. */
const FIRST_DELAY = 250
const MAX_DELAY = 3_600_000

/**
 * Claims messages that are due, each for one worker. The claim has no lock and no open transaction: it postpones the message, so that it is
 * due again if this process dies.
 */
const CLAIM = `update outbox set attempts = attempts + 1, next_at = now() + $1::float8 * interval '1 millisecond'
  where id in (select id from outbox where next_at <= now() order by next_at limit ${BATCH} for update skip locked)
  returning id, body, attempts`
const POSTPONE = `update outbox set next_at = now() + $2::float8 * interval '1 millisecond' where id = $1`

/** Adds a message. Call it with the transaction of the work, so that neither exists without the other. */
export async function addMessage(tx: Queryable, event: object): Promise<void> {
  // The receiver ignores an id that it knows, so each delivery of a message has the same id.
  await tx.query('insert into outbox (id, body) values ($1, $2)', [randomUUID(), JSON.stringify(event)])
}

/** Creates the service of the worker: it begins when the app starts, and ends before the services that it needs are closed. */
export function outbox() {
  return service((dependencies: Dependencies) => new OutboxWorker(dependencies), { close: (worker) => worker.close() })
}

class OutboxWorker {
  readonly #dependencies: Dependencies
  readonly #closing = new AbortController()
  readonly #running: Promise<void>

  constructor({ config, db, log }: Dependencies) {
    this.#dependencies = { config, db, log }
    this.#running = this.#run()
  }

  /** Waits for deliveries in progress. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      const count = await this.#sendDue().catch((err: unknown) => {
        this.#dependencies.log.warn({ err }, 'Failed to read the outbox')
        return 0
      })
      if (count < BATCH) await sleep(PAUSE, undefined, { signal }).catch(() => {})
    }
  }

  /** Returns the number of messages that were due. */
  async #sendDue(): Promise<number> {
    const { config, db } = this.#dependencies
    // Longer than a delivery can take, so that no other worker sends the message at the same time.
    const { rows } = await db.query<Message>(CLAIM, [config.WEBHOOK_TIMEOUT * 2])
    await Promise.all(rows.map((message) => this.#deliver(message)))
    return rows.length
  }

  async #deliver(message: Message): Promise<void> {
    const { db, log } = this.#dependencies
    const { id, attempts } = message
    try {
      await this.#send(message)
      // If the process dies before this, the message is sent again.
      await db.query('delete from outbox where id = $1', [id])
    } catch (err) {
      const delay = Math.min(FIRST_DELAY * 2 ** (attempts - 1), MAX_DELAY)
      log.warn({ err, webhook: id, attempts, delay }, 'Webhook not delivered')
      // If this fails too, the message is due again when its claim expires.
      await db.query(POSTPONE, [id, delay]).catch(() => {})
    }
  }

  async #send({ id, body }: Message): Promise<void> {
    const { WEBHOOK_URL: url, WEBHOOK_SECRET: secret, WEBHOOK_TIMEOUT: timeout } = this.#dependencies.config
    const headers = {
      'content-type': 'application/json',
      ...signWebhook({ id, timestamp: new Date(), body, secret }),
    }
    const signal = AbortSignal.timeout(timeout)
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' })
    // An unread body keeps the connection open.
    await response.body?.cancel()
    if (!response.ok) throw new Error(`The receiver responded with ${response.status}`)
  }
}
