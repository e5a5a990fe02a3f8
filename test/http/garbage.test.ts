/** Memory of completed requests: objects that an old connection still references survive the young generation. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { programArguments } from '#test/repository.js'

const FLAGS = ['--expose-gc', '--trace-gc-nvp', '--min-semi-space-size=4', '--max-semi-space-size=4']

/** Returns the number of bytes that were promoted from the young generation. */
async function promotedBy(kind: 'get' | 'post', times: number): Promise<number> {
  const run = promisify(execFile)
  const args = [...FLAGS, ...programArguments('test/http/garbage-child.ts'), kind, String(times)]
  const { stdout } = await run(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 })
  // ` promoted=1`; from Node 26 on `"promoted":1`.
  const sizes = Array.from(stdout.matchAll(/[ "]promoted(?:=|":)(\d+)/g), ([, size]) => Number(size))
  assert.ok(sizes.length > 10, 'The collector says nothing')
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Bytes of each request that outlived the young garbage. */
async function promotedPerRequest(kind: 'get' | 'post'): Promise<number> {
  const [few, many] = [500, 2_500]
  return ((await promotedBy(kind, many)) - (await promotedBy(kind, few))) / (8 * (many - few))
}

describe('memory use of requests', () => {
  it('releases requests with a body before they are promoted to the old generation', async () => {
    // 3,800 bytes were promoted if the queue of the connection kept a reference to the body.
    const size = await promotedPerRequest('post')
    assert.ok(size < 500, `${size.toFixed(0)} bytes of each`)
  })

  it('releases requests without a body before they are promoted to the old generation', async () => {
    // 1,450 bytes were promoted on Node 24 and 26 if each response had two listeners for its end.
    const size = await promotedPerRequest('get')
    assert.ok(size < 500, `${size.toFixed(0)} bytes of each`)
  })
})
