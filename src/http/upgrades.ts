/**
 * Upgrades of a server (RFC 9110 section 7.8). A listener for them makes Node hand over the socket of every request that asks for
 * one. Where Node does not ask before it does that (before 24.9), those that nobody takes are given back to it, to be read once more.
 */
import { ServerResponse, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Serve } from './node-exchange.js'
import { getOrCreateConnection, type Connection } from './connection.js'
import { guarded } from './guarded.js'
import { isLingering } from './lingering-close.js'
import { emitEnd, parkSocket, wakeSocket } from './parked-socket.js'
import type { OwnServer } from './server.js'
import { UpgradeExchange } from './upgrade-exchange.js'

type Takes = (request: IncomingMessage) => boolean

/** Serves the requests for an upgrade that `takes` takes. Those that have to wait for another one are requests like any other. */
export function serveUpgrades(own: OwnServer, takes: Takes, serve: Serve): void {
  const { server, state } = own
  const { report } = state.settings
  const hasOthers = (): boolean => server.listenerCount('upgrade') > 1
  askBefore(server, takes, hasOthers)
  server.on('upgrade', (request: IncomingMessage, _socket: unknown, head: Buffer) =>
    guarded(request.socket, report, () => take(request, head)),
  )

  function take(request: IncomingMessage, head: Buffer): void {
    const { socket } = request
    // After the last response, bytes are dropped. Node has stopped the socket.
    if (isLingering(socket)) return void socket.resume()
    const connection = getOrCreateConnection(socket, state)
    connection.detach()
    const isTaken = takes(request)
    // The other listener may have begun to read.
    if (!isTaken && hasOthers()) return void socket.push('')
    parkSocket(socket)
    atRest(socket, connection, () => {
      if (isTaken && !connection.isBusy) begin(request, head)
      else giveBack(own, request, head)
    })
  }

  function begin(request: IncomingMessage, head: Buffer): void {
    const { socket } = request
    const connection = getOrCreateConnection(socket, state)
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    // After the last response, the socket can still belong to a request that was dropped.
    if (!connection.begin(response)) return connection.startLingeringClose()
    response.assignSocket(socket)
    serve(new UpgradeExchange(request, response, connection, head))
  }
}

/** How often Node has handed over each socket: one that it hands over again and again would never come to an end. */
const handedOver = new WeakMap<Socket, number>()
const MAX_TIMES = 10

/**
 * An answer that was just finished has the socket until its events are through, and then begins the time of an idle connection. One
 * that is in work has lost the listener by which Node tells it that it may write on.
 */
function atRest(socket: Socket, connection: Connection, next: () => void): void {
  const times = handedOver.get(socket) ?? 0
  const { report } = connection.state.settings
  if (times === 0) {
    socket.on('error', () => socket.destroy())
    socket.on('drain', () => guarded(socket, report, () => connection.drain()))
  }
  if (times === MAX_TIMES) return void socket.destroy()
  handedOver.set(socket, times + 1)
  const proceed = (): void => {
    socket.setTimeout(0)
    next()
  }
  setImmediate(() => guarded(socket, report, proceed))
}

/** Since 24.9 Node asks whether it is to hand over a socket. Listeners of others get what their server would have given them. */
function askBefore(server: object, takes: Takes, hasOthers: () => boolean): void {
  const name = 'shouldUpgradeCallback'
  const before: unknown = Reflect.get(server, name)
  if (typeof before !== 'function') return
  Reflect.set(
    server,
    name,
    (request: IncomingMessage) => takes(request) || (hasOthers() && before.call(server, request)),
  )
}

/** Has Node read a request once more that asks for no upgrade now: its body, its answer and its limits are those of any other. */
function giveBack({ server, state }: OwnServer, request: IncomingMessage, head: Buffer): void {
  const { socket } = request
  const connection = getOrCreateConnection(socket, state)
  const takeBack = (): void => {
    // The answer before it may have begun the time of an idle connection.
    socket.setTimeout(0)
    connection.attach()
    wakeSocket(socket)
    const bytes = Buffer.concat([Buffer.from(plainHead(request), 'latin1'), head])
    const hasEnded = socket.readableEnded
    if (!hasEnded) socket.unshift(bytes)
    server.emit('encrypted' in socket ? 'secureConnection' : 'connection', socket)
    // A stream that has ended takes no bytes back, and its end is not emitted again.
    if (hasEnded) socket.emit('data', bytes)
    if (hasEnded) emitEnd(socket, state.settings.report)
  }
  if (!connection.isBusy) return takeBack()
  const response = new ServerResponse(request)
  connection.hold(response, () => {
    response.destroy()
    takeBack()
  })
}

/** `Upgrade` without `Connection: upgrade` asks for nothing. Without spaces it is never longer than it was. */
function plainHead({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const { [at]: name = '', [at + 1]: value = '' } = rawHeaders
    const headerValue = CONNECTION.test(name) ? withoutUpgrade(value) : value
    lines.push(`${name}:${headerValue}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** The parser of Node takes both for the same. */
const CONNECTION = /^(?:proxy-)?connection$/i

function withoutUpgrade(options: string): string {
  return options
    .split(',')
    .filter((option) => option.trim().toLowerCase() !== 'upgrade')
    .join(',')
}
