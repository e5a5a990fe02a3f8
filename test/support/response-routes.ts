/** Routes whose handlers respond in each possible way; the last path segment selects the row. */
import assert from 'node:assert/strict'
import { Route, type App, type Context } from 'verbena'
import { askInProcess, sendStrictly, assertAlive, rowBytes, type Rule } from './attack-rows.js'

/** A secret that no response may contain. */
export const SECRET = 'postgres://root:hunter2@db'

/** The body of a handler; returns the reply. */
export type Act = (context: Context) => unknown

/** A handler body, and the rule that its response must follow. */
export interface ActRow extends Rule {
  readonly act: Act
}

/** Rows by the last segment of the path. */
export type Acts = Readonly<Record<string, ActRow>>

/** Responds 200 as long as the app works; called after each attack. */
export class Alive extends Route {
  get() {
    return 'alive'
  }
}

/** Creates a route that runs the row named by the last path segment. */
export function actRoute(path: string, acts: Acts): unknown {
  return class extends Route {
    static readonly path = `${path}/{name}`
    get(context: Context & { readonly params: { readonly name: string } }): unknown {
      return acts[context.params.name]?.act(context) ?? 'done'
    }
  }
}

/** Asserts that the response is a 500 without details of the error, over a socket and in process. */
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
