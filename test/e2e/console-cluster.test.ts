/** The console of an app in workers of `node:cluster`. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { programArguments } from '#test/repository.js'

interface Visit {
  /** Log of each worker up to its link. */
  readonly lines: readonly string[]
  /** Responses to eight requests with the cookie of one sign-in. */
  readonly statuses: readonly number[]
}

async function visitWorkers(...token: readonly string[]): Promise<Visit> {
  const { NODE_ENV: _, ...env } = process.env
  const args = [...programArguments('test/fixtures/console/cluster.ts'), ...token]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env })
  return JSON.parse(stdout)
}

const FIX = 'each worker of node:cluster has another token unless you set \\"devConsole: { token }\\"'

describe('the console in a cluster', () => {
  it('names the fix in the line of each worker, because the token of one opens only this worker', async () => {
    const { lines, statuses } = await visitWorkers()
    assert.deepEqual(new Set(statuses), new Set([200, 401]))
    for (const line of lines)
      assert.ok(line.includes(`Console (token required, because NODE_ENV is not set; ${FIX}): http://`), line)
  })

  it('opens all workers with the token of the option', async () => {
    const { lines, statuses } = await visitWorkers('a-token-of-the-option')
    assert.deepEqual(new Set(statuses), new Set([200]))
    for (const line of lines)
      assert.ok(line.includes('Console (token required, because devConsole.token is set): http://'), line)
  })
})
