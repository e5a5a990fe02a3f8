/** Starts a server that is about to fail, and keeps what it prints. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** A server that is about to fail. */
export interface FaultyChild {
  readonly child: ChildProcess
  /** All that it has printed, both streams. */
  readonly printed: () => string
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
  /** The port, once it listens. */
  readonly port: Promise<number>
  /** Waits until it has printed a text. */
  says(text: string): Promise<void>
}

/**
 * Starts one.
 *
 * @param fault what goes wrong
 * @returns the server, which may not listen yet
 */
export function startFaulty(fault: string): FaultyChild {
  const child = spawn(process.execPath, ['--import=tsx', 'test/security/faulty-server.ts', fault], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (output += text))
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  const port = once(child, 'message').then(([told]) => (told as { readonly port: number }).port)
  const says = async (text: string): Promise<void> => {
    while (!output.includes(text)) {
      if (child.exitCode !== null) throw new Error(`It ended and never said "${text}": ${output}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  return { child, printed: () => output, ended, port, says }
}
