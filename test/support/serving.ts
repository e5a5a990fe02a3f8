/** Runs tasks against a listening app, which must still respond afterwards. */
import type { App, CommonOptions } from 'verbena'
import { probeApp } from './probe.js'
import { assertAlive } from './attack-rows.js'
import type { StrictAnswer } from './strict-parser.js'

/** Starts a probe app with these options, runs a task, and closes the app. */
export async function withApp(options: CommonOptions, task: (port: number, app: App) => Promise<void>): Promise<void> {
  await serving(probeApp(options), task)
}

/** Starts an app, runs a task, and closes the app. */
export async function serving(app: App, task: (port: number, app: App) => Promise<void>): Promise<void> {
  const { port } = await app.listen()
  try {
    await task(port, app)
    await assertAlive(port)
  } finally {
    await app.close()
  }
}

/** Formats a GET request that keeps the connection open. */
export const formatGet = (target: string, headers = ''): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`

export const readStatuses = (answers: readonly StrictAnswer[]): number[] => answers.map(({ status }) => status)
