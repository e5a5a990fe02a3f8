// own process: it waits until the process is idle
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeParts } from '#src/devconsole/serve/console-parts.js'
import { createHost } from '#test/console-host.js'

/** Waits for the threads of the engine, which compile loaded code. Their CPU time counts as time of the process. */
async function calm(): Promise<void> {
  for (let looks = 0; looks < 50; looks++) {
    const begin = process.cpuUsage()
    await sleep(200)
    const { user, system } = process.cpuUsage(begin)
    if (user + system < 10_000) return
  }
}

describe('makeParts()', () => {
  it('reports a stall without a request if the process was working, but not if it was waiting', async () => {
    const { stalls, incidents } = makeParts(createHost({ options: { stall: 100 } }))
    await calm()
    stalls.start()
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400)
    await sleep(100)
    assert.deepEqual(incidents.list(Date.now()), [])
    while (incidents.list(Date.now()).length === 0) {
      const end = performance.now() + 250
      while (performance.now() < end);
      await sleep(60)
    }
    stalls.stop()
    const [stall] = incidents.list(Date.now())
    assert.match(stall?.detail ?? '', /^No other code ran for \d{3,} ms\. No request was in progress\.$/)
  })
})
