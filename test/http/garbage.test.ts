/** What is left of requests that were answered: what an old connection still refers to outlives the young garbage. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'

const FLAGS = ['--trace-gc-nvp', '--min-semi-space-size=4', '--max-semi-space-size=4', '--import=tsx']

/** Bytes that outlived the young garbage, all told. */
async function promotedBy(times: number): Promise<number> {
  const run = promisify(execFile)
  const args = [...FLAGS, 'test/http/garbage-child.ts', String(times)]
  const { stdout } = await run(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 })
  // ` promoted=1`; from Node 26 on `"promoted":1`.
  const sizes = Array.from(stdout.matchAll(/[ "]promoted(?:=|":)(\d+)/g), ([, size]) => Number(size))
  assert.ok(sizes.length > 10, 'The collector says nothing')
  return sizes.reduce((sum, size) => sum + size, 0)
}

describe('requests with bodies', () => {
  it('leave nothing behind that outlives the young garbage', async () => {
    const [few, many] = [500, 2_500]
    const perRequest = ((await promotedBy(many)) - (await promotedBy(few))) / (8 * (many - few))
    // Where a line held what reads its body, 3,800 bytes did.
    assert.ok(perRequest < 500, `${perRequest.toFixed(0)} bytes of each`)
  })
})
