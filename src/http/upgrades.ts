/**
 * Upgrades of a server (RFC 9110 section 7.8). A listener for them makes Node hand over the socket of every request that asks for
 * one. Where Node does not ask before it does that (before 24.9), those that nobody takes are given back to it, to be read once more.
 */
import { ServerResponse, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Serve } from './node-exchange.js'
import { connectionOf, type Connection } from './connection.js'
import type { OwnServer } from './server.js'
import { UpgradeExchange } from './upgrade-exchange.js'

type Takes = (request: IncomingMessage) => boolean

/** Serves the requests for an upgrade that `takes` takes. Those that have to wait for another one are requests like any other. */
export function serveUpgrades(own: OwnServer, takes: Takes, serve: Serve): void {
  const { server, state } = own
  const hasOthers = (): boolean => server.listenerCount('upgrade') > 1
  askBefore(server, takes, hasOthers)
  server.on('upgrade', (request: IncomingMessage, _socket: unknown, head: Buffer) => {
    const isTaken = takes(request)
    if (!isTaken && hasOthers()) return
    const connection = connectionOf(request.socket, state)
    atRest(request.socket, connection, () => {
      if (isTaken && !connection.isBusy) begin(request, head)
      else giveBack(own, request, head)
    })
  })

  function begin(request: IncomingMessage, head: Buffer): void {
    const { socket } = request
    const connection = connectionOf(socket, state)
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    if (connection.begin(response)) serve(new UpgradeExchange(request, response, connection, head))
    // The answer before it was the last.
    else connection.startLingeringClose()
  }
}

/** How often Node has handed over each socket: one that it hands over again and again would never come to an end. */
const handedOver = new WeakMap<Socket, number>()
const MOST_TIMES = 10

/**
 * An answer that was just finished has the socket until its events are through, and then begins the time of an idle connection. One
 * that is in work has lost the listener by which Node tells it that it may write on.
 */
function atRest(socket: Socket, connection: Connection, next: () => void): void {
  const times = handedOver.get(socket) ?? 0
  if (times === 0) socket.on('error', () => socket.destroy()).on('drain', () => connection.drain())
  if (times === MOST_TIMES) return void socket.destroy()
  handedOver.set(socket, times + 1)
  setImmediate(() => {
    socket.setTimeout(0)
    next()
  })
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
  const connection = connectionOf(socket, state)
  const chunks = [Buffer.from(plainHead(request), 'latin1'), head]
  const takeBack = (): void => {
    // The answer before it may have begun the time of an idle connection.
    socket.setTimeout(0)
    socket.unshift(Buffer.concat(chunks))
    server.emit('encrypted' in socket ? 'secureConnection' : 'connection', socket)
  }
  if (connection.isBusy) waitForTurn(socket, chunks, takeBack)
  else takeBack()

  function waitForTurn(from: Socket, read: Buffer[], next: () => void): void {
    const keep = (chunk: Buffer): void => void read.push(chunk)
    const response = new ServerResponse(request)
    from.on('data', keep)
    connection.hold(response, () => {
      from.off('data', keep)
      response.destroy()
      next()
    })
  }
}

/** `Upgrade` without `Connection: upgrade` asks for nothing. Without spaces it is never longer than it was. */
function plainHead({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const { [at]: name = '', [at + 1]: value = '' } = rawHeaders
    const kept = CONNECTION.test(name) ? withoutUpgrade(value) : value
    lines.push(`${name}:${kept}`)
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
