import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Batch, type EndedCall } from '#src/metrics/batch.js'

function gathering(): { batch: Batch; counted: EndedCall[] } {
  const counted: EndedCall[] = []
  return { batch: new Batch((call) => void counted.push({ ...call })), counted }
}

describe('Batch', () => {
  it('counts calls in the order in which they were added, when it is asked to, and once', () => {
    const { batch, counted } = gathering()
    batch.add({ prepared: { number: 7 }, exchange: { method: 'GET' }, began: 10.5, duration: 0.25 }, 200)
    batch.add({ prepared: null, exchange: { method: 'PUT' }, began: 11, duration: 2 }, 0)
    assert.deepEqual(counted, [])
    batch.flush()
    batch.flush()
    assert.deepEqual(counted, [
      { endpoint: 7, method: 'GET', status: 200, end: 10.75, duration: 0.25 },
      { endpoint: -1, method: 'PUT', status: 0, end: 13, duration: 2 },
    ])
  })

  it('counts a full batch by itself, and loses none', () => {
    const { batch, counted } = gathering()
    const durations = Array.from({ length: 1_000 }, (_, index) => index)
    for (const duration of durations) {
      batch.add({ prepared: null, exchange: { method: 'GET' }, began: 0, duration }, 200)
    }
    assert.ok(counted.length > 900 && counted.length < 1_000, String(counted.length))
    batch.flush()
    assert.deepEqual(
      counted.map(({ duration }) => duration),
      durations,
    )
  })
})
