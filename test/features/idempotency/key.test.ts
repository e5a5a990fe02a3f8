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
  it('takes a String, and a bare key for the same', () => {
    for (const field of [`"${UUID}"`, UUID, `"${UUID}";v=1`, `"${UUID}" ; a;b=?1;c="x\\"y";d=1.5`]) {
      assert.equal(parseIdempotencyKey(field), UUID, field)
    }
    assert.equal(parseIdempotencyKey(undefined), null)
    assert.equal(parseIdempotencyKey('"a b, c;d"'), 'a b, c;d')
    assert.equal(parseIdempotencyKey(String.raw`"a\"b\\c"`), String.raw`a"b\c`)
  })

  it('refuses what is no key, two of them, and one that is too long', () => {
    const broken = ['', '""', '"', '"a', 'a"', '"a"b', '"a" "b"', '"a", "b"', 'a, b', 'a b', 'a;b=1', '"a";', '"a";B=1']
    const strange = [String.raw`"a\b"`, '"a\u0007"', '"é"', 'é', '"a";b="', `"${'a'.repeat(256)}"`, 'a'.repeat(256)]
    for (const field of [...broken, ...strange]) assert.ok(isRefused(field), field)
    assert.equal(parseIdempotencyKey('a'.repeat(255)), 'a'.repeat(255))
  })

  it('gives back every key that a client has written as a String', () => {
    const key = fc.stringMatching(/^[ -~]{1,255}$/)
    fc.assert(
      fc.property(key, (text) => {
        assert.equal(parseIdempotencyKey(`"${text.replace(/["\\]/g, String.raw`\$&`)}"`), text)
      }),
    )
  })

  it('never takes a field for two keys, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 300 }), (field) => {
        if (isRefused(field)) return
        const key = parseIdempotencyKey(field) ?? ''
        assert.ok(key.length > 0 && key.length <= 255)
        assert.ok(field.startsWith('"') || key === field)
      }),
    )
  })

  it('takes time linear in the header', () => {
    for (const field of [`"${'\\"'.repeat(80_000)}`, `"a"${';a="b"'.repeat(30_000)};`, `"a"${' '.repeat(160_000)}x`]) {
      const time = processorTime(() => assert.ok(isRefused(field)))
      // Linear work takes a few ms, quadratic work 30 s.
      assert.ok(time < 3_000, field.slice(0, 20))
    }
  })
})
