import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { HttpError } from '#src/errors/http-error.js'
import { parseJson } from '#src/http/json-body.js'

function read(text: string, depth = 64): unknown {
  return parseJson(Buffer.from(text), { depth })
}

function assertRefused(bytes: Buffer, message: RegExp, depth = 64): void {
  assert.throws(
    () => parseJson(bytes, { depth }),
    (error) => {
      assert.ok(error instanceof HttpError, String(error))
      assert.equal(error.status, 400)
      assert.match(error.message, message)
      return true
    },
    bytes.toString('latin1').slice(0, 80),
  )
}

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

describe('parseJson()', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.boolean(), (value, spaced) => {
        const text = JSON.stringify(value, null, spaced ? 2 : undefined)
        if (/__proto__|constructor/.test(text)) return
        assert.deepEqual(read(text), JSON.parse(text))
      }),
    )
  })

  it('does not coerce values, and uses the last of duplicate keys', () => {
    assert.deepEqual(read('{"a":"1","a":1e2}'), { a: 100 })
    assert.equal(read(' "text" '), 'text')
    assert.equal(read('null'), null)
  })

  it('rejects invalid JSON (RFC 8259)', () => {
    const cases: readonly (readonly [rule: string, text: string])[] = [
      ['empty', ''],
      ['space alone', ' \n'],
      ['trailing text', '{}x'],
      ['two values', '{}{}'],
      ['trailing comma', '[1,]'],
      ['comment', '/* */1'],
      ['single quotes', "{'a':1}"],
      ['bare key', '{a:1}'],
      ['NaN', 'NaN'],
      ['Infinity', '-Infinity'],
      ['hexadecimal', '0x10'],
      ['leading zero', '01'],
      ['control character in a string', '"\u0000"'],
      ['cut short', '{"a":'],
      ['form', 'a=1'],
      ['byte order mark', '\ufeff{}'],
      ['byte order mark inside', '{\ufeff}'],
      ['no-break space', '\u00a0{}'],
    ]
    for (const [rule, text] of cases)
      assert.throws(() => read(text), { status: 400, message: 'The body is not valid JSON' }, rule)
  })

  it('stores the error of the parser only as the cause', () => {
    assert.throws(
      () => read('{"secret'),
      (error) => error instanceof HttpError && error.cause instanceof SyntaxError && !error.message.includes('secret'),
    )
  })

  it('rejects bytes that are not UTF-8 (RFC 3629)', () => {
    const cases: readonly (readonly [rule: string, bytes: readonly number[]])[] = [
      ['lone continuation byte', [0x80]],
      ['sequence cut short', [0xc3]],
      ['overlong slash', [0xc0, 0xaf]],
      ['overlong NUL', [0xe0, 0x80, 0x80]],
      ['overlong, four bytes', [0xf0, 0x80, 0x80, 0xaf]],
      ['high surrogate', [0xed, 0xa0, 0x80]],
      ['low surrogate', [0xed, 0xb0, 0x80]],
      ['pair of surrogates (CESU-8)', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]],
      ['beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
      ['Latin-1', [0xe4]],
      ['never in UTF-8', [0xff]],
    ]
    for (const [rule, bytes] of cases) {
      assertRefused(Buffer.concat([Buffer.from('"'), Buffer.from(bytes), Buffer.from('"')]), /not valid UTF-8/)
      assert.ok(rule)
    }
    assertRefused(Buffer.from('{}', 'utf16le'), /not valid JSON/)
  })

  it('accepts all characters, and escaped lone surrogates', () => {
    assert.equal(read('"ä\u2028😀\u{10ffff}\\ud800"'), 'ä\u2028😀\u{10ffff}\ud800')
  })

  it('accepts nesting up to the limit', () => {
    assert.doesNotThrow(() => read(nested(64)))
    assert.doesNotThrow(() => read('{"a":'.repeat(64) + '1' + '}'.repeat(64)))
    assert.doesNotThrow(() => read('1', 0))
    assert.doesNotThrow(() => read('[]', 1))
    assert.doesNotThrow(() => read(`[${'[],'.repeat(100)}[]]`, 2))
    assert.doesNotThrow(() => read(`["${'['.repeat(1_000)}"]`, 1))
  })

  it('rejects nesting one level above the limit', () => {
    for (const text of [nested(65), '[{"a":'.repeat(32) + '[]' + '}]'.repeat(32), `[1,${nested(64)}]`]) {
      assertRefused(Buffer.from(text), /deeper than 64 levels/)
    }
    assertRefused(Buffer.from('[]'), /deeper than 0 levels/, 0)
    assertRefused(Buffer.from('[{}]'), /deeper than 1 levels/, 1)
    assertRefused(Buffer.from('[{"\\u0061":1}]'), /deeper than 1 levels/, 1)
  })

  it('handles 100,000 levels without a stack overflow', () => {
    assertRefused(Buffer.from(nested(100_000)), /deeper than 64 levels/)
    assertRefused(Buffer.from('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)), /deeper than 64 levels/)
    assertRefused(Buffer.from('['.repeat(100_000)), /not valid JSON/)
    assert.doesNotThrow(() => read(nested(100_000), 100_000))
  })

  it('rejects "__proto__" keys at any depth, even if escaped', () => {
    for (const text of [
      '{"__proto__":{}}',
      '{"__proto__":null}',
      '{"a":[{"__proto__":1}]}',
      '{"\\u005f_proto__":{}}',
      '{"\\u005f\\u005f\\u0070\\u0072\\u006f\\u0074\\u006f\\u005f\\u005f":{}}',
      '{"a":{"__proto\\u005F\\u005f":1}}',
    ]) {
      assertRefused(Buffer.from(text), /"__proto__" key/)
    }
    assert.equal('polluted' in {}, false)
  })

  it('rejects "constructor.prototype" keys at any depth, even if escaped', () => {
    for (const text of [
      '{"constructor":{"prototype":{}}}',
      '[{"a":{"constructor":{"prototype":null,"b":1}}}]',
      '{"\\u0063onstructor":{"prototype":1}}',
      '{"constructor":{"\\u0070rototype":1}}',
    ]) {
      assertRefused(Buffer.from(text), /"constructor.prototype" key/)
    }
  })

  it('accepts "__proto__", "constructor" and "prototype" in safe places', () => {
    for (const text of [
      '{"a":"__proto__"}',
      '["constructor","prototype","\\u005f_proto__"]',
      '{"constructor":"Acme"}',
      '{"constructor":null}',
      '{"constructor":{"name":"x"}}',
      '{"prototype":{"constructor":1}}',
      '{"__proto":1,"__proto___":2}',
    ]) {
      assert.deepEqual(read(text), JSON.parse(text), text)
    }
  })
})
