/** Callbacks of servers, sockets and timers, which run outside the steps of a request. */
import type { Duplex } from 'node:stream'

/** Logs an error that is not part of a request. */
export type Report = (error: unknown, message: string) => void

/** Runs a callback. If it throws, reports the error and destroys the socket. Otherwise the error would end the process. */
export function guarded(socket: Duplex, report: Report, work: () => void): void {
  try {
    work()
  } catch (error) {
    destroyFailed(socket, report, error)
  }
}

/** Handles an error like `guarded`. Callbacks that run for every request use it with `try`, because a closure would cost more. */
export function destroyFailed(socket: Duplex, report: Report, error: unknown): void {
  report(error, 'Connection destroyed after an internal error')
  socket.destroy()
}

/**
 * Adds the `error` listener that a socket keeps until it closes, once. Node removes its own listener before it passes a socket on, and the
 * error of a socket without a listener would end the process.
 */
export function ensureErrorListener(socket: Duplex): void {
  if (!socket.listeners('error').includes(onSocketError)) socket.on('error', onSocketError)
}

/** Other listeners handle the error themselves. Node's listener emits `clientError`. */
function onSocketError(this: Duplex): void {
  if (this.listenerCount('error') === 1) this.destroy()
}
