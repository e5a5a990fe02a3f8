/**
 * Upgrade requests of a server (RFC 9110 section 7.8). If a server has an `upgrade` listener, Node detaches its parser from the socket of
 * every upgrade request. Since Node 24.9, a callback can prevent this. In older versions, Verbena returns the socket of an ignored upgrade
 * to Node, which parses the request again.
 *
 * @see docs/decisions/0024-upgrades.md
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Serve } from './node-exchange.js'
import { getOrCreateConnection, type Connection } from './connection.js'
import { sendClientError } from './client-error.js'
import { ensureErrorListener, guarded } from './guarded.js'
import { isLingering } from './lingering-close.js'
import { http } from './node-http.js'
import { emitEnd, parkSocket, wakeSocket } from './parked-socket.js'
import type { OwnServer } from './server.js'
import { TIME_TO_TAKE, UpgradeExchange } from './upgrade-exchange.js'

type TakeUpgrade = (request: IncomingMessage) => boolean

/** Serves the upgrade requests that `takes` accepts. A request that must wait for an earlier one is served without its upgrade. */
export function serveUpgrades(own: OwnServer, takes: TakeUpgrade, serve: Serve): void {
  const { server, state } = own
  const { report } = state.settings
  const hasOthers = (): boolean => server.listenerCount('upgrade') > 1
  askBefore(server, takes, hasOthers)
  server.on('upgrade', (request: IncomingMessage, _socket: unknown, head: Buffer) =>
    guarded(request.socket, report, () => take(request, head)),
  )

  function take(request: IncomingMessage, head: Buffer): void {
    const { socket } = request
    ensureErrorListener(socket)
    // After the last response, bytes are dropped. Node has stopped the socket.
    if (isLingering(socket)) return void socket.resume()
    const connection = getOrCreateConnection(socket, state)
    connection.detach()
    const isTaken = takes(request)
    if (!isTaken && hasOthers()) {
      // Another `upgrade` listener may have begun to read.
      socket.push('')
      return rejectUnlessTaken(socket, connection)
    }
    parkSocket(socket)
    atRest(socket, connection, () => {
      if (isTaken && !connection.isBusy) begin(request, head)
      else giveBack(own, request, head)
    })
  }

  function begin(request: IncomingMessage, head: Buffer): void {
    const { socket } = request
    const connection = getOrCreateConnection(socket, state)
    const response = new http.ServerResponse(request)
    response.shouldKeepAlive = false
    // After the last response, the socket can still belong to a request that was dropped.
    if (!connection.begin(response)) return connection.startLingeringClose()
    response.assignSocket(socket)
    serve(new UpgradeExchange(request, response, connection, head))
  }
}

/** Responds 404 to an upgrade that no listener has taken. Its connection would stay open forever, because Node has no timeout for it. */
function rejectUnlessTaken(socket: Socket, connection: Connection): void {
  const { bytesWritten } = socket
  // The response to an earlier request does not take the upgrade.
  const { isBusy } = connection
  const check = (): void => {
    if (!socket.writable || socket.listenerCount('data') + socket.listenerCount('readable') > 0) return
    if (isBusy) rejectUnlessTaken(socket, connection)
    else if (socket.bytesWritten === bytesWritten) sendClientError(socket, 404)
  }
  setTimeout(() => guarded(socket, connection.state.settings.report, check), TIME_TO_TAKE).unref()
}

/** Number of `upgrade` events per socket. `MAX_TIMES` limits them, so that a client cannot repeat them forever. */
const handedOver = new WeakMap<Socket, number>()
const MAX_TIMES = 10

/**
 * Calls `next` after the events of a response that has just finished. Until then, the response owns the socket, and Node starts the idle
 * timeout at the end. A response in progress has lost Node's `drain` listener, so this function adds one.
 */
function atRest(socket: Socket, connection: Connection, next: () => void): void {
  const times = handedOver.get(socket) ?? 0
  const { report } = connection.state.settings
  if (times === 0) socket.on('drain', () => guarded(socket, report, () => connection.drain()))
  if (times === MAX_TIMES) return void socket.destroy()
  handedOver.set(socket, times + 1)
  const proceed = (): void => {
    socket.setTimeout(0)
    next()
  }
  setImmediate(() => guarded(socket, report, proceed))
}

/** Since 24.9, Node calls `shouldUpgradeCallback` before it detaches a socket. Other listeners depend on the original callback. */
function askBefore(server: object, takes: TakeUpgrade, hasOthers: () => boolean): void {
  const name = 'shouldUpgradeCallback'
  const before: unknown = Reflect.get(server, name)
  if (typeof before !== 'function') return
  Reflect.set(
    server,
    name,
    (request: IncomingMessage) => takes(request) || (hasOthers() && before.call(server, request)),
  )
}

/** Lets Node parse a request again, without its upgrade, so that its body, response and limits are handled normally. */
function giveBack({ server, state }: OwnServer, request: IncomingMessage, head: Buffer): void {
  const { socket } = request
  const connection = getOrCreateConnection(socket, state)
  const takeBack = (): void => {
    // The previous response may have started the idle timeout.
    socket.setTimeout(0)
    connection.attach()
    wakeSocket(socket)
    const bytes = Buffer.concat([Buffer.from(plainHead(request), 'latin1'), head])
    const hasEnded = socket.readableEnded
    if (!hasEnded) socket.unshift(bytes)
    server.emit('encrypted' in socket ? 'secureConnection' : 'connection', socket)
    // `unshift` fails on an ended stream, and Node does not emit its end again.
    if (hasEnded) socket.emit('data', bytes)
    if (hasEnded) emitEnd(socket, state.settings.report)
  }
  if (!connection.isBusy) return takeBack()
  const response = new http.ServerResponse(request)
  connection.hold(response, () => {
    response.destroy()
    takeBack()
  })
}

/**
 * Formats the request headers without `upgrade` in `Connection`, so that `Upgrade` has no effect. Omits optional spaces, so that the
 * headers never become longer than before.
 */
function plainHead({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const { [at]: name = '', [at + 1]: value = '' } = rawHeaders
    let headerValue = value
    if (CONNECTION.test(name)) {
      const options = value.split(',').filter((option) => option.trim().toLowerCase() !== 'upgrade')
      headerValue = options.join(',')
    }
    lines.push(`${name}:${headerValue}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Node's parser treats both headers the same. */
const CONNECTION = /^(?:proxy-)?connection$/i
