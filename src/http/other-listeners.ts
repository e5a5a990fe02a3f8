/** Other `request` listeners of a server, which would respond to the same requests as the app. */
import type { Server as PlainServer } from 'node:http'
import type * as https from 'node:https'
import { SetupError } from '../errors/setup-error.js'

/**
 * Throws if a server has a `request` listener. Otherwise, checks again when the server listens: if the app's listener then has another beside
 * it, the server closes and emits the error. Libraries that replace the listener and call it themselves are not reported.
 */
export function rejectOtherListeners(server: PlainServer | https.Server, listener: unknown): void {
  if (server.listenerCount('request') > 0) throw sharedError()
  if (server.listening) return
  server.prependOnceListener('listening', () => {
    const listeners: readonly unknown[] = server.listeners('request')
    if (listeners.length < 2 || !listeners.includes(listener)) return
    server.close()
    server.emit('error', sharedError())
  })
}

function sharedError(): SetupError {
  const order = 'Call "app.attach(server)" first, and then libraries such as socket.io, which pass other requests on'
  const watch = 'If the listener only watches, as in a shutdown helper, write "app.attach(server, { besides: true })"'
  const what = 'the server has another "request" listener, so both would respond to each request'
  return new SetupError('APP_STATE', `Cannot attach to a server: ${what}. ${order}. ${watch}`)
}
