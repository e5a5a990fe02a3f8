/** A Redis server for the tests of a file, and a client of each supported package. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import type { RedisClient } from 'verbena/redis'
import { LIFETIME, type StoreTime } from '#test/store-contracts.js'
import { RedisServer } from './redis-server.js'

/** Packages whose clients the stores support. */
export const PACKAGES = ['redis', 'ioredis'] as const

export class RedisClients {
  readonly server = new RedisServer()
  readonly #clients = new Map<string, RedisClient>()
  readonly #ends: (() => unknown)[] = []
  #ioredis: Redis | undefined

  /** Starts the server before the tests of the file, and stops it after them. */
  constructor() {
    before(() => this.#start())
    after(() => this.#end())
  }

  async #start(): Promise<void> {
    await this.server.start()
    const sending = createClient({ url: this.server.url })
    sending.on('error', () => {})
    await sending.connect()
    this.#ends.push(() => sending.destroy())
    this.#ioredis = this.connect()
    this.#clients.set('redis', sending).set('ioredis', this.#ioredis)
  }

  async #end(): Promise<void> {
    for (const end of this.#ends) end()
    await this.server.remove()
  }

  /** Registers cleanup that runs before the server stops, such as ending a process. */
  atEnd(end: () => unknown): void {
    this.#ends.unshift(end)
  }

  /** Returns the client of a package. */
  of(name: string): RedisClient {
    return this.#clients.get(name) ?? assert.fail(`There is no client of ${name}`)
  }

  /** Moves the end of the entries of a key into the past, instead of waiting. */
  time(prefix: string): StoreTime {
    const pass = async (key: string, ms: number): Promise<void> => {
      const client = this.#ioredis ?? assert.fail('The server has not started')
      await client.pexpire(prefix + key, (await client.pttl(prefix + key)) - ms)
    }
    return { unit: LIFETIME, pass }
  }

  /** Moves the slots of a rate limit into the past. A slot of `LIFETIME` takes 1 s. */
  slotTime(prefix: string): StoreTime {
    const pass = async (key: string, ms: number): Promise<void> => {
      const client = this.#ioredis ?? assert.fail('The server has not started')
      const slots = Object.entries(await client.hgetall(prefix + key))
      const moved = slots.map(([slot, amount]) => [String(Number(slot) - Math.ceil(ms / 1_000)), amount])
      await client.hdel(prefix + key, ...slots.map(([slot]) => slot))
      await client.hset(prefix + key, Object.fromEntries(moved))
    }
    return { unit: LIFETIME, pass }
  }

  /** Connects another client, for the tests themselves. */
  connect(): Redis {
    const client = new Redis(this.server.url, { retryStrategy: () => 50 })
    client.on('error', () => {})
    this.#ends.push(() => client.disconnect())
    return client
  }
}
