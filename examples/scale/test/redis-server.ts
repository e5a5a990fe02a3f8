/** A Redis server for a test, in a temporary folder and on a free port of 127.0.0.1. */
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { UsedServer } from '../../../test/support/how-to-tests.js'
import { OwnServer, type ServerSettings } from '../../postgres/test/own-server.js'

/** Path in Debian's package. */
const DEBIAN = '/usr/bin/redis-server'

/** A server that can be stopped and restarted on the same port. */
export class RedisServer {
  readonly #own: OwnServer

  constructor(settings: ServerSettings = {}) {
    const ready = 'Ready to accept connections'
    this.#own = new OwnServer({ name: 'Redis', path: findBinary(), ready, crash: 'SIGKILL' }, settings)
  }

  /** URL for clients. */
  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /** The port; 0 before the first start. */
  get port(): number {
    return this.#own.port
  }

  /** Starts the server without data: first on a free port, later on the same port. */
  start(): Promise<void> {
    const settings = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', this.#own.folder]
    return this.#own.start((port) => ['--port', String(port), ...settings])
  }

  /** Stops the server, and waits for its end. */
  stop(): Promise<void> {
    return this.#own.stop()
  }

  /** Stops the server, and removes its folder. */
  remove(): Promise<void> {
    return this.#own.remove()
  }
}

function findBinary(): string {
  const known = process.env['REDIS_BIN'] ?? DEBIAN
  if (existsSync(known)) return known
  throw new Error(
    `Cannot find Redis: there is no ${known}. Install it: apt-get install redis-server. Or name it: REDIS_BIN`,
  )
}

/** Starts a server for a task page, which has the default port. */
export async function startRedis(): Promise<UsedServer> {
  const server = new RedisServer()
  await server.start()
  const restart = async (): Promise<void> => {
    await server.stop()
    await sleep(1_000)
    await server.start()
  }
  return { words: { 6379: String(server.port) }, restart, close: () => server.remove() }
}
