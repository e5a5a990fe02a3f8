import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ResponseMessage } from '#src/http/exchange.js'
import { PHASES } from '#src/devconsole/wire/request-types.js'
import { PHASE, RequestRecorder, type RecordedRequest } from '#src/observe/request-recorder.js'

class Plain extends RequestRecorder {
  override named(): void {}
  override called(): null {
    return null
  }
  override link(): null {
    return null
  }
  override linkResponse(answer: ResponseMessage): ResponseMessage {
    return answer
  }
  override end(_facts: RecordedRequest): void {}
}

function busyFor(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

describe('RequestRecorder', () => {
  it('records the duration of each phase, and adds the durations of repeated phases', () => {
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

  it('records only the current phase and its end before detail() is called', () => {
    const trail = new Plain({ method: 'GET', url: '/' }, performance.now())
    trail.enter(PHASE.handler)
    busyFor(2)
    trail.stop()
    assert.deepEqual([trail.durations, trail.phase, trail.isDetailed], [[], PHASE.handler, false])
    assert.ok(trail.since - trail.began >= 2)
  })
})

describe('PHASE', () => {
  it('numbers the phases in the order of the console, followed by rest', () => {
    assert.deepEqual(Object.keys(PHASE), [...PHASES, 'rest'])
    assert.deepEqual(
      Object.values(PHASE),
      [...PHASES, 'rest'].map((_, index) => index),
    )
  })
})
