/** Standard output of the built-in loggers. If its reader ends, such as `head` or a log collector, apps continue without their log. */
import { noop } from '../values/noop.js'

/** Property of standard output in a command of Verbena, which handles a closed pipe itself. */
export const OF_COMMAND: symbol = Symbol.for('verbena.command')

/** Outputs that have written a line and are not closed. */
const open = new Set<LogOutput>()
let isReported = false

export class LogOutput {
  #isClosed = false

  get isTTY(): boolean {
    return process.stdout.isTTY
  }

  write(text: string): void {
    const { stdout } = process
    if (!this.#isClosed && !open.has(this) && !(OF_COMMAND in stdout)) {
      if (open.size === 0) stdout.on('error', onError)
      open.add(this)
    }
    stdout.write(text)
  }

  /** Removes the listener with the last output. The stream emits the error of the last line after the write. */
  close(): void {
    this.#isClosed = true
    if (open.has(this)) setImmediate(() => this.#release())
  }

  #release(): void {
    open.delete(this)
    if (open.size === 0) process.stdout.off('error', onError)
  }
}

/** Throws an error of another kind, which then ends the process as without this listener. */
function onError(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') {
    if (process.stdout.listenerCount('error') === 1) throw error
    return
  }
  if (isReported) return
  isReported = true
  const text =
    'Cannot write the log: the reader of standard output has closed it (EPIPE). The app continues without its log\n'
  // Both outputs may have the same reader.
  const { stderr } = process
  stderr.on('error', noop).write(text, () => setImmediate(() => stderr.off('error', noop)))
}
