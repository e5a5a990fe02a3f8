/** Requests without a socket of `node:net`: from test helpers such as `fastify.inject`, and from other streams. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { noop } from '../values/noop.js'
import { http } from './node-http.js'

/** Adds the methods of `net.Socket` that Verbena calls to another stream. */
export function completeSocket(socket: Duplex): void {
  const destroySoon = (): void => void socket.end(() => socket.destroy())
  Object.assign(socket, { destroySoon, resetAndDestroy: () => socket.destroy(), setTimeout: noop })
}

/** Whether a test helper or an adapter has created a request. Its socket is a plain object, or its version is missing or a string. */
export function isStandIn({ httpVersionMajor, socket }: IncomingMessage): boolean {
  const untrusted: { readonly writable?: boolean } | undefined = socket
  return untrusted?.writable === undefined || typeof httpVersionMajor !== 'number'
}

/**
 * Replaces the socket of such a request by one without a connection. Throws if the response is not one of
 * `node:http`, because the app could not respond.
 */
export function replaceSocket(request: IncomingMessage, response: ServerResponse): void {
  const untrusted: unknown = response
  if (!(untrusted instanceof http.OutgoingMessage) || !Array.isArray(request.rawHeaders)) {
    const fix = 'Send the request with "app.fetch()" or "testApp()" of "verbena/testing"'
    throw new TypeError(`Cannot handle a request that is not of node:http: it has no socket. ${fix}`)
  }
  const { remoteAddress, encrypted }: { remoteAddress?: unknown; encrypted?: unknown } = Object(request.socket)
  const socket = new Duplex({ read: noop, write: (_chunk, _encoding, done) => done() })
  Object.assign(socket, { remoteAddress }, encrypted === true && { encrypted })
  // Proof: the Connection of this socket adds the remaining methods that Verbena calls.
  request.socket = socket as Socket
  socket.on('close', () => {
    response.destroy()
    // A broken response. Helpers wait for its end or for an error.
    const isBroken = !response.writableEnded && response.listenerCount('error') > 0
    if (isBroken) response.emit('error', new Error('The response ended early. The log of the app has the reason'))
  })
  response.on('close', () => socket.destroy())
  request.httpVersionMajor = Number(request.httpVersionMajor ?? 1)
  request.httpVersionMinor = Number(request.httpVersionMinor ?? 1)
  if (request.rawHeaders.length > 0) return
  for (const [name, values = []] of Object.entries(request.headers)) {
    for (const value of [values].flat()) request.rawHeaders.push(name, value)
  }
}
