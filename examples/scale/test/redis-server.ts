/** A Redis server for a test: in a temporary folder, on a free port of the loopback, gone when the test is over. */
import { existsSync } from 'node:fs'
import { OwnServer, type ServerSettings } from '../../postgres/test/own-server.js'

/** Where Debian's package puts it. */
const DEBIAN = '/usr/bin/redis-server'

/** A server that can be stopped and started again on its port. */
export class RedisServer {
  readonly #own: OwnServer

  constructor(settings: ServerSettings = {}) {
    const ready = 'Ready to accept connections'
    this.#own = new OwnServer({ name: 'Redis', path: findBinary(), ready, crash: 'SIGKILL' }, settings)
  }

  /** What clients connect to. */
  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /** The port, once it has started. */
  get port(): number {
    return this.#own.port
  }

  /** Starts it; the first time on a port that was free a moment ago, then on the same. Nothing is kept from before. */
  start(): Promise<void> {
    const settings = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', this.#own.folder]
    return this.#own.start((port) => ['--port', String(port), ...settings])
  }

  /** Stops it and waits for its end. */
  stop(): Promise<void> {
    return this.#own.stop()
  }

  /** Stops it and leaves nothing behind. */
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
