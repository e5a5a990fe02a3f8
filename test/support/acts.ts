/** What handlers do in the tests of answers: rows by the name that stands in the path. */
import assert from 'node:assert/strict'
import { Route, type App, type Context } from 'verbena'
import { askInProcess, sendStrictly, assertAlive, rowBytes, type Rule } from './rows.js'

/** What must never be seen. */
export const SECRET = 'postgres://root:hunter2@db'

/** What a handler does, and gives back. */
export type Act = (context: Context) => unknown

/** One act, and the rule that its answer holds to. */
export interface ActRow extends Rule {
  readonly act: Act
}

/** Rows by the name that stands in the path. */
export type Acts = Readonly<Record<string, ActRow>>

/** What every app under attack must still answer. */
export class Alive extends Route {
  get() {
    return 'alive'
  }
}

/** A route that acts as the last segment of the path says. */
export function actRoute(path: string, acts: Acts): unknown {
  return class extends Route {
    static readonly path = `${path}/{name}`
    get(context: Context & { readonly params: { readonly name: string } }): unknown {
      return acts[context.params.name]?.act(context) ?? 'done'
    }
  }
}

/** Both ways are a plain 500: the same members, and nothing of what was thrown. */
export async function assertSilent(app: App, port: number, target: string): Promise<void> {
  const overSocket = await sendStrictly(port, rowBytes({ target }))
  assert.equal(overSocket.length, 1)
  for (const { status, body, headers } of [...overSocket, await askInProcess(app, { target })]) {
    assert.equal(status, 500, body.toString())
    const { requestId, ...problem } = JSON.parse(body.toString()) as Record<string, unknown>
    assert.equal(headers.get('x-request-id')?.[0], requestId)
    assert.deepEqual(problem, { type: 'about:blank', title: 'Internal Server Error', status: 500 })
  }
  await assertAlive(port)
}
