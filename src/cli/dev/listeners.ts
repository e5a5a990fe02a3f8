/** The servers that listen for an app, and the connections that wait for its code. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { noop } from '../../values/noop.js'
import { readMessage } from '../command.js'
import type { AppProcess, ChildConnection } from './app-process.js'
import { isEncrypted } from './error-page.js'
import type { ListenArgs, ListenMessage } from './message-types.js'

/** Maximum number of connections of a server that wait here. */
const MAX_WAITING = 2_000
/** Maximum time before the first byte of a connection, in ms. */
const IDLE_TIMEOUT = 60_000
/** Maximum time to close a connection after its response, in ms. */
const CLOSE_TIMEOUT = 2_000
/** Bind only to IPv6 addresses (libuv). */
const IPV6_ONLY = 1

const NOTHING = Buffer.alloc(0)

/** A listening server. It survives the process that has opened it. */
interface Listener {
  /** Requested address and port. */
  readonly key: string
  readonly server: Server
  readonly scheme: ListenMessage['scheme']
  readonly readsFirst: boolean
  readonly waiting: ChildConnection[]
  /** Process that serves the connections, with its number for the server; `null` if there is none. */
  owner: { readonly app: AppProcess; readonly id: number } | null
  isHeld: boolean
}

/** Returns a response in place of the app; `null` if the app responds. */
type Substitute = (connection: ChildConnection, hasApp: boolean) => string | null

export class Listeners {
  readonly #all = new Set<Listener>()
  readonly #substitute: Substitute

  constructor(substitute: Substitute) {
    this.#substitute = substitute
  }

  get isEmpty(): boolean {
    return this.#all.size === 0
  }

  /** Origins of the HTTP servers with a port, as a client on this machine reaches them. */
  get origins(): string[] {
    return [...this.#all].flatMap(({ server, scheme }) => {
      const address = server.address()
      if (scheme === null || address === null || typeof address === 'string') return []
      return [`${scheme}://${formatHost(address)}:${address.port}`]
    })
  }

  /**
   * Opens a server, or passes on the open server of an earlier process with the same address. Its connections wait until the returned
   * function is called. Returns `null` if it cannot listen.
   */
  async open(app: AppProcess, { id, args, readsFirst, scheme }: ListenMessage): Promise<(() => void) | null> {
    const [address, port] = args
    const key = `${address} ${port}`
    const previous = [...this.#all].find((listener) => listener.key === key && listener.owner?.app !== app)
    try {
      const listener = previous ?? (await this.#listen(key, args, { readsFirst, scheme }))
      listener.owner = { app, id }
      app.send({ verbena: 'listening', id, address: listener.server.address() })
      return () => this.#release(listener)
    } catch (error) {
      app.send({ verbena: 'listen-failed', id, error: { ...Object(error), message: readMessage(error) } })
      return null
    }
  }

  #listen(
    key: string,
    [address, port, , backlog, , flags]: ListenArgs,
    kind: Pick<Listener, 'readsFirst' | 'scheme'>,
  ): Promise<Listener> {
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true })
    const listener: Listener = { key, server, ...kind, waiting: [], owner: null, isHeld: true }
    server.maxConnections = MAX_WAITING
    server.on('connection', (socket) => this.#receive(listener, socket))
    const isPath = port < 0
    const options = isPath
      ? { path: String(address) }
      : { port, ipv6Only: flags !== undefined && (flags & IPV6_ONLY) !== 0, ...(address !== null && { host: address }) }
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen({ ...options, ...(backlog !== undefined && backlog > 0 && { backlog }) }, () => {
        server.off('error', reject).on('error', noop)
        this.#all.add(listener)
        resolve(listener)
      })
    })
  }

  /** Reads the first bytes before a connection is sent. Until then it belongs to no code, and a save does not affect it. */
  #receive(listener: Listener, socket: Socket): void {
    socket.on('error', noop)
    if (!listener.readsFirst) return this.#dispatch(listener, { socket, bytes: NOTHING })
    socket.setTimeout(IDLE_TIMEOUT, () => socket.destroy())
    socket.once('readable', () => {
      const bytes: Buffer | null = socket.read()
      if (bytes === null) return void socket.destroy()
      stopReading(socket)
      socket.setTimeout(0)
      this.#dispatch(listener, { socket, bytes })
    })
    socket.read(0)
  }

  #dispatch(listener: Listener, connection: ChildConnection): void {
    const { owner, isHeld, waiting } = listener
    if (isHeld) return void waiting.push(connection)
    const substitute = this.#substitute(connection, owner !== null)
    if (substitute !== null || owner === null) sendInPlace(connection, substitute)
    else owner.app.sendConnection(owner.id, connection)
  }

  /** Makes new connections wait. */
  hold(): void {
    for (const listener of this.#all) listener.isHeld = true
  }

  /** Serves the waiting connections with the code that runs. Servers that it has not opened yet still belong to earlier code. */
  release(): void {
    for (const listener of this.#all) if (listener.owner?.app.isEnding !== true) this.#release(listener)
  }

  #release(listener: Listener): void {
    listener.isHeld = false
    for (const connection of listener.waiting.splice(0)) this.#dispatch(listener, connection)
  }

  /** Closes the socket of a connection that a process has taken, or finds another receiver. */
  taken(app: AppProcess, number: number, isOpen: boolean): void {
    const connection = app.takeConnection(number, isOpen)
    if (isOpen) connection?.socket.destroy()
    else if (connection !== undefined) this.#redirect(app, [connection])
  }

  /** Redirects the connections that an ended process has not taken. */
  ended(app: AppProcess): void {
    const connections = app.takeConnections()
    for (const listener of this.#all) if (listener.owner?.app === app) listener.owner = null
    this.#redirect(app, connections)
  }

  #redirect(app: AppProcess, connections: readonly ChildConnection[]): void {
    for (const connection of connections) {
      const listener = [...this.#all].find(({ server }) => Reflect.get(connection.socket, 'server') === server)
      /* c8 ignore next -- the server was closed in this moment */
      if (listener === undefined || listener.owner?.app === app) connection.socket.destroy()
      else this.#dispatch(listener, connection)
    }
  }

  /** Closes a server because its process has closed it. Servers of earlier code stay open for the next one. */
  closed(app: AppProcess, id: number): void {
    for (const listener of this.#all) {
      if (listener.owner?.app !== app || listener.owner.id !== id) continue
      if (app.isEnding || listener.isHeld) listener.owner = null
      else this.#close(listener)
    }
  }

  /** Closes the servers that a process has not opened again. */
  closeOthers(app: AppProcess): void {
    for (const listener of this.#all) if (listener.owner?.app !== app) this.#close(listener)
  }

  closeAll(): void {
    for (const listener of this.#all) this.#close(listener)
  }

  #close(listener: Listener): void {
    this.#all.delete(listener)
    listener.server.close()
    for (const { socket } of listener.waiting) socket.destroy()
  }
}

/** Returns the host of an address. A server of all addresses is reached by the name of this machine. */
function formatHost({ address, family }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return 'localhost'
  return family === 'IPv6' ? `[${address}]` : address
}

/** Stops reading, so that all further bytes stay in the kernel for the process that receives the connection. */
function stopReading(socket: Socket): void {
  const handle: unknown = Reflect.get(socket, '_handle')
  const stop: unknown = Reflect.get(Object(handle), 'readStop')
  if (typeof stop === 'function') Reflect.apply(stop, handle, [])
  Reflect.set(Object(handle), 'reading', false)
}

/** Sends a response in place of the app, and drops the rest of the request. */
function sendInPlace({ socket, bytes }: ChildConnection, text: string | null): void {
  if (text === null || bytes.length === 0 || isEncrypted(bytes)) return void socket.destroy()
  socket.resume()
  socket.end(text)
  const timer = setTimeout(() => socket.destroy(), CLOSE_TIMEOUT)
  socket.once('close', () => clearTimeout(timer))
}
