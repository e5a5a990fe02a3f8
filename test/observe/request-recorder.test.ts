import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PHASES } from '#src/devconsole/wire/request-types.js'
import { PHASE, RequestRecorder, type RecordedRequest } from '#src/observe/request-recorder.js'

class Plain extends RequestRecorder {
  override named(): void {}
  override called(): null {
    return null
  }
  override end(_facts: RecordedRequest): void {}
}

function busyFor(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

describe('Trail', () => {
  it('gives each phase the time from its begin to that of the next, however often it comes', () => {
    const trail = new Plain({ method: 'GET', url: '/' }, performance.now())
    trail.detail()
    busyFor(2)
    trail.enter(PHASE.handler)
    busyFor(4)
    trail.enter(PHASE.rest)
    trail.enter(PHASE.handler)
    busyFor(4)
    trail.enter(PHASE.send)
    const { durations } = trail
    assert.ok((durations[PHASE.route] ?? 0) >= 2)
    assert.ok((durations[PHASE.handler] ?? 0) >= 8)
    assert.equal(durations[PHASE.send], 0)
    assert.equal(durations[PHASE.guards], 0)
    const sum = durations.reduce((total, each) => total + each, 0)
    assert.ok(sum <= performance.now() - trail.began)
  })

  it('takes no phases unless it is told to, but knows which it is in, and when it ended', () => {
    const trail = new Plain({ method: 'GET', url: '/' }, performance.now())
    trail.enter(PHASE.handler)
    busyFor(2)
    trail.stop()
    assert.deepEqual([trail.durations, trail.phase, trail.isDetailed], [[], PHASE.handler, false])
    assert.ok(trail.since - trail.began >= 2)
  })
})

describe('PHASE', () => {
  it('has the numbers that the console sends them by, and one for the rest', () => {
    assert.deepEqual(Object.keys(PHASE), [...PHASES, 'rest'])
    assert.deepEqual(
      Object.values(PHASE),
      [...PHASES, 'rest'].map((_, index) => index),
    )
  })
})
