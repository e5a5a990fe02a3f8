import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { WallClock } from '#src/devconsole/store/wall-clock.js'

describe('WallClock', () => {
  it('converts a monotonic time to the time of day with 1 ms accuracy', () => {
    const clock = new WallClock()
    const before = Date.now()
    const time = clock.at(performance.now())
    assert.ok(time >= before - 1 && time <= Date.now() + 1)
  })

  it('keeps intervals between close times exact, and reads the clock again after a second', (t) => {
    const clock = new WallClock()
    let time = 5_000_000
    t.mock.method(Date, 'now', () => time)
    const now = performance.now()
    const first = clock.at(now)
    time = 9_000_000
    assert.ok(Math.abs(clock.at(now + 500) - first - 500) < 0.01)
    assert.ok(clock.at(now + 2_000) > 9_000_000)
  })
})
