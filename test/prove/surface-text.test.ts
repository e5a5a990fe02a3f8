/** Lines of a surface. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { byCodeUnit, formatName, formatText, wrapSurfaceLine } from '#src/prove/surface-text.js'

describe('byCodeUnit()', () => {
  it('sorts by UTF-16 code unit in every locale', () => {
    assert.deepEqual(['ä', 'b', 'Z', 'a', 'a', '\u{1f600}', '\uffff'].toSorted(byCodeUnit), [
      ...['Z', 'a', 'a', 'b', 'ä', '\u{1f600}', '\uffff'],
    ])
  })
})

describe('formatName()', () => {
  it('quotes names that could look like several names or like another one', () => {
    for (const name of ['a.b', 'a b', 'a[]', 'a (personal)', '*', '', '"a"', 'a\\b', 'a\nb', '\ud800']) {
      assert.equal(JSON.parse(formatName(name)), name)
      assert.match(formatName(name), /^".*"$/)
    }
  })

  it('keeps other names, in any script', () => {
    for (const name of ['email', '$id', 'X-Total', 'größe', '名前']) assert.equal(formatName(name), name)
  })

  it('escapes characters that a reader cannot see', () => {
    assert.equal(formatName('a\u202eb\u200b\u007f'), '"a\\u202eb\\u200b\\u007f"')
  })
})

describe('formatText()', () => {
  it('keeps paths, and escapes controls', () => {
    assert.equal(formatText('/users/{id}'), '/users/{id}')
    assert.equal(formatText('/a\n\u2066b'), '/a\\n\\u2066b')
  })
})

describe('wrapSurfaceLine()', () => {
  it('keeps a line of 120 characters', () => {
    const line = `  in body ${'\u{1f600}'.repeat(110)}`
    assert.deepEqual(wrapSurfaceLine(line), [line])
  })

  it('splits at the last space that fits, or else within a word', () => {
    const words = `  guard user of class Users: ${'http bearer or '.repeat(20).trim()}`
    const long = `  in body ${'a'.repeat(300)}`
    for (const line of [words, long, 'x'.repeat(500)]) {
      const lines = wrapSurfaceLine(line)
      assert.ok(lines.length > 1 && lines.every(({ length }) => length <= 120), lines.join('\n'))
      assert.ok(lines.slice(1).every((each) => /^ {6}\S/.test(each)))
      assert.equal(
        lines
          .map((each) => each.trim())
          .join('')
          .replaceAll(' ', ''),
        line.replaceAll(' ', ''),
      )
    }
    assert.ok(wrapSurfaceLine(words).every((each) => /(?:or|http|bearer)$/.test(each)))
  })
})
