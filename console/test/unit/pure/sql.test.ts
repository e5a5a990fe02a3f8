import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { compactSql, formatSql, tokenizeSql, type ShownToken } from '../../../page/pure/sql.js'

const textOf = (tokens: readonly ShownToken[]): string => tokens.map(({ text }) => text).join('')
const format = (sql: string): string => textOf(formatSql(sql))

/** Fragments that random SQL is built from: keywords, quotes that may not end, and marks that open and close. */
const FRAGMENTS =
  "select FROM where and OR join left case WHEN end between in as on conflict for update group by ( ) (select , ; . :: = ->> '1 2' 'it''s' e'a\\'b' ' \" \"A b\" ` `x  y` [a  b] [ ] $1 $$ $a$ x$b$ ? ?2 :name @id a:b 1.5e3 -- /* */ é 表 \u{1F98A}".split(
    ' ',
  )
const SPACES = ['', ' ', '\n', '\t\t', ' -- note  \n', ' /* a  b */ ']
const randomSql = fc
  .array(fc.tuple(fc.constantFrom(...FRAGMENTS), fc.constantFrom(...SPACES)), { maxLength: 60 })
  .map((parts) => parts.flat().join(''))

describe('tokenizeSql()', () => {
  it('splits strings, quoted names, comments, parameters and numbers', () => {
    const kinds = (sql: string) => tokenizeSql(sql).map(({ kind, text }) => `${kind} ${text}`)
    assert.deepEqual(kinds(`Select "a ""b""" 'it''s' e'\\'' $1 1.5`), [
      'keyword Select',
      'space  ',
      'name "a ""b"""',
      'space  ',
      "string 'it''s'",
      'space  ',
      "string e'\\''",
      'space  ',
      'parameter $1',
      'space  ',
      'number 1.5',
    ])
    assert.deepEqual(kinds('$a$ x $$ y $a$'), ['string $a$ x $$ y $a$'])
    assert.deepEqual(kinds("'a ; select"), ["string 'a ; select"])
    assert.deepEqual(kinds('x::int'), ['name x', 'plain ::', 'name int'])
    assert.deepEqual(kinds('t.order'), ['name t', 'plain .', 'name order'])
    assert.deepEqual(kinds('/* a\nb */-- c\n'), ['comment /* a\nb */', 'comment -- c', 'space \n'])
    assert.deepEqual(kinds(':a?@b'), ['parameter :a', 'parameter ?', 'parameter @b'])
  })

  it('returns tokens that together are the text', () => {
    fc.assert(fc.property(fc.oneof(randomSql, fc.string()), (sql) => textOf(tokenizeSql(sql)) === sql))
  })

  it('takes linear time for hostile SQL', () => {
    for (const part of ["'", '$a$', '[', '/*', '"', '(', '$', ':', '-', '(select ']) {
      const start = performance.now()
      formatSql(part.repeat(20_000))
      assert.ok(performance.now() - start < 1_000, part)
    }
  })
})

describe('compactSql()', () => {
  it('replaces whitespace between tokens by one space', () => {
    assert.equal(textOf(compactSql("\n  select  a,\n\tb\nfrom 'x  y' \n")), "select a, b from 'x  y'")
  })

  it('keeps the end of the line after a comment', () => {
    assert.equal(textOf(compactSql('select 1 -- one\n   from x')), 'select 1 -- one\nfrom x')
  })
})

describe('formatSql()', () => {
  it('breaks lines before clauses, joins, AND and OR', () => {
    assert.equal(
      format(
        'select a, count(*) from t left outer join u on u.id = t.id and u.x where a = $1 or b group by a order by a limit 5 offset 2',
      ),
      [
        'select a, count(*)',
        'from t',
        'left outer join u on u.id = t.id',
        '  and u.x',
        'where a = $1',
        '  or b',
        'group by a',
        'order by a',
        'limit 5 offset 2',
      ].join('\n'),
    )
  })

  it('breaks no line within BETWEEN, CASE and parentheses', () => {
    assert.equal(
      format('select case when a and b then 1 else 2 end from t where x between 1 and 2 and (y or left(z, 1) = 2)'),
      'select case when a and b then 1 else 2 end\nfrom t\nwhere x between 1 and 2\n  and (y or left(z, 1) = 2)',
    )
    assert.equal(format('select left(a, 1) from t'), 'select left(a, 1)\nfrom t')
    assert.equal(format('select 1 end from t'), 'select 1 end\nfrom t')
  })

  it('indents subqueries', () => {
    assert.equal(
      format('with a as (select 1) select * from a where id in (select id from b where c and d)'),
      [
        'with a as (',
        '  select 1',
        ')',
        'select *',
        'from a',
        'where id in (',
        '  select id',
        '  from b',
        '  where c',
        '    and d',
        ')',
      ].join('\n'),
    )
  })

  it('continues phrases on their line', () => {
    assert.equal(format('delete from t where a is distinct from b'), 'delete from t\nwhere a is distinct from b')
    assert.equal(
      format('insert into t (a) values ($1) on conflict (a) do update set a = 2 returning *'),
      'insert into t (a)\nvalues ($1)\non conflict (a) do update\nset a = 2\nreturning *',
    )
    assert.equal(format('select 1 from t for no key update'), 'select 1\nfrom t\nfor no key update')
  })

  it('continues long lists on the next line', () => {
    const names = Array.from({ length: 12 }, (_, index) => `column_${index}`)
    const [first, second] = format(`select ${names.join(', ')} from t`).split('\n')
    assert.ok(first?.endsWith(',') && first.length < 80, first)
    assert.match(second ?? '', /^ {2}column_/)
  })

  it('accepts parentheses without a partner, and comments', () => {
    assert.equal(format(') select 1 ) from ('), ')\nselect 1 )\nfrom (')
    assert.equal(format('select 1 -- one\nfrom /* two */ t'), 'select 1 -- one\nfrom /* two */ t')
  })

  it('changes only whitespace, and no token', () => {
    const tokensOf = (tokens: readonly ShownToken[]) => tokens.filter(({ kind }) => kind !== 'space')
    fc.assert(
      fc.property(fc.oneof(randomSql, fc.string()), (sql) => {
        assert.deepEqual(tokensOf(formatSql(sql)), tokensOf(tokenizeSql(sql)))
        assert.deepEqual(tokensOf(compactSql(sql)), tokensOf(tokenizeSql(sql)))
      }),
    )
  })

  it('returns text that has the same tokens', () => {
    const words = (sql: string) => tokenizeSql(sql).filter(({ kind }) => kind !== 'space')
    fc.assert(fc.property(randomSql, (sql) => assert.deepEqual(words(format(sql)), words(sql))))
  })
})
