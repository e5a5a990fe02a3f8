/** Apps in separate processes, which tests kill and start again. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { TestContext } from 'node:test'
import { onCleanup } from '#test/cleanup.js'

export interface ShopProcess {
  readonly url: string
  readonly child: ChildProcess
  /** Ends the process, and waits for its end. */
  readonly kill: (signal?: NodeJS.Signals) => Promise<void>
  /** Waits until the app listens again. Returns its URL. */
  readonly listens: () => Promise<string>
}

/**
 * Starts an app in its own process, with the arguments of `node`. The app prints `listens at <port>`.
 *
 * @param t ends the process at the end of this test
 */
export async function startProcess(t: TestContext, ...nodeArguments: readonly string[]): Promise<ShopProcess> {
  const env = { ...process.env, NODE_ENV: 'development' }
  const child = spawn(process.execPath, nodeArguments, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const waiting: string[] = []
  let wake = (): void => {}
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    waiting.push(...[...text.matchAll(/listens at (\d+)/g)].map(([, port]) => `http://127.0.0.1:${port}`))
    wake()
  })
  const ended = once(child, 'exit')
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    child.kill(signal)
    await ended
  }
  // `--watch` ends the process that it watches, on request.
  onCleanup(t, () => kill(nodeArguments.includes('--watch') ? 'SIGTERM' : 'SIGKILL'))
  const listens = async () => {
    for (;;) {
      const url = waiting.shift()
      if (url !== undefined) return url
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return { url: await listens(), child, kill, listens }
}

/** Returns a port that is not in use. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
