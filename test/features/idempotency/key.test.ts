/** The field `Idempotency-Key`: a String of structured fields, or the bare key that most clients send. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { HttpError } from 'verbena'
import { parseIdempotencyKey } from '#src/features/idempotency/key.js'
import { processorTime } from '#test/processor-time.js'

const UUID = '8e03978e-40d5-43e8-bc93-6894a57f9324'

function isRefused(field: string): boolean {
  try {
    parseIdempotencyKey(field)
    return false
  } catch (error) {
    assert.ok(error instanceof HttpError && error.status === 400, String(error))
    assert.match(error.headers['link'] ?? '', /^<https:[^>]+>; rel="describedby"/)
    return true
  }
}

describe('parseIdempotencyKey()', () => {
  it('parses a quoted String, and the same key without quotes', () => {
    for (const field of [`"${UUID}"`, UUID, `"${UUID}";v=1`, `"${UUID}" ; a;b=?1;c="x\\"y";d=1.5`]) {
      assert.equal(parseIdempotencyKey(field), UUID, field)
    }
    assert.equal(parseIdempotencyKey(undefined), null)
    assert.equal(parseIdempotencyKey('"a b, c;d"'), 'a b, c;d')
    assert.equal(parseIdempotencyKey(String.raw`"a\"b\\c"`), String.raw`a"b\c`)
  })

  it('rejects malformed keys, two keys, and a key that is too long', () => {
    const broken = ['', '""', '"', '"a', 'a"', '"a"b', '"a" "b"', '"a", "b"', 'a, b', 'a b', 'a;b=1', '"a";', '"a";B=1']
    const strange = [String.raw`"a\b"`, '"a\u0007"', '"é"', 'é', '"a";b="', `"${'a'.repeat(256)}"`, 'a'.repeat(256)]
    for (const field of [...broken, ...strange]) assert.ok(isRefused(field), field)
    assert.equal(parseIdempotencyKey('a'.repeat(255)), 'a'.repeat(255))
  })

  it('returns every key that a client has quoted', () => {
    const key = fc.stringMatching(/^[ -~]{1,255}$/)
    fc.assert(
      fc.property(key, (text) => {
        assert.equal(parseIdempotencyKey(`"${text.replace(/["\\]/g, String.raw`\$&`)}"`), text)
      }),
    )
  })

  it('returns one key of valid length or rejects the header, for any characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 300 }), (field) => {
        if (isRefused(field)) return
        const key = parseIdempotencyKey(field) ?? ''
        assert.ok(key.length > 0 && key.length <= 255)
        assert.ok(field.startsWith('"') || key === field)
      }),
    )
  })

  it('takes linear time in the length of the header', () => {
    for (const field of [`"${'\\"'.repeat(80_000)}`, `"a"${';a="b"'.repeat(30_000)};`, `"a"${' '.repeat(160_000)}x`]) {
      const time = processorTime(() => assert.ok(isRefused(field)))
      // Linear work takes a few ms, quadratic work 30 s.
      assert.ok(time < 3_000, field.slice(0, 20))
    }
  })
})
