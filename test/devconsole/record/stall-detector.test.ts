import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { StallDetector, type LoopStall } from '#src/devconsole/record/stall-detector.js'

function blockFor(ms: number): { readonly began: number; readonly ended: number } {
  const began = performance.now()
  while (performance.now() < began + ms);
  return { began, ended: performance.now() }
}

/**
 * Whether at least one of 30 stalls is reported as busy, or as waiting. A single stall may be misreported: the engine may compile in the
 * background while the process waits, and on a busy machine a working process may not get a processor.
 */
async function isToldAs(isBusy: boolean, stall: () => void): Promise<boolean> {
  for (let times = 0; times < 30; times++) {
    const found: LoopStall[] = []
    const watch = new StallDetector(200, (each) => found.push(each))
    watch.start()
    stall()
    while (found.length === 0) await sleep(5)
    watch.stop()
    if (found[0]?.isBusy === isBusy) return true
  }
  return false
}

describe('StallDetector', () => {
  it('reports a stall with its time range', async () => {
    const found: LoopStall[] = []
    const watch = new StallDetector(200, (stall) => found.push(stall))
    watch.start()
    watch.start()
    const { began, ended } = blockFor(300)
    while (found.length === 0) await sleep(5)
    watch.stop()
    watch.stop()
    const [stall] = found
    assert.ok(stall !== undefined && stall.from <= began && stall.to >= ended, JSON.stringify({ stall, began, ended }))
    assert.ok(stall.delay >= 200 && stall.delay < stall.to - stall.from, JSON.stringify(stall))
    assert.equal(typeof stall.isBusy, 'boolean')
  })

  it('distinguishes work from waiting', async () => {
    assert.ok(await isToldAs(false, () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400)), 'waiting')
    assert.ok(await isToldAs(true, () => blockFor(400)), 'work')
  })

  it('does not report stalls below the limit or after stop()', async () => {
    const found: LoopStall[] = []
    const high = new StallDetector(3_600_000, (stall) => found.push(stall))
    high.start()
    const stopped = new StallDetector(0, (stall) => found.push(stall))
    stopped.start()
    stopped.stop()
    blockFor(100)
    await sleep(120)
    high.stop()
    assert.deepEqual(found, [])
  })
})
