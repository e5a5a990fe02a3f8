/** Apps that serve while a test runs, and must still answer at its end. */
import type { App, CommonOptions } from 'verbena'
import { probeApp } from './probe.js'
import { assertAlive } from './rows.js'
import type { StrictAnswer } from './strict-parser.js'

/** Serves an app of these options over the loopback; closed afterwards. */
export async function withApp(options: CommonOptions, task: (port: number, app: App) => Promise<void>): Promise<void> {
  await serving(probeApp(options), task)
}

/** Serves an app over the loopback; closed afterwards. */
export async function serving(app: App, task: (port: number, app: App) => Promise<void>): Promise<void> {
  const { port } = await app.listen()
  try {
    await task(port, app)
    await assertAlive(port)
  } finally {
    await app.close()
  }
}

/** The bytes of a GET that leaves the connection open. */
export const getOf = (target: string, headers = ''): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`

/** The statuses of some answers. */
export const statusesOf = (answers: readonly StrictAnswer[]): number[] => answers.map(({ status }) => status)
