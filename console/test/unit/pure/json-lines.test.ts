/** JSON as lines, and the visible rows of many lines. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { toJsonLines, MAX_COLORED, MAX_SHOWN, chooseBodyForm, visibleRows } from '../../../page/pure/json-lines.js'

const NONE: ReadonlySet<string> = new Set()

function written(value: unknown, folded = NONE): string {
  return toJsonLines(value, folded, 'redacted')
    .map(({ depth, tokens }) => '  '.repeat(depth) + tokens.map((token) => token.text).join(''))
    .join('\n')
}

describe('toJsonLines()', () => {
  it('formats every value like JSON.stringify', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => assert.equal(written(value), JSON.stringify(value, null, 2))))
  })

  it('formats empty arrays and objects in one line', () => {
    assert.equal(written({ a: [], b: {} }), '{\n  "a": [],\n  "b": {}\n}')
  })

  it('shows the number of items in folded values', () => {
    assert.equal(
      written({ items: [1, 2, 3], next: null }, new Set(['/items'])),
      '{\n  "items": [ 3 ],\n  "next": null\n}',
    )
    assert.equal(written({ a: 1 }, new Set([''])), '{ 1 }')
  })

  it('marks lines that can be folded', () => {
    const lines = toJsonLines({ a: [1] }, NONE, 'redacted')
    assert.deepEqual(
      lines.map(({ path, fold }) => [path, fold]),
      [
        ['', 'open'],
        ['/a', 'open'],
        ['/a/0', null],
        ['', null],
        ['', null],
      ],
    )
    assert.equal(toJsonLines([[1]], new Set(['/0']), '')[1]?.fold, 'folded')
  })

  it('distinguishes kinds of tokens, including secrets', () => {
    const kinds = toJsonLines(['a', 1, true, null, 'redacted'], NONE, 'redacted').map((line) => line.tokens[0]?.kind)
    assert.deepEqual(kinds, ['punctuation', 'string', 'number', 'literal', 'literal', 'secret', 'punctuation'])
  })
})

describe('chooseBodyForm()', () => {
  it('parses only JSON', () => {
    assert.deepEqual(chooseBodyForm('{"a":1}', true, false), { kind: 'json', value: { a: 1 } })
    assert.deepEqual(chooseBodyForm('{"a":1}', false, false), { kind: 'text', text: '{"a":1}', more: 0 })
    assert.deepEqual(chooseBodyForm('{"a":', true, false), { kind: 'text', text: '{"a":', more: 0 })
    assert.deepEqual(chooseBodyForm('null', true, false), { kind: 'json', value: null })
  })

  it('shows JSON as it is if JavaScript would round a number of it', () => {
    const isParsed = (text: string) => chooseBodyForm(text, true, false).kind === 'json'
    for (const text of [
      '[9007199254740991]',
      '{"a": 0.30000000000000004}',
      '["a12345678901234567890"]',
      '[-1.5,1e3]',
    ]) {
      assert.ok(isParsed(text), text)
    }
    for (const text of ['[9007199254740993]', '{"a":-12345678901234567890}', '[1, 0.1234567890123456789]']) {
      assert.ok(!isParsed(text), text)
    }
  })

  it('shows the beginning of a long string, or all of it on request, without parsing it', () => {
    const text = `"${'a'.repeat(MAX_COLORED)}"`
    const short = chooseBodyForm(text, true, false)
    assert.deepEqual([short.kind, short.kind === 'text' && short.more], ['text', 2])
    assert.deepEqual(chooseBodyForm(text, true, true), { kind: 'text', text, more: 0 })
  })

  it('does not show a string that is too large', () => {
    assert.deepEqual(chooseBodyForm('a'.repeat(MAX_SHOWN + 1), false, true), { kind: 'large' })
  })
})

describe('visibleRows()', () => {
  const seen = (top: number, count = 1_000) => visibleRows({ top, height: 300, row: 30 }, count, 2)

  it('returns the visible rows and a few above and below', () => {
    assert.deepEqual(
      [seen(0), seen(3_000)],
      [
        { first: 0, end: 12 },
        { first: 98, end: 112 },
      ],
    )
  })

  it('stays within the list', () => {
    assert.deepEqual(
      [seen(0, 0), seen(0, 3), seen(1e9)],
      [
        { first: 0, end: 0 },
        { first: 0, end: 3 },
        { first: 999, end: 1_000 },
      ],
    )
    assert.deepEqual(visibleRows({ top: 0, height: 10, row: 0 }, 5, 0), { first: 0, end: 5 })
  })

  it('includes every visible row', () => {
    const int = (max: number) => fc.integer({ min: 0, max })
    fc.assert(
      fc.property(int(2_000), int(900), fc.integer({ min: 1, max: 80 }), int(500), (top, height, row, count) => {
        const { first, end } = visibleRows({ top, height, row }, count, 3)
        const at = Math.floor(top / row)
        assert.ok(first >= 0 && end <= count && first <= end)
        if (at < count) assert.ok(first <= at && end >= Math.min(count, Math.ceil((top + height) / row)))
      }),
    )
  })
})
