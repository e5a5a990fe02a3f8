/** Starts the probe app in a separate process, and measures it. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Measurement } from '../security/child-server.js'
import { programArguments } from './repository.js'

/** A server in a separate process. */
export interface ChildServer {
  readonly port: number
  readonly child: ChildProcess
  /** Sends a command to the process, and waits for the result. */
  ask(word: string): Promise<unknown>
  measure(): Promise<Measurement>
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
  /** Counts that it printed before it exited. */
  readonly counted: () => Measurement['counts']
  stop(): Promise<void>
}

/**
 * Starts a server, and waits until it listens.
 *
 * @param options options of the app
 * @param words flags of `test/security/child-server.ts`
 */
export async function startChild(options: object = {}, ...words: readonly string[]): Promise<ChildServer> {
  const given = JSON.stringify({ logger: false, ...options })
  const flags = ['--expose-gc', '--max-semi-space-size=1', ...programArguments('test/security/child-server.ts')]
  const args = [process.execPath, ...flags, given, ...words]
  // The shell limits the number of file descriptors of the process.
  const [program = '', ...rest] = words.includes('few-descriptors')
    ? ['sh', '-c', 'ulimit -n 200; exec "$0" "$@"', ...args]
    : args
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  let output = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text))
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  const ask = async (word: string): Promise<unknown> => {
    const answer = once(child, 'message')
    child.send(word)
    return ((await answer) as readonly unknown[])[0]
  }
  const [told] = (await once(child, 'message')) as readonly { readonly port: number }[]
  return {
    port: told?.port ?? 0,
    child,
    ask,
    measure: async () => (await ask('measure')) as Measurement,
    ended,
    counted: () => JSON.parse(output) as Measurement['counts'],
    stop: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
