/** Callbacks of servers, sockets and timers, which run outside the steps of a request. */
import type { Duplex } from 'node:stream'

/** Writes an error that belongs to no request to the log. */
export type Report = (error: unknown, message: string) => void

/** Runs a callback. An error in it would end the process, because no step catches it. So it is reported, and the socket is destroyed. */
export function guarded(socket: Duplex, report: Report, work: () => void): void {
  try {
    work()
  } catch (error) {
    destroyFailed(socket, report, error)
  }
}

/** The same for a callback that runs for every request, which has a `try` instead: a closure for each request would cost more. */
export function destroyFailed(socket: Duplex, report: Report, error: unknown): void {
  report(error, 'Connection destroyed after an internal error')
  socket.destroy()
}
