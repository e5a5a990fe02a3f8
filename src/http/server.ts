/** The server: the only place that opens a port, and the limits and time-outs that only a server can hold. */
import { createServer, Server as PlainServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type * as https from 'node:https'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { SetupError } from '../errors/setup-error.js'
import { answerClientError, refuseConnect } from './client-error.js'
import {
  getOrCreateConnection,
  findConnection,
  createServerState,
  type Expectation,
  type ServerSettings,
  type ServerState,
  type Transport,
} from './connection.js'
import { fastPath } from './fast/fast-path.js'
import { joinChunks } from './chunk-buffer.js'
import { destroyFailed, guarded } from './guarded.js'
import { DOCUMENTED, NodeExchange, type Serve } from './node-exchange.js'
import { noop } from '../values/ignore.js'

/** Where a server listens. */
export interface ListenOptions {
  /** Port; 0 or none picks a free one. */
  readonly port?: number | undefined
  /** Address or host name; `127.0.0.1` unless given. */
  readonly host?: string | undefined
  /** Path of a Unix socket, instead of port and host. */
  readonly path?: string | undefined
  /** Certificate, key and other options of `node:tls`; makes it an HTTPS server. */
  readonly tls?: https.ServerOptions | undefined
}

/** Where a server came to listen. */
export interface ListenResult {
  /** Port; 0 for a Unix socket. */
  readonly port: number
  /** Address or host name, or the path of a Unix socket. */
  readonly host: string
  /** URL of the root. */
  readonly url: string
}

/** A server of `node:http` or `node:https`. */
export type Server = PlainServer | https.Server

/** A plain listener of `node:http`. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void

/** Makes a plain listener for `node:http`. */
export function nodeListener(serve: Serve, settings: ServerSettings): NodeListener {
  return createListener(serve, createServerState(settings, false, DOCUMENTED), 'none')
}

/** Takes a request at once, or when those before it on its connection are answered. */
function createListener(serve: Serve, state: ServerState, expected: Expectation): NodeListener {
  return (request, response) => {
    try {
      const connection = getOrCreateConnection(request.socket, state)
      const expectation = expected === 'continue' ? parseExpect(request) : expected
      const exchange = new NodeExchange(request, response, connection, expectation)
      if (exchange.head.transferEncoding !== undefined) joinChunks(request)
      // Behind a request line `PRI /` that names no version Node destroys the socket, and all answers before it are lost. It knows
      // the request by its method alone; the exchange keeps the real one, and is answered by 505.
      if (request.method === 'PRI') request.method = ''
      if (connection.isBusy) queueRequest(exchange, serve)
      else if (connection.begin(response)) serve(exchange)
    } catch (error) {
      destroyFailed(request.socket, state.settings.report, error)
    }
  }
}

/** Apart from the listener, because a closure in there would cost every request its scope. */
function queueRequest(exchange: NodeExchange, serve: Serve): void {
  exchange.connection.hold(exchange.response, () => serve(exchange))
}

/** Node takes any value that holds the word for it (RFC 9110 section 10.1.1). */
function parseExpect({ headers }: IncomingMessage): Expectation {
  return headers.expect?.toLowerCase() === '100-continue' ? 'continue' : 'unknown'
}

/** A server, and what its connections share. */
export interface OwnServer {
  readonly server: Server
  /** Whether it takes the fast path. */
  readonly isFast: boolean
  readonly state: ServerState
  /** Connections that are open. */
  readonly sockets: ReadonlySet<Socket>
  /** Those that are no TLS yet. */
  readonly handshakes: ReadonlyMap<string, Socket>
}

export function makeServer(serve: Serve, settings: ServerSettings, tls: https.ServerOptions | undefined): OwnServer {
  // The check of `Host` is ours (RFC 9112 section 3.2), so that its answer is a problem. Node looks at its time-outs every 30 s
  // by itself, which would delay each of them.
  const options = { maxHeaderSize: settings.headerBytes, requireHostHeader: false, connectionsCheckingInterval: 1_000 }
  // A handshake comes before a head, and has no more time; Node gives it 120 s.
  const { headersTimeout: handshakeTimeout } = settings
  const fast = settings.fastPath ? fastPath(settings) : null
  // Where a version of Node knows it, requests without a body are no streams.
  const requests = fast?.requests ?? { optimizeEmptyRequests: true }
  const all = { ...options, ...requests }
  const server = tls === undefined ? createServer(all) : tlsServer({ handshakeTimeout, ...all, ...tls })
  const listener = attachServer(server, serve, settings, fast?.transport)
  listener.state.countsHead = false
  return listener
}

/** Loaded when it is needed: with `node:tls` it costs a start 3 ms. */
function loadHttps(): typeof https {
  return process.getBuiltinModule('node:https')
}

function isTls(server: Server): boolean {
  return !(server instanceof PlainServer)
}

function tlsServer(options: https.ServerOptions): https.Server {
  try {
    return loadHttps().createServer(options)
  } catch (error) {
    const fix = 'Check "key", "cert" and "pfx": they are the contents of files, not their paths'
    const message = `Cannot listen: "tls" cannot be used (${String(error)}). ${fix}`
    throw new SetupError('LISTEN_FAILED', message, { cause: error })
  }
}

/** Puts limits, time-outs and listeners on a server. */
export function attachServer(
  server: Server,
  serve: Serve,
  settings: ServerSettings,
  transport: Transport = DOCUMENTED,
): OwnServer {
  const untrusted: object = server
  if (!(untrusted instanceof PlainServer || untrusted instanceof loadHttps().Server)) {
    throw new SetupError(
      'APP_STATE',
      'Cannot attach to a server: it is not one of node:http or node:https. Make it with their "createServer"',
    )
  }
  const state = createServerState(settings, true, transport)
  state.isUnix = () => typeof server.address() === 'string'
  server.headersTimeout = settings.headersTimeout
  server.keepAliveTimeout = settings.keepAliveTimeout
  // It would also kill a handler that reads slowly on purpose; the rate of a body is looked at where it is read.
  server.requestTimeout = 0
  // No limit of Node's: it would drop fields beyond it without a sign.
  server.maxHeadersCount = 0
  if (settings.connections !== undefined) server.maxConnections = settings.connections
  server.on('request', createListener(serve, state, 'none'))
  server.on('checkContinue', createListener(serve, state, 'continue'))
  server.on('checkExpectation', createListener(serve, state, 'unknown'))
  const { report } = settings
  server.on('connect', (_request, socket) => guarded(socket, report, () => refuseConnect(socket)))
  server.on('clientError', (error, socket) => guarded(socket, report, () => answerClientError(error, socket)))
  const isFast = transport !== DOCUMENTED
  return { server, isFast, state, sockets: trackSockets(server), handshakes: trackHandshakes(server) }
}

function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on(isTls(server) ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

/** TLS connections whose handshake is not over: `node:https` does not know them yet, so nothing of it would end them. */
function trackHandshakes(server: Server): ReadonlyMap<string, Socket> {
  const pendingSockets = new Map<string, Socket>()
  if (!isTls(server)) return pendingSockets
  server.on('connection', (socket: Socket) => {
    const peer = describePeer(socket)
    pendingSockets.set(peer, socket)
    socket.once('close', () => {
      if (pendingSockets.get(peer) === socket) pendingSockets.delete(peer)
    })
  })
  server.on('secureConnection', (socket) => void pendingSockets.delete(describePeer(socket)))
  return pendingSockets
}

/** The same for a connection and for the TLS that comes to run over it. */
function describePeer({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}

export function openServer({ server }: OwnServer, options: ListenOptions): Promise<ListenResult> {
  const { port = 0, host = '127.0.0.1', path } = options
  return new Promise((resolve, reject) => {
    const refuse = (error: unknown): void => reject(listenError(error, path ?? `${host}:${port}`))
    server.once('error', refuse)
    const onListening = (): void => {
      server.off('error', refuse)
      resolve(describeAddress(server, host, options.tls === undefined ? 'http' : 'https'))
    }
    try {
      server.listen(path === undefined ? { port, host } : { path }, onListening)
    } catch (error) {
      // A port that cannot be one.
      server.off('error', refuse).off('listening', onListening)
      refuse(error)
    }
  })
}

function describeAddress(server: Server, host: string, scheme: string): ListenResult {
  const address = server.address()
  if (address === null || typeof address === 'string') {
    const path = String(address)
    return { port: 0, host: path, url: `${scheme}+unix://${encodeURIComponent(path)}` }
  }
  const name = host.includes(':') ? `[${host}]` : host
  return { port: address.port, host, url: `${scheme}://${name}:${address.port}` }
}

/** By the code of the system: what it means, and the way out. */
const REASONS: ReadonlyMap<string | undefined, readonly [state: string, fix: string]> = new Map([
  ['EADDRINUSE', ['it is in use', 'Stop the other process, or listen on another port; port 0 picks a free one']],
  ['EACCES', ['permission is denied', 'Choose a port of 1024 or above, or a path you may write to']],
  ['EADDRNOTAVAIL', ['this machine has no such address', 'Listen on "127.0.0.1", "0.0.0.0" or "::"']],
  ['ENOTFOUND', ['this host name has no address', 'Listen on "127.0.0.1", "0.0.0.0" or "::"']],
])

/** The code of the error stands in the text, because people search for it. */
function listenError(error: unknown, where: string): SetupError {
  // Proof: `listen` throws and emits nothing but errors.
  const { code, message }: NodeJS.ErrnoException = Object(error)
  const [state, fix] = REASONS.get(code) ?? [message, 'Check "port", "host", "path" and "tls"']
  return new SetupError('LISTEN_FAILED', `Cannot listen on ${where}: ${state} (${code}). ${fix}`, { cause: error })
}

/**
 * Goes on as before for a while, but each answer is the last on its connection. A proxy that uses a connection again in the moment in
 * which it is closed cannot tell whether its request was served.
 */
export async function drainServer({ server, state }: OwnServer, ms: number): Promise<void> {
  if (!server.listening) return
  state.isClosing = true
  await sleep(ms)
}

/** Closes a server: takes no new connection, ends idle ones, waits for those in use. */
export function closeServer(own: OwnServer, deadline: number): Promise<void> {
  const { server, state, sockets, handshakes } = own
  state.isClosing = true
  return new Promise((resolve) => {
    const timer = setTimeout(() => cutAll(own), deadline)
    // `close` calls it, and it would destroy connections whose answer is written but has not left: half of it for the whole.
    server.closeIdleConnections = noop
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    Reflect.deleteProperty(server, 'closeIdleConnections')
    for (const socket of sockets) {
      const connection = findConnection(socket)
      if (connection !== undefined) connection.close()
      // Nothing was ever sent, or what was sent is refused by now.
      else if (socket.bytesRead === 0 || socket.writableEnded) socket.destroy()
    }
    for (const socket of handshakes.values()) socket.destroy()
  })
}

function cutAll({ server, sockets, state }: OwnServer): void {
  for (const socket of sockets) {
    const connection = findConnection(socket)
    if (connection?.isBusy === true) guarded(socket, state.settings.report, () => connection.cut())
  }
  server.closeAllConnections()
}
