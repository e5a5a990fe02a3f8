import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'node:test'
import { Gauge } from '#src/devconsole/store/gauge.js'

describe('Gauge', () => {
  it('reads only memory before start() and after stop()', () => {
    const gauge = new Gauge()
    const before = gauge.read()
    assert.deepEqual([before.loopDelay, before.loopUse, before.gc], [null, null, 0])
    assert.ok(before.heap > 0 && before.rss > before.heap)
    gauge.start()
    gauge.start()
    assert.notEqual(gauge.read().loopUse, null)
    gauge.stop()
    gauge.stop()
    assert.equal(gauge.read().loopDelay, null)
  })

  it('measures the event loop delay since the last reading', async () => {
    const gauge = new Gauge()
    gauge.start()
    await sleep(60)
    const end = performance.now() + 150
    while (performance.now() < end);
    await sleep(60)
    const reading = gauge.read()
    assert.ok((reading.loopDelay ?? 0) >= 100, String(reading.loopDelay))
    assert.ok((reading.loopUse ?? 0) > 0.2)
    assert.ok((gauge.read().loopDelay ?? 0) < (reading.loopDelay ?? 0))
    gauge.stop()
  })

  it('measures a stall that starts directly after a reading', async () => {
    const gauge = new Gauge()
    gauge.start()
    await sleep(60)
    gauge.read()
    const end = performance.now() + 150
    while (performance.now() < end);
    await sleep(60)
    const { loopDelay } = gauge.read()
    gauge.stop()
    assert.ok((loopDelay ?? 0) >= 100, String(loopDelay))
  })

  it('counts major collections', async () => {
    const gauge = new Gauge()
    gauge.start()
    const kept: unknown[] = []
    let count = 0
    for (let turn = 0; turn < 400 && count === 0; turn++) {
      for (let index = 0; index < 20; index++) kept.push(Array.from({ length: 5_000 }, () => ({ index })))
      kept.splice(0, Math.max(0, kept.length - 200))
      await sleep(1)
      count = gauge.read().gc
    }
    gauge.stop()
    assert.ok(count > 0)
  })
})
