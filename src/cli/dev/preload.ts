/**
 * Preload of the processes that `verbena dev` starts. The parent process listens in place of the servers of the app, and
 * sends connections to them. Imports no code of the command line, because an app must not load it.
 */
/* c8 ignore start -- a process that ends by a signal reports no coverage; dev.test.ts and dev-loop.test.ts test it */
import cluster from 'node:cluster'
import { channel, subscribe } from 'node:diagnostics_channel'
import * as inspector from 'node:inspector'
import * as modules from 'node:module'
import { Server, Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { ConsoleSource } from '../../devconsole/record/dev-lines.js'
import type { FromConsole, ListenArgs, LoadedModule, ToApp, ToParent } from './message-types.js'
import { RecordSender } from './send-records.js'

/** A server that listens in the parent. */
interface RemoteServer {
  readonly server: Server
  readonly args: ListenArgs
  /** Node's count of the calls of `close`. It shows whether the server was closed while the parent opened it. */
  readonly closings: unknown
  /** `null` until the parent listens. `node:cluster` removes it from the server. */
  handle: RemoteHandle | null
}

/** The part of a handle of libuv that `node:net` uses. `node:cluster` creates the same. */
interface RemoteHandle {
  readonly listen: () => 0
  readonly close: (done?: () => void) => void
  readonly ref: () => void
  readonly unref: () => void
  readonly getsockname?: (out: object) => 0
  onconnection?: (error: 0, handle: unknown) => void
}

/** Events with a request and its response. */
const REQUESTS: ReadonlySet<unknown> = new Set(['request', 'checkContinue', 'checkExpectation'])

const servers = new Map<number, RemoteServer>()
/** TLS connections without a request. */
const unused = new Set<Socket>()
let lastId = 0
/** Listening servers that keep the process alive. */
let active = 0
let isEnding = false
/** Continues a spare process. */
let start = (): void => {}

const listenHere: unknown = Reflect.get(Server.prototype, '_listen2')

// Worker threads and processes of the app must not run this file.
const isOwn = process.execArgv.some((arg) => arg.endsWith(import.meta.url))
process.execArgv = process.execArgv.filter((arg) => !arg.endsWith(import.meta.url))
// Node has read it. Processes of the app must not fill the folder.
if (process.env['NODE_COMPILE_CACHE']?.endsWith('verbena-compile-cache') === true)
  delete process.env['NODE_COMPILE_CACHE']

function connect(): void {
  if (!import.meta.url.endsWith('?restart')) Reflect.set(Server.prototype, '_listen2', listenInParent)
  // Proof: the parent sends only these messages.
  process.on('message', (message, handle) => receive(message as ToApp, handle))
  process.channel?.unref()
  subscribe('verbena:dev:console', (published) => {
    // Proof: only the console publishes to this channel.
    const source = published as ConsoleSource
    source.observe(new RecordSender(source, sendOfConsole))
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      isEnding = true
      // Without another listener, the signal would have ended the process.
      if (process.listenerCount(signal) === 1) process.exit(0)
    })
  }
  process.on('disconnect', () => {
    endProcess()
    setTimeout(() => process.exit(1), 5_000).unref()
  })
  // If the parent ended before this file ran, Node emits no event.
  if (!process.connected) process.exit(1)
}

/** Delays the code of the app, because Node runs it after this module. */
async function waitForStart(): Promise<void> {
  process.channel?.ref()
  await new Promise<void>((resolve) => (start = resolve))
  process.channel?.unref()
}

/** Loads modules as the app would. An error ends the process, because it would stay in the cache of modules. */
async function load(loaded: readonly LoadedModule[]): Promise<void> {
  const loadCommonJs = modules.createRequire(import.meta.url)
  try {
    for (const { url, isModule } of loaded) {
      if (isModule) await import(url)
      else loadCommonJs(fileURLToPath(url))
    }
  } catch {
    process.exit(1)
  }
  sendLoaded([])
}

function sendLoaded(loaded: readonly LoadedModule[]): void {
  sendToParent({ verbena: 'loaded', modules: loaded, memory: process.memoryUsage.rss() })
}

/** Only the debugger knows all modules, of both kinds and with any loader. */
function listModules(): LoadedModule[] {
  const session = new inspector.Session()
  const modules: LoadedModule[] = []
  session.connect()
  session.on('Debugger.scriptParsed', ({ params: { url, isModule = false } }) => modules.push({ url, isModule }))
  session.post('Debugger.enable')
  session.disconnect()
  return modules
}

function sendToParent(message: ToParent): void {
  if (process.connected) process.send?.(message)
}

/** Maximum length of messages of the console that the parent has not received. */
const MAX_UNSENT = 2 * 1024 * 1024
let unsent = 0

/** Returns `false` instead of waiting for the parent. */
function sendOfConsole(message: FromConsole): boolean {
  if (!process.connected || unsent > MAX_UNSENT) return false
  const size = message.verbena === 'record' ? message.text.length : JSON.stringify(message).length
  unsent += size
  process.send?.(message, undefined, undefined, () => (unsent -= size))
  return true
}

/** Emits SIGTERM if the app listens for it; otherwise closes its servers and exits. A second signal would end it immediately. */
function endProcess(): void {
  if (isEnding) return
  if (process.listenerCount('SIGTERM') > 1) return void process.emit('SIGTERM', 'SIGTERM')
  isEnding = true
  const closed = [...servers.values()].map(({ server }) => new Promise((resolve) => server.close(resolve)))
  // Workers finish their requests.
  closed.push(new Promise((resolve) => cluster.disconnect(() => resolve(undefined))))
  void Promise.all(closed).then(() => process.exit(0))
}

type Receivers = {
  readonly [Kind in ToApp['verbena']]: (message: Extract<ToApp, { verbena: Kind }>, handle: unknown) => void
}

const RECEIVERS: Receivers = {
  listening: ({ id, address }) => reportPort(id, address),
  'listen-failed': ({ id, error }) => onListenFailed(id, error),
  connection: ({ id, connection, bytes }, handle) => accept(id, connection, bytes, handle),
  saved: () => {
    for (const socket of unused) socket.destroy()
  },
  log: (message) => channel('verbena:dev').publish(message),
  inspect: ({ port }) => inspector.open(port),
  'close-inspector': () => {
    if (inspector.url() !== undefined) inspector.close()
    sendToParent({ verbena: 'inspector-closed' })
  },
  list: () => sendLoaded(listModules()),
  load: ({ modules: loaded }) => void load(loaded),
  start: () => start(),
  end: endProcess,
}

function receive<Kind extends ToApp['verbena']>(message: Extract<ToApp, { verbena: Kind }>, handle: unknown): void {
  RECEIVERS[message.verbena](message, handle)
}

/** Replaces the part of `listen` that binds, after Node has parsed the arguments and resolved the host name. */
function listenInParent(this: Server, ...args: ListenArgs): void {
  const [, , , , fd] = args
  // A given handle or file descriptor is already bound.
  if (typeof fd === 'number' || Boolean(Reflect.get(this, '_handle'))) return bind(this, args)
  const id = ++lastId
  servers.set(id, { server: this, args, closings: Reflect.get(this, '_listeningId'), handle: null })
  const isHttp = 'headersTimeout' in this
  if (isHttp) endConnections(this)
  holdProcess(1)
  const isTls = 'setSecureContext' in this
  const scheme = isTls ? 'https' : 'http'
  sendToParent({ verbena: 'listen', id, args, readsFirst: isHttp || isTls, scheme: isHttp ? scheme : null })
}

function bind(server: Server, args: ListenArgs): void {
  if (typeof listenHere === 'function') Reflect.apply(listenHere, server, args)
}

function holdProcess(change: 1 | -1): void {
  active += change
  if (active > 0) process.channel?.ref()
  else process.channel?.unref()
}

function reportPort(id: number, address: object | string | null): void {
  const openServer = servers.get(id)
  if (openServer === undefined) return
  const { server, args, closings } = openServer
  const handle = createHandle(id, address)
  openServer.handle = handle
  if (Reflect.get(server, '_listeningId') !== closings) return handle.close()
  Reflect.set(server, '_handle', handle)
  bind(server, args)
}

function createHandle(id: number, address: object | string | null): RemoteHandle {
  let isActive = true
  const setActive = (value: boolean): void => {
    if (value !== isActive) holdProcess(value ? 1 : -1)
    isActive = value
  }
  return {
    listen: () => 0,
    ref: () => setActive(true),
    unref: () => setActive(false),
    close: (done) => {
      servers.delete(id)
      setActive(false)
      sendToParent({ verbena: 'close', id })
      if (done !== undefined) process.nextTick(done)
    },
    // Without it, Node returns the path of a Unix socket.
    ...(typeof address === 'object' && { getsockname: (out) => copyTo(out, address) }),
  }
}

function copyTo(out: object, address: object | null): 0 {
  Object.assign(out, address)
  return 0
}

function onListenFailed(id: number, error: Readonly<Record<string, unknown>>): void {
  const server = servers.get(id)?.server
  servers.delete(id)
  holdProcess(-1)
  server?.emit('error', Object.assign(new Error(String(error['message'])), error))
}

/** Passes a connection to its server as the kernel would, with the bytes that the parent has read. */
function accept(id: number, connection: number, bytes: string, received: unknown): void {
  const { server, handle } = servers.get(id) ?? {}
  const isOpen = handle?.onconnection !== undefined
  sendToParent({ verbena: 'taken', connection, isOpen })
  if (server === undefined || handle?.onconnection === undefined) return closeHandle(received)
  const response = Buffer.from(bytes, 'base64')
  let isTaken = false
  const take = (socket: Socket): void => {
    isTaken = true
    socket.once('close', () => sendToParent({ verbena: 'closed', connection }))
    if (response.length === 0) return
    socket.unshift(response)
    // Servers treat a connection without bytes as unused.
    const ownBytes = (): number => Number(Reflect.get(Socket.prototype, 'bytesRead', socket)) + response.length
    Object.defineProperty(socket, 'bytesRead', { get: ownBytes })
  }
  server.prependListener('connection', take)
  handle.onconnection(0, received)
  server.off('connection', take)
  // A worker of `node:cluster` has it, or the server has its maximum number of connections.
  if (!isTaken) sendToParent({ verbena: 'closed', connection })
}

function closeHandle(handle: unknown): void {
  const close: unknown = Reflect.get(Object(handle), 'close')
  if (typeof close === 'function') Reflect.apply(close, handle, [])
}

/** Makes each response the last one of its connection, because later requests on it would be served by old code. */
function endConnections(server: Server): void {
  const { emit } = server
  Reflect.set(server, 'emit', (...args: Parameters<typeof emit>) => {
    const [name, first, response]: readonly unknown[] = args
    if (name === 'secureConnection' && first instanceof Socket) {
      unused.add(first)
      first.once('close', () => unused.delete(first))
    } else if (REQUESTS.has(name)) Reflect.set(Object(response), 'shouldKeepAlive', false)
    if (name === 'request' || name === 'upgrade') unused.delete(Reflect.get(Object(first), 'socket'))
    return Reflect.apply(emit, server, args)
  })
}

if (isOwn && typeof process.send === 'function') {
  connect()
  if (import.meta.url.endsWith('?spare')) await waitForStart()
}
