import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toMicros } from '#src/metrics/micros.js'

describe('toMicros()', () => {
  it('rounds to the µs', () => assert.equal(toMicros(1.23456), 1.235))
})
