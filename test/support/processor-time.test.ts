import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertLinear, processorTime } from './processor-time.js'

function spin(steps: number): void {
  let sum = 0
  for (let step = 0; step < steps; step++) sum = (sum + step) % 7
  assert.ok(sum >= 0)
}

describe('processorTime()', () => {
  it('does not count time spent waiting', () => {
    const time = processorTime(() => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300))
    assert.ok(time < 250, `${time} ms`)
  })
})

describe('assertLinear()', () => {
  it('accepts linear work', () => {
    assertLinear(1_000_000, (size) => () => spin(size))
  })

  it('throws for quadratic work and names the input', () => {
    const prepare = (size: number) => () => spin(size ** 2)
    assert.throws(() => assertLinear(1_000, prepare, 'The square'), /^AssertionError.*The square takes/)
  })
})
