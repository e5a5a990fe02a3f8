/** The server: opens a port, and sets the limits and timeouts that apply to all connections. */
import type { IncomingMessage, Server as PlainServer, ServerResponse } from 'node:http'
import type * as https from 'node:https'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { SetupError } from '../errors/setup-error.js'
import { respondToClientError, rejectConnect } from './client-error.js'
import {
  getOrCreateConnection,
  findConnection,
  createServerState,
  type Expectation,
  type ServerSettings,
  type ServerState,
} from './connection.js'
import { fastPath, type FastPath } from './fast/fast-path.js'
import { joinChunks } from './body.js'
import { destroyFailed, ensureErrorListener, guarded } from './guarded.js'
import { MountedExchange, SHARED } from './mounted-exchange.js'
import { DOCUMENTED, NodeExchange, type Serve } from './node-exchange.js'
import { http } from './node-http.js'
import type { OtherHandler, RequestHandler } from './other-handler.js'
import { rejectOtherListeners } from './other-listeners.js'
import { isStandIn, replaceSocket } from './stand-in-socket.js'
import { isConnectionLost } from './slow-clients.js'
import { noop } from '../values/noop.js'

/** Address and TLS options of a server. */
export interface ListenOptions {
  /** Port; default 0, which selects a free port. */
  readonly port?: number | undefined
  /** Address or host name; default `127.0.0.1`. */
  readonly host?: string | undefined
  /** Path of a Unix socket. Replaces `port` and `host`. */
  readonly path?: string | undefined
  /** Certificate, key and other options of `node:tls`. If set, the server uses HTTPS. */
  readonly tls?: https.ServerOptions | undefined
  /** Handler with the API of `node:http` for paths that the app does not have, such as an Express app. It limits request bodies itself. */
  readonly otherwise?: RequestHandler | OtherHandler | undefined
}

/** Options of `attach`. */
export interface AttachOptions {
  /**
   * Whether other `request` listeners of the server only watch, such as a library that counts requests to end connections at shutdown.
   * Default: false, and another `request` listener is a setup error, because both would respond.
   */
  readonly besides?: boolean | undefined
}

/** Address of a listening server. */
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

/** A `request` listener of `node:http`, and middleware of servers such as Express, which pass `next`. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void

/**
 * Creates a `request` listener for `node:http`.
 *
 * @param hasPath whether the app has the path of a request target. If not, requests with `next` are passed on, unchanged
 */
export function nodeListener(serve: Serve, settings: ServerSettings, hasPath: (url: string) => boolean): NodeListener {
  const listener = createListener(serve, createServerState(settings, false, SHARED), 'none', MountedExchange)
  return (request, response, next) => {
    if (typeof next === 'function' && !hasPath(String(request.url))) return next()
    if (isStandIn(request)) replaceSocket(request, response)
    listener(request, response)
  }
}

/** Serves a request immediately, or after the earlier requests on its connection. */
function createListener(
  serve: Serve,
  state: ServerState,
  expected: Expectation,
  ExchangeClass: typeof NodeExchange = NodeExchange,
): NodeListener {
  return (request, response) => {
    try {
      const connection = getOrCreateConnection(request.socket, state)
      const expectation = expected === 'continue' ? parseExpect(request) : expected
      const exchange = new ExchangeClass(request, response, connection, expectation)
      if (exchange.transferEncoding !== undefined) joinChunks(request)
      // For the request line `PRI /` without a version, Node destroys the socket, and earlier responses are lost. Node checks only the
      // method. The exchange has already copied it and responds 505.
      if (request.method === 'PRI') request.method = ''
      if (connection.isBusy) queueRequest(exchange, serve)
      else if (connection.begin(response)) serve(exchange)
    } catch (error) {
      destroyFailed(request.socket, state.settings.report, error)
    }
  }
}

/** A separate function, because a closure in the listener would allocate a scope for every request. */
function queueRequest(exchange: NodeExchange, serve: Serve): void {
  exchange.connection.hold(exchange.response, () => serve(exchange))
}

/** Node accepts any value that contains `100-continue`, but it must be the whole value (RFC 9110 section 10.1.1). */
function parseExpect({ headers }: IncomingMessage): Expectation {
  return headers.expect?.toLowerCase() === '100-continue' ? 'continue' : 'unknown'
}

/** A server with the state that its connections share. */
export interface OwnServer {
  readonly server: Server
  /** Whether this process and the options allow the fast path. */
  readonly isFast: boolean
  readonly state: ServerState
  /** Open connections. */
  readonly sockets: ReadonlySet<Socket>
  /** Connections with a pending TLS handshake, by address and port of the client. */
  readonly handshakes: ReadonlyMap<string, Socket>
}

/** @param isShared whether another handler also reads requests, which are Node's usual streams then */
export function makeServer(
  serve: Serve,
  settings: ServerSettings,
  tls?: https.ServerOptions,
  isShared?: boolean,
): OwnServer {
  // Verbena checks `Host` (RFC 9112 section 3.2), so that the response is a problem. By default, Node checks timeouts only every 30 s.
  const options = { maxHeaderSize: settings.headerBytes, requireHostHeader: false, connectionsCheckingInterval: 1_000 }
  // A handshake has the same time limit as the headers that follow it. Node's default is 120 s.
  const { headersTimeout: handshakeTimeout } = settings
  const fast = fastPath(settings)
  // In Node versions with this option, requests without a body are not initialized as streams.
  const requests = fast?.requests ?? { optimizeEmptyRequests: true }
  const all = isShared === true ? options : { ...options, ...requests }
  const server = tls === undefined ? http.createServer(all) : tlsServer({ handshakeTimeout, ...all, ...tls })
  const ownServer = attachServer(server, serve, settings, { fast, besides: true })
  ownServer.state.countsHead = false
  return ownServer
}

/** Loads `node:https` only when necessary, because it adds 3 ms to the startup time with `node:tls`. */
function loadHttps(): typeof https {
  return process.getBuiltinModule('node:https')
}

function isTls(server: Server): boolean {
  return !(server instanceof http.Server)
}

function tlsServer(options: https.ServerOptions): https.Server {
  try {
    return loadHttps().createServer(options)
  } catch (error) {
    const fix = 'Check that "key", "cert" and "pfx" are the contents of files, not their paths'
    const message = `Cannot listen: the option "tls" is invalid (${String(error)}). ${fix}`
    throw new SetupError('LISTEN_FAILED', message, { cause: error })
  }
}

/** Sets the limits and timeouts of a server, and adds its listeners. */
export function attachServer(
  server: Server,
  serve: Serve,
  settings: ServerSettings,
  { fast = fastPath(settings), besides = false }: AttachOptions & { readonly fast?: FastPath | null } = {},
): OwnServer {
  const untrusted: object = server
  if (!(untrusted instanceof http.Server || untrusted instanceof loadHttps().Server)) {
    throw new SetupError(
      'APP_STATE',
      'Cannot attach to a server: it must be a server of node:http or node:https. Create it with "createServer" of one of them',
    )
  }
  const transport = fast?.transport(server) ?? DOCUMENTED
  const state = createServerState(settings, true, transport)
  state.isUnix = () => typeof server.address() === 'string'
  const listener = createListener(serve, state, 'none')
  if (!besides) rejectOtherListeners(server, listener)
  server.headersTimeout = settings.headersTimeout
  server.keepAliveTimeout = settings.keepAliveTimeout
  // Node's timeout would also abort a handler that reads slowly on purpose. Body readers check the rate instead.
  server.requestTimeout = 0
  // Disables Node's limit, which silently drops further headers.
  server.maxHeadersCount = 0
  if (settings.connections !== undefined) server.maxConnections = settings.connections
  server.on('request', listener)
  // Other listeners, and code that calls this one, may also write to the responses and set headers.
  state.chooseTransport = () => {
    const isOnly = server.listenerCount('request') === 1 && server.listeners('request')[0] === listener
    return isOnly ? transport : SHARED
  }
  server.on('checkContinue', createListener(serve, state, 'continue'))
  server.on('checkExpectation', createListener(serve, state, 'unknown'))
  const { report } = settings
  server.on('connect', (_request, socket) => guarded(socket, report, () => rejectConnect(socket)))
  server.on('clientError', (error, socket) => guarded(socket, report, () => respondToClientError(error, socket)))
  return { server, isFast: fast !== null, state, sockets: trackSockets(server), handshakes: trackHandshakes(server) }
}

function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on(isTls(server) ? 'secureConnection' : 'connection', (socket: Socket) => {
    // An upgrade that is returned to Node emits the event again.
    if (sockets.has(socket)) return
    ensureErrorListener(socket)
    sockets.add(socket)
    // A listener of `once` would cost 0.2 kB more for each connection.
    socket.on('close', () => sockets.delete(socket))
  })
  return sockets
}

/** Tracks connections during their TLS handshake, because `node:https` does not close them. */
function trackHandshakes(server: Server): ReadonlyMap<string, Socket> {
  const pendingSockets = new Map<string, Socket>()
  if (!isTls(server)) return pendingSockets
  server.on('connection', (socket: Socket) => {
    ensureErrorListener(socket)
    const peer = describePeer(socket)
    pendingSockets.set(peer, socket)
    socket.once('close', () => {
      if (pendingSockets.get(peer) === socket) pendingSockets.delete(peer)
    })
  })
  server.on('secureConnection', (socket) => void pendingSockets.delete(describePeer(socket)))
  return pendingSockets
}

/** Returns the same key for a TCP connection and for the TLS socket over it. */
function describePeer({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}

export function openServer({ server }: OwnServer, options: ListenOptions): Promise<ListenResult> {
  const { port = 0, host = '127.0.0.1', path } = options
  return new Promise((resolve, reject) => {
    const rejectListen = (error: unknown): void => reject(listenError(error, path, `${host}:${port}`))
    server.once('error', rejectListen)
    const onListening = (): void => {
      server.off('error', rejectListen)
      resolve(describeAddress(server, host))
    }
    try {
      server.listen(path === undefined ? { port, host } : { path }, onListening)
    } catch (error) {
      // The port is invalid.
      server.off('error', rejectListen).off('listening', onListening)
      rejectListen(error)
    }
  })
}

/** Calls the listener with the URL of a server when the server listens, or immediately if it already does. */
export function onListening({ server }: OwnServer, listener: (url: string) => void): void {
  const report = (): void => {
    // The address of a Unix socket is a string.
    const { address = '' }: { readonly address?: string } = Object(server.address())
    listener(describeAddress(server, address).url)
  }
  if (server.listening) report()
  // Another listener may have closed it.
  else server.once('listening', () => void (server.listening && report()))
}

function describeAddress(server: Server, host: string): ListenResult {
  const scheme = isTls(server) ? 'https' : 'http'
  const address = server.address()
  if (address === null || typeof address === 'string') {
    const path = String(address)
    return { port: 0, host: path, url: `${scheme}+unix://${encodeURIComponent(path)}` }
  }
  const name = host.includes(':') ? `[${host}]` : host
  return { port: address.port, host, url: `${scheme}://${name}:${address.port}` }
}

/** State and fix by system error code. */
const REASONS: ReadonlyMap<string | undefined, readonly [state: string, fix: string]> = new Map([
  ['EADDRINUSE', ['it is in use', 'Stop the other process, or listen on another port; port 0 picks a free one']],
  ['EACCES', ['permission is denied', 'Choose a port of 1024 or above']],
  ['EADDRNOTAVAIL', ['this machine has no such address', 'Listen on "127.0.0.1", "0.0.0.0" or "::"']],
  ['ENOTFOUND', ['this host name cannot be resolved', 'Listen on "127.0.0.1", "0.0.0.0" or "::"']],
])

const REASONS_OF_SOCKETS: typeof REASONS = new Map([
  // A process that is killed leaves the file.
  ['EADDRINUSE', ['the file exists', 'Stop the process that listens on it. If there is none, remove the file']],
  // libuv reports a missing folder with the same code.
  ['EACCES', ['permission is denied, or the folder does not exist', 'Choose a path that you may write to']],
])

/** The message contains the system error code, because users search for it. */
function listenError(error: unknown, path: string | undefined, address: string): SetupError {
  // Proof: `listen` throws and emits only errors.
  const { code, message }: NodeJS.ErrnoException = Object(error)
  const reason = (path === undefined ? undefined : REASONS_OF_SOCKETS.get(code)) ?? REASONS.get(code)
  const [state, fix] = reason ?? [message, 'Check "port", "host", "path" and "tls"']
  const what = `Cannot listen on ${path ?? address}: ${state} (${code})`
  return new SetupError('LISTEN_FAILED', `${what}. ${fix}`, { cause: error })
}

/**
 * Continues to accept requests for `ms`, but ends each connection after its next response. Otherwise a proxy might reuse a connection
 * while it is being closed, and could not find out whether its request was served.
 */
export async function drainServer({ server, state }: OwnServer, ms: number): Promise<void> {
  if (!server.listening) return
  state.isClosing = true
  await sleep(ms)
}

/** Closes a server. Stops accepting connections, ends idle ones, and waits for active ones until the deadline (in ms). */
export function closeServer(own: OwnServer, deadline: number): Promise<void> {
  const { server, state, sockets, handshakes } = own
  state.isClosing = true
  return new Promise((resolve) => {
    const timer = setTimeout(() => cutAll(own), deadline)
    // `server.close` calls this method, which would destroy connections while the kernel has only part of a written response.
    server.closeIdleConnections = noop
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    Reflect.deleteProperty(server, 'closeIdleConnections')
    for (const socket of sockets) {
      const connection = findConnection(socket)
      if (isConnectionLost(socket)) socket.destroy()
      else if (connection !== undefined) connection.close()
      // The client has never sent anything, or only malformed bytes, which already have a response.
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
