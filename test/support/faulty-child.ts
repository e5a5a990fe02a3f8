/** Starts a server process that will fail, and collects its output. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { programArguments } from './repository.js'

export interface FaultyChild {
  readonly child: ChildProcess
  /** Returns its output so far, stdout and stderr. */
  readonly printed: () => string
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
  /** Resolves to the port when the server listens. */
  readonly port: Promise<number>
  /** Waits until its output contains `text`. */
  says(text: string): Promise<void>
}

/**
 * Starts `test/security/faulty-server.ts`. The server may not listen yet when this function returns.
 *
 * @param fault name of the fault
 */
export function startFaulty(fault: string): FaultyChild {
  const child = spawn(process.execPath, [...programArguments('test/security/faulty-server.ts'), fault], {
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
