import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { span } from '#src/devconsole/wire/span.js'

describe('span()', () => {
  it('formats a duration with its two largest units', () => {
    const spans = [-5, 9_999, 61_000, 3_600_000 + 120_000, 90_000_000]
    assert.deepEqual(spans.map(span), ['0s', '9s', '1m 01s', '1h 02m', '1d 01h'])
  })
})
