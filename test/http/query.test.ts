import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { HttpError } from '#src/errors/http-error.js'
import { parseForm, parseQuery } from '#src/http/query.js'

describe('parseQuery()', () => {
  it('reads pairs (WHATWG URL, section 5.1)', () => {
    const cases: readonly (readonly [rule: string, text: string, values: Record<string, string | string[]>])[] = [
      ['nothing', '', {}],
      ['one pair', 'a=1', { a: '1' }],
      ['no value', 'a', { a: '' }],
      ['empty value', 'a=', { a: '' }],
      ['empty key', '=1', { '': '1' }],
      ['the first = splits', 'a=b=c', { a: 'b=c' }],
      ['empty pairs are none', '&&a=1&&b=2&', { a: '1', b: '2' }],
      ['+ is a space', 'a+b=c+d', { 'a b': 'c d' }],
      ['%2B is a plus', 'a=%2B+%2B', { a: '+ +' }],
      ['decoded once', 'a=%2541', { a: '%41' }],
      ['decoded after splitting', 'a=%26b%3D1', { a: '&b=1' }],
      ['keys are decoded', '%61=1&a=2', { a: ['1', '2'] }],
      ['repeated keys in the order sent', 'a=1&b=x&a=2&a=', { a: ['1', '2', ''], b: 'x' }],
      ['brackets mean nothing', 'a[b]=1&a[]=2', { 'a[b]': '1', 'a[]': '2' }],
      ['; does not split', 'a=1;b=2', { a: '1;b=2' }],
      ['a question mark is a character', '?a=1', { '?a': '1' }],
    ]
    for (const [rule, text, values] of cases) assert.deepEqual({ ...parseQuery(text, 1_000) }, values, rule)
  })

  it('stores keys such as __proto__ like any other key', () => {
    const query = parseQuery('__proto__=1&constructor=2&__proto__=3&toString=4&hasOwnProperty=5', 1_000)
    assert.deepEqual(Object.keys(query), ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
    assert.deepEqual(Object.values(query)[0], ['1', '3'])
    assert.equal('valueOf' in query, false)
    assert.equal(Reflect.get({}, '1'), undefined)
  })

  it('rejects one pair more than the maximum', () => {
    assert.deepEqual(parseQuery('a&a&&&b', 3)['a'], ['', ''])
    assert.throws(
      () => parseQuery('a&a&b&c', 3),
      (error) => error instanceof HttpError && error.status === 400 && /more than 3 values/.test(error.message),
    )
    assert.throws(() => parseQuery('a', 0), { status: 400 })
  })

  it('stops reading at the maximum', () => {
    assert.throws(() => parseQuery('a&'.repeat(5_000_000), 1_000), { status: 400 })
  })

  it('reads valid input like URLSearchParams', () => {
    const word = fc.string({
      unit: fc.constantFrom('a', 'b', ' ', '+', '&', '=', '%', 'é', '😀', '[', ']', '\0'),
      maxLength: 3,
    })
    const soundPart = word.map((text) => encodeURIComponent(text).replaceAll('%20', '+'))
    const part = fc.oneof(soundPart, fc.constantFrom('', '=', '&', '+', 'a', '='))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        const text = parts.join('')
        const query = parseQuery(text, 1_000)
        const expected = new URLSearchParams(text)
        assert.deepEqual(new Set(Object.keys(query)), new Set(expected.keys()))
        for (const [key, value] of Object.entries(query)) assert.deepEqual([value].flat(), expected.getAll(key))
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('parseForm()', () => {
  it('reads the same syntax as parseQuery()', () => {
    assert.deepEqual({ ...parseForm('a=1&a=%C3%A4+b&c', 10) }, { a: ['1', 'ä b'], c: '' })
    assert.throws(() => parseForm('a&b', 1), { status: 400, message: /more than 1 values/ })
  })

  it('rejects broken percent-encodings', () => {
    for (const text of ['a=%', 'a=%zz', '%C3=1', 'a=%ED%A0%80']) {
      assert.throws(
        () => parseForm(text, 10),
        { name: 'HttpError', status: 400, message: /contains an invalid percent-encoding/ },
        text,
      )
    }
  })
})
