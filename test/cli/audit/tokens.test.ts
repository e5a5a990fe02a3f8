/* oxlint-disable no-template-curly-in-string */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { tokenize } from '#src/cli/audit/tokens.js'

function textsOf(code: string): string[] {
  return tokenize(code).map(({ kind, text }) => (kind === 'string' ? `'${text}'` : text))
}

describe('tokenize()', () => {
  it('skips comments, numbers and the content of templates', () => {
    assert.deepEqual(textsOf("a // eval(b)\n/* import('x') */ + 1.5e3 `eval(${c}) it's`"), ['a', '+', '0', 'c', '0'])
  })

  it('reads strings with escapes, quotes and comment signs', () => {
    assert.deepEqual(textsOf(String.raw`f('it\'s // no', "/* \" */")`), [
      'f',
      '(',
      String.raw`'it\'s // no'`,
      ',',
      String.raw`'/* \" */'`,
      ')',
    ])
  })

  it('skips regular expressions, and reads divisions', () => {
    assert.deepEqual(textsOf('x = /[\'"`/]\\/*eval/g.test(y)'), ['x', '=', '0', '.', 'test', '(', 'y', ')'])
    assert.deepEqual(textsOf("(a) / b / 'c'"), ['(', 'a', ')', '/', 'b', '/', "'c'"])
    assert.deepEqual(textsOf("return /'/"), ['return', '0'])
    assert.deepEqual(textsOf("/'/"), ['0'])
  })

  it('reads expressions in templates, also with braces and templates in them', () => {
    assert.deepEqual(textsOf(['`a$', '{ { b: `c$', '{d}` } }$e` + f'].join('')), [
      '{',
      'b',
      ':',
      'd',
      '0',
      '}',
      '0',
      '+',
      'f',
    ])
  })

  it('fails for a template, string or expression without an end', () => {
    assert.throws(() => tokenize('`a'), /A template has no end/)
    assert.throws(() => tokenize("'a\n'"), /A string has no end/)
    assert.throws(() => tokenize('`${a'), /An opening brace has no end/)
  })
})
