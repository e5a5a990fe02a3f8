/** An app with a console, whose endpoint runs the work of a test. */
import assert from 'node:assert/strict'
import { createApp, Route, service } from 'verbena'
import type { Query, RequestRecord } from '#src/devconsole/wire/request-types.js'

type Work = () => unknown

/** A service, whose calls have queries below them. */
class Runner {
  async run(work: Work): Promise<unknown> {
    return work()
  }
}

const waiting: Work[] = []

class Works extends Route<{ runner: Runner }> {
  async get() {
    await waiting.shift()?.()
    return { done: true }
  }

  async put() {
    await this.runner.run(() => waiting.shift()?.())
    return { done: true }
  }
}

export interface RecordedApp {
  /** Returns the recorded request that runs `work`; with `PUT`, in a service method. */
  recordOf(work: Work, method?: 'GET' | 'PUT'): Promise<RequestRecord>
  close(): Promise<void>
}

export async function startRecordedApp(): Promise<RecordedApp> {
  process.env['NODE_ENV'] = 'development'
  const services = { runner: service(() => new Runner()) }
  const app = createApp({ routes: { Works }, services, logger: false, signals: false, devConsole: true })
  const { url } = await app.listen()
  return {
    recordOf: async (work, method = 'GET') => {
      waiting.push(work)
      const response = await fetch(`${url}/works`, { method })
      assert.equal(response.status, 200, await response.text())
      const id = response.headers.get('x-dev-console')?.split('/').at(-1)
      return (await fetch(`${url}/__dev__/api/requests/${id}`)).json() as Promise<RequestRecord>
    },
    close: () => app.close(),
  }
}

/** Returns the facts of queries that a test compares. */
export function readFacts(queries: readonly Query[]): unknown[] {
  return queries.map(({ text, params, rows, error }) => [text, params, rows, error])
}
