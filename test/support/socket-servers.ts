/** Each kind of server of an app with upgrades, and a watch on the `error` listener of all its sockets. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Server, Socket, type AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { bearer, Route, text, type App, type Input } from 'verbena'
import { upgrade } from 'verbena/upgrade'
import { captureLog, createUntypedApp } from './apps.js'
import type { Target } from './socket-sequences.js'
import { attachUpgrade, SWITCHING } from './upgrades.js'

const FOLDER = 'test/fixtures/tls'

class Unread extends Route {
  static readonly post = this.contract({})
  get() {
    return 'now'
  }

  post() {
    return 'unread'
  }
}

class Slow extends Route {
  async get() {
    await turn()
    return 'later'
  }
}

class Stream extends Route {
  async *get() {
    for (let part = 0; part < 3; part++) {
      yield 'part'
      await turn()
    }
  }
}

class Read extends Route {
  static readonly post = this.contract({ body: text() })
  post({ body }: Input<typeof Read.post>) {
    return body
  }
}

/** A kind of server, and whether requests arrive on the fast path. */
export interface Place extends Omit<Target, 'port'> {
  readonly name: string
  readonly fastPath: boolean
  /** Starts the app. Returns its port. */
  open(app: App): Promise<number>
}

async function openHandler(app: App): Promise<number> {
  const server = createServer(checkOften, app.handler)
  handlers.set(app, server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // Proof: the server listens on a TCP port.
  return (server.address() as AddressInfo).port
}

/** Servers that do not end with their app. */
const handlers = new WeakMap<App, Server>()

function openTls(app: App): Promise<number> {
  const tls = { key: readFileSync(`${FOLDER}/key.pem`), cert: readFileSync(`${FOLDER}/cert.pem`) }
  return app.listen({ tls }).then(({ port }) => port)
}

/** Checks timeouts as often as the servers of Verbena. */
const checkOften = { connectionsCheckingInterval: 1000 }

const openOwn = (app: App): Promise<number> => app.listen().then(({ port }) => port)

/** All kinds of servers; TLS once. */
export const PLACES: readonly Place[] = [
  { name: 'listen', fastPath: true, isTls: false, isOwn: true, open: openOwn },
  { name: 'listen', fastPath: false, isTls: false, isOwn: true, open: openOwn },
  {
    name: 'attach',
    fastPath: true,
    isTls: false,
    isOwn: true,
    open: (app) => attachUpgrade(app, createServer(checkOften)),
  },
  {
    name: 'attach',
    fastPath: false,
    isTls: false,
    isOwn: true,
    open: (app) => attachUpgrade(app, createServer(checkOften)),
  },
  { name: 'handler', fastPath: true, isTls: false, isOwn: false, open: openHandler },
  { name: 'handler', fastPath: false, isTls: false, isOwn: false, open: openHandler },
  { name: 'listen with TLS', fastPath: true, isTls: true, isOwn: true, open: openTls },
]

/** An app on one of the servers, and what happened on its sockets. */
export interface SocketApp extends Target {
  /** Sockets that the handler of upgrades got, and how many of them closed. */
  readonly counts: { accepted: number; closed: number }
  /** Messages in the log. */
  readonly messages: () => string[]
  readonly watch: SocketWatch
  close(): Promise<void>
}

/** Starts an app, and watches its sockets. */
export async function openSocketApp({ fastPath, isTls, isOwn, open }: Place): Promise<SocketApp> {
  const counts = { accepted: 0, closed: 0 }
  const live = upgrade({}, (_input, socket, head) => {
    counts.accepted++
    socket.on('close', () => void counts.closed++)
    socket.write(SWITCHING)
    socket.write(head)
    socket.pipe(socket)
  })
  const user = bearer(() => null)
  const routes = { Unread, Slow, Stream, Read, '/live': live, '/guarded': upgrade({ uses: { user } }, () => {}) }
  const { logger, lines } = captureLog()
  const timeouts = { headers: 1000, keepAlive: 100, body: 500 }
  const app = createUntypedApp({ routes, logger, signals: false, devConsole: false, fastPath, timeouts })
  const watch = new SocketWatch(isOwn ? 'connection' : 'request')
  const port = await open(app)
  const server = handlers.get(app)
  // Proof: `openHandler` creates a server of `node:http`.
  if (server !== undefined) Object.assign(server, { keepAliveTimeout: 100, headersTimeout: 1000, requestTimeout: 1000 })
  return {
    ...{ port, isTls, isOwn, counts, watch },
    messages: () => lines.map(({ message, fields }) => `${message} ${String(fields['err'])}`),
    close: async () => {
      await app.close()
      if (server !== undefined) await new Promise((resolve) => server.close(resolve))
      watch.stop()
    },
  }
}

/** The listener of Verbena; its name is the same in `dist`. */
const countOurs = (socket: Socket): number =>
  socket.listeners('error').filter(({ name }) => name.startsWith('onSocketError')).length

/**
 * Checks after each event of a server's socket, and in the turn after it, that the socket has the `error` listener of Verbena, once, until
 * it emits `close`.
 */
export class SocketWatch {
  /** Violations: the event, and the number of listeners. */
  readonly faults = new Set<string>()
  /** Number of sockets, and of checks. */
  sockets = 0
  checks = 0
  readonly #live = new Set<Socket>()
  readonly #emit = Server.prototype.emit
  #changed = new Set<Socket>()

  /**
   * @param from event of the server after which a socket must have the listener: an app below a `handler` does not see connections
   */
  constructor(from: 'connection' | 'request') {
    const add = (socket: Socket, event: string): void => this.#add(socket, event)
    const emit = this.#emit
    const begins = from === 'request' ? ['request'] : ['connection', 'secureConnection', 'upgrade', 'connect']
    Server.prototype.emit = function (this: Server, event: string | symbol, ...given: unknown[]) {
      const result = Reflect.apply(emit, this, [event, ...given])
      const [first] = given
      const socket: unknown = from === 'request' ? Reflect.get(Object(first), 'socket') : first
      if (begins.includes(String(event)) && socket instanceof Socket) add(socket, String(event))
      return result
    }
  }

  /** Ends the watch on new sockets. */
  stop(): void {
    Server.prototype.emit = this.#emit
  }

  #add(socket: Socket, event: string): void {
    if (!this.#live.has(socket) && !socket.destroyed) {
      this.#live.add(socket)
      this.sockets++
      const { emit } = socket
      socket.emit = (name: string | symbol, ...given: unknown[]) => {
        // A listener of `close` may remove others.
        if (name === 'close') this.#live.delete(socket)
        const result = Reflect.apply(emit, socket, [name, ...given])
        this.#check(socket, String(name))
        return result
      }
    }
    this.#check(socket, event)
  }

  #check(socket: Socket, event: string): void {
    if (!this.#live.has(socket)) return
    this.#assertOne(socket, event)
    if (this.#changed.size === 0) setImmediate(() => this.#checkTurn())
    this.#changed.add(socket)
  }

  #checkTurn(): void {
    const changed = this.#changed
    this.#changed = new Set()
    for (const socket of changed) if (this.#live.has(socket)) this.#assertOne(socket, 'a turn')
  }

  #assertOne(socket: Socket, event: string): void {
    this.checks++
    const count = countOurs(socket)
    if (count !== 1) this.faults.add(`${count} listeners after ${event}`)
  }
}
