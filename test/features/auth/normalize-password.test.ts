import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { normalizePassword } from '#src/features/auth/normalize-password.js'

describe('normalizePassword()', () => {
  it('returns the results of RFC 8265 section 4.3', () => {
    const cases: readonly (readonly [sent: string, normalized: string])[] = [
      ['correct horse battery staple', 'correct horse battery staple'],
      ['Correct Horse Battery Staple', 'Correct Horse Battery Staple'],
      ['πßå', 'πßå'],
      ['Jack of ♦s', 'Jack of ♦s'],
      ['foo\u1680bar', 'foo bar'],
    ]
    for (const [sent, normalized] of cases) assert.equal(normalizePassword(sent), normalized)
  })

  it('returns the same string for both forms of "é", and for a decomposed Hangul syllable', () => {
    assert.equal(normalizePassword('cafe\u0301'), 'caf\u00e9')
    assert.equal(normalizePassword('caf\u00e9'), 'caf\u00e9')
    assert.equal(normalizePassword('\u1112\u1161\u11ab'), '\ud55c')
  })

  it('does not change compatibility characters, case, or the number of spaces', () => {
    for (const password of ['ﬁ', '①', 'ＡＢ', 'Å', '  a  b ', 'a\tb\n', '\u200b']) {
      assert.equal(normalizePassword(password), password.normalize('NFC'))
    }
  })

  it('replaces exactly the space separators of Unicode', () => {
    for (let code = 0; code <= 0xffff; code++) {
      const character = String.fromCharCode(code)
      if (/\p{Surrogate}/u.test(character)) continue
      if (/\p{Zs}/u.test(character)) assert.equal(normalizePassword(`a${character}b`), 'a b', code.toString(16))
      else assert.notEqual(normalizePassword(character), ' ', code.toString(16))
    }
  })

  it('returns all printable ASCII characters unchanged', () => {
    const ascii = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('')
    assert.equal(normalizePassword(ascii), ascii)
  })

  it('returns a password of more than 1,024 code units unchanged, because NFC can take quadratic time', () => {
    const longest = `e\u0301${'x'.repeat(1_022)}`
    assert.equal(normalizePassword(longest)?.length, 1_023)
    assert.equal(normalizePassword(`${longest}x`), `${longest}x`)
  })

  it('returns null for a lone surrogate, also in a long password, and for nothing else', () => {
    for (const text of ['\ud800', 'a\udc00', '\udc00\ud800', '\u{1f600}\ud83d', `\ud800${'x'.repeat(2_000)}`]) {
      assert.equal(normalizePassword(text), null)
    }
    for (const text of ['', 'a', '\u{1f600}', '\ufffd', '\ufeffa']) assert.equal(normalizePassword(text), text)
  })
})
