import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseTraceId } from '#src/observe/trace.js'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'

describe('parseTraceId()', () => {
  it('returns the trace id of a traceparent header', () => {
    assert.equal(parseTraceId(`00-${TRACE}-${PARENT}-01`), TRACE)
    assert.equal(parseTraceId(`00-${TRACE}-${PARENT}-ff`), TRACE)
  })

  it('returns the trace id of later versions (section 3.2.4)', () => {
    assert.equal(parseTraceId(`01-${TRACE}-${PARENT}-01`), TRACE)
    assert.equal(parseTraceId(`cc-${TRACE}-${PARENT}-01-what the future brings`), TRACE)
  })

  const MALFORMED: readonly (readonly [about: string, field: string | undefined])[] = [
    ['a missing header', undefined],
    ['an empty header', ''],
    ['version ff', `ff-${TRACE}-${PARENT}-01`],
    ['additional data after version 00', `00-${TRACE}-${PARENT}-01-more`],
    ['a dash after version 00', `00-${TRACE}-${PARENT}-01-`],
    ['additional data without a dash', `01-${TRACE}-${PARENT}-01.more`],
    ['upper-case digits', `00-${TRACE.toUpperCase()}-${PARENT}-01`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['a parent id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['a short trace id', `00-${TRACE.slice(1)}-${PARENT}-01`],
    ['a long trace id', `00-${TRACE}0-${PARENT}-01`],
    ['a short parent id', `00-${TRACE}-${PARENT.slice(1)}-01`],
    ['missing flags', `00-${TRACE}-${PARENT}`],
    ['short flags', `00-${TRACE}-${PARENT}-1`],
    ['an invalid hexadecimal digit', `00-${TRACE.replace('4', 'g')}-${PARENT}-01`],
    ['a space before it', ` 00-${TRACE}-${PARENT}-01`],
    ['a line feed after it', `00-${TRACE}-${PARENT}-01\n`],
    ['two headers', `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`],
  ]
  for (const [about, field] of MALFORMED) {
    it(`ignores ${about}`, () => assert.equal(parseTraceId(field), undefined))
  }
})
