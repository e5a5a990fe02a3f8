import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { MYSQL, POSTGRES, scanSql, STANDARD_SQL, type SqlDialect } from '#src/devconsole/wire/sql-tokens.js'
import { assertLinear } from '#test/processor-time.js'

/** Formats all tokens except whitespace as "kind text". */
function scan(sql: string, dialect: SqlDialect): string[] {
  const tokens = [...scanSql(sql, dialect)].filter(({ kind }) => kind !== 'space')
  return tokens.map(({ kind, text }) => `${kind} ${text}`)
}

const DIALECTS = [POSTGRES, STANDARD_SQL, MYSQL]
const PARTS = [
  "'",
  "''",
  '"',
  '`',
  '[a',
  ']',
  '$$',
  '$a$',
  '$1',
  '?2',
  ':a',
  '--',
  '/*',
  '*/',
  '/*!',
  '#',
  '\\',
  "e'",
  'é',
  '1.5',
  '\n',
  ' ',
  'x',
]

describe('scanSql()', () => {
  it('reads tokens that all dialects have', () => {
    for (const dialect of DIALECTS) {
      assert.deepEqual(scan(`a.b "c ""d""" 'it''s' 1.5e3 <> x::int [e f] tags[1] data->>'k'`, dialect), [
        'word a',
        'plain .',
        'word b',
        'quoted "c ""d"""',
        "string 'it''s'",
        'number 1.5e3',
        'plain <>',
        'word x',
        'plain ::',
        'word int',
        'quoted [e f]',
        'word tags',
        'plain [',
        'number 1',
        'plain ]',
        'word data',
        'plain ->>',
        "string 'k'",
      ])
      assert.deepEqual(scan('$1 ?2 ? :a @é $b', dialect), [
        'parameter $1',
        'parameter ?2',
        'parameter ?',
        'parameter :a',
        'parameter @é',
        'parameter $b',
      ])
    }
  })

  it('reads dollar quotes of PostgreSQL', () => {
    assert.deepEqual(scan("$$it's$$ $a$ $b$ $$ $a$ $é$x", POSTGRES), [
      "string $$it's$$",
      'string $a$ $b$ $$ $a$',
      'string $é$x',
    ])
    assert.deepEqual(scan('x$a$ $1$', POSTGRES), ['word x$a$', 'parameter $1', 'plain $'])
    assert.deepEqual(scan('$$a$$', MYSQL), ['plain $', 'parameter $a', 'plain $', 'plain $'])
  })

  it('reads backslashes in strings of MySQL, and after E', () => {
    assert.deepEqual(scan(String.raw`'a\'b' "c\"d"`, MYSQL), [String.raw`string 'a\'b'`, String.raw`quoted "c\"d"`])
    assert.deepEqual(scan(String.raw`'a\' E'b\'c'`, POSTGRES), [String.raw`string 'a\'`, String.raw`string E'b\'c'`])
  })

  it('reads comments of each dialect', () => {
    assert.deepEqual(scan('/* a /* b */ c */ x', POSTGRES), ['comment /* a /* b */ c */', 'word x'])
    assert.deepEqual(scan('/* a /* b */ x', STANDARD_SQL), ['comment /* a /* b */', 'word x'])
    assert.deepEqual(scan('5--1 -- a\n#b\n/*!40101 x */', MYSQL), [
      'number 5',
      'plain -',
      'plain -',
      'number 1',
      'comment -- a',
      'comment #b',
      'plain /*!40101',
      'word x',
      'plain *',
      'plain /',
    ])
    assert.deepEqual(scan('5--1\n#', POSTGRES), ['number 5', 'comment --1', 'plain #'])
  })

  it('ends a token without an end with the text', () => {
    for (const sql of ["'a", "E'a", '"a', '`a', '$$a', '/* a', '/* a /* b */', '-- a'])
      assert.equal(scan(sql, POSTGRES).length, 1, sql)
  })

  it('returns tokens that together are the text', () => {
    const text = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom(...PARTS)).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(text, fc.constantFrom(...DIALECTS), (sql, dialect) => {
        const tokens = [...scanSql(sql, dialect)]
        assert.equal(tokens.map((token) => token.text).join(''), sql)
        for (const token of tokens) assert.equal(sql.slice(token.index, token.index + token.text.length), token.text)
      }),
    )
  })

  it('takes linear time for comments and quotes of all dialects', () => {
    for (const dialect of DIALECTS) {
      for (const part of ['/*', '/* */', '$a$', "'\\"]) {
        const prepare = (size: number) => {
          const sql = part.repeat(size)
          return () => void [...scanSql(sql, dialect)]
        }
        assertLinear(50_000, prepare, part)
      }
    }
  })
})
