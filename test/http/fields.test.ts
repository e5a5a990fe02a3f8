import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  applyChanges,
  toHeaderChanges,
  fieldChange,
  isToken,
  NO_FIELDS,
  overlayFields,
  writeFields,
  type HeaderMap,
} from '#src/http/fields.js'

const fieldsOf = (record: Readonly<Record<string, string>>): HeaderMap => new Map(Object.entries(record))

function linesOf(fields: HeaderMap): string[] {
  const lines: string[] = []
  writeFields(fields, lines)
  return lines
}

describe('isToken()', () => {
  it('accepts only the characters of RFC 9110 section 5.6.2', () => {
    const allowed = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    for (let code = 0; code < 0x180; code++) {
      const char = String.fromCharCode(code)
      assert.equal(isToken(`a${char}`), allowed.includes(char), `code ${code}`)
    }
    assert.equal(isToken(''), false)
  })
})

describe('fieldChange()', () => {
  it('converts the name to lower case, and keeps the value', () => {
    assert.deepEqual(fieldChange('X-Total', ' A,b ', true), { name: 'x-total', value: ' A,b ', append: true })
    assert.deepEqual(fieldChange('ETag', null, false), { name: 'etag', value: null, append: false })
  })

  it('rejects a name that is not a token', () => {
    for (const name of ['', 'a b', 'a:', 'a\r\nb', 'ä', 'a\0']) {
      assert.throws(
        () => fieldChange(name, '1', false),
        { name: 'TypeError', message: /its name must be an HTTP token/ },
        name,
      )
    }
  })

  it('accepts only tab, space, visible ASCII and obs-text (RFC 9110 section 5.5)', () => {
    for (let code = 0; code < 0x180; code++) {
      const value = `a${String.fromCharCode(code)}b`
      const isSafe = code === 9 || (code >= 0x20 && code <= 0x7e) || (code >= 0x80 && code <= 0xff)
      if (isSafe) assert.equal(fieldChange('a', value, false).value, value)
      else assert.throws(() => fieldChange('a', value, false), { name: 'TypeError', message: /Cannot set header "a"/ })
    }
    for (const value of ['\n', 'a\n', '\r\nb: c', '😀', '\u2028']) assert.throws(() => fieldChange('a', value, false))
  })

  it('does not repeat a rejected value', () => {
    assert.throws(
      () => fieldChange('a', 'secret\n', false),
      (error) => error instanceof Error && !error.message.includes('secret'),
    )
  })
})

describe('toHeaderChanges()', () => {
  it('appends Vary, Link and Set-Cookie in any case, and replaces other headers', () => {
    assert.deepEqual(
      toHeaderChanges({ VARY: 'a', Link: 'b', 'Set-Cookie': 'c', ETag: 'd', 'x-gone': null }).map(
        ({ name, append }) => `${name} ${append}`,
      ),
      ['vary true', 'link true', 'set-cookie true', 'etag false', 'x-gone false'],
    )
  })

  it('rejects the same headers as fieldChange()', () => {
    assert.throws(() => toHeaderChanges({ a: 'b\n' }), TypeError)
    assert.throws(() => toHeaderChanges({ 'a b': null }), TypeError)
  })
})

describe('applyChanges()', () => {
  it('returns the same headers without changes, and never modifies them', () => {
    const fields = fieldsOf({ a: '1' })
    assert.equal(applyChanges(fields, []), fields)
    assert.deepEqual([...applyChanges(fields, toHeaderChanges({ a: '2' }))], [['a', '2']])
    assert.deepEqual([...fields], [['a', '1']])
    assert.deepEqual([...NO_FIELDS], [])
  })

  it('replaces, appends and removes headers in order', () => {
    const cases: readonly (readonly [
      rule: string,
      change: Parameters<typeof fieldChange>,
      result: string | undefined,
    ])[] = [
      ['replaces', ['a', '2', false], '2'],
      ['appends with a comma', ['a', '2', true], '1, 2'],
      ['takes away', ['a', null, false], undefined],
      ['takes away, append or not', ['a', null, true], undefined],
      ['finds any case', ['A', '2', false], '2'],
    ]
    for (const [rule, change, result] of cases) {
      assert.equal(applyChanges(fieldsOf({ a: '1' }), [fieldChange(...change)]).get('a'), result, rule)
    }
    const changes = [fieldChange('a', null, false), fieldChange('a', '2', true), fieldChange('a', '3', true)]
    assert.equal(applyChanges(fieldsOf({ a: '1' }), changes).get('a'), '2, 3')
  })

  it('appends several values to Vary, and keeps its position', () => {
    const append = (value: string | null) => fieldChange('vary', value, true)
    const set = (value: string) => fieldChange('vary', value, false)
    const other = fieldChange('x-other', '1', false)
    for (const [present, changes, expected] of [
      [null, [append('a'), other, append('b, A'), append(' c ')], 'a, b, c'],
      ['z', [other, append('a'), append('Z')], 'z, a'],
      ['z', [append('a'), append(null), append('b'), append('c')], 'b, c'],
      ['z', [append('a'), append(null)], undefined],
      ['z', [append('a'), set('b'), append('c')], 'b, c'],
      ['z', [append('a'), set(' b ,b')], ' b ,b'],
    ] as const) {
      const before = fieldsOf(present === null ? {} : { vary: present, 'x-last': '1' })
      const after = applyChanges(before, changes)
      assert.equal(after.get('vary'), expected)
      if (expected !== undefined && !changes.some(({ value }) => value === null))
        assert.equal([...after][0]?.[0], 'vary')
    }
  })

  it('joins cookies with line feeds, Link with commas, and Vary without duplicates', () => {
    const cases: readonly (readonly [name: string, present: string, value: string, result: string])[] = [
      ['set-cookie', 'a=1; Path=/', 'b=2', 'a=1; Path=/\nb=2'],
      ['set-cookie', 'a=1', 'a=1', 'a=1\na=1'],
      ['vary', 'Accept', 'Origin', 'Accept, Origin'],
      ['vary', 'Accept', 'accept', 'Accept'],
      ['vary', 'Accept,Origin', 'ORIGIN , Cookie,cookie', 'Accept, Origin, Cookie'],
      ['link', '</a>; rel=x', '</b>; rel=y', '</a>; rel=x, </b>; rel=y'],
    ]
    for (const [name, present, value, result] of cases) {
      assert.equal(applyChanges(fieldsOf({ [name]: present }), toHeaderChanges({ [name]: value })).get(name), result)
    }
  })
})

describe('overlayFields()', () => {
  it('prefers the upper headers, and joins Vary, Link and Set-Cookie', () => {
    const under = fieldsOf({ a: '1', b: '1', vary: 'Accept', 'set-cookie': 'c=1', link: '</a>' })
    const over = fieldsOf({ b: '2', vary: 'Origin', 'set-cookie': 'd=2', link: '</b>', e: '5' })
    assert.deepEqual(Object.fromEntries(overlayFields(under, over)), {
      a: '1',
      b: '2',
      vary: 'Accept, Origin',
      'set-cookie': 'c=1\nd=2',
      link: '</a>, </b>',
      e: '5',
    })
    assert.equal(under.get('b'), '1')
    assert.equal(over.get('vary'), 'Origin')
  })

  it('returns one of the arguments if the other is empty', () => {
    const fields = fieldsOf({ a: '1' })
    assert.equal(overlayFields(NO_FIELDS, fields), fields)
    assert.equal(overlayFields(fields, NO_FIELDS), fields)
  })
})

describe('writeFields()', () => {
  it('writes names and values alternately, with a separate line for each cookie', () => {
    assert.deepEqual(linesOf(fieldsOf({ a: '1, 2', 'set-cookie': 'b=1\nc=2', d: '3' })), [
      'a',
      '1, 2',
      'set-cookie',
      'b=1',
      'set-cookie',
      'c=2',
      'd',
      '3',
    ])
    assert.deepEqual(linesOf(NO_FIELDS), [])
  })

  it('writes only the last cookie of the same name, domain and path', () => {
    const cases: readonly (readonly [cookies: readonly string[], written: readonly string[]])[] = [
      [['a=1; Path=/', 'a=2; Path=/'], ['a=2; Path=/']],
      [
        ['a=1', 'b=1', 'a=; Max-Age=0'],
        ['b=1', 'a=; Max-Age=0'],
      ],
      [
        ['a=1; Domain=.A.example; path=/', 'a=2; Path=/x; Path=/ ; domain=a.Example'],
        ['a=2; Path=/x; Path=/ ; domain=a.Example'],
      ],
      [['a=1; Path=x', 'a=2'], ['a=2']],
      [
        ['a=1; Path=/', 'a=2; Path=/b', 'A=3; Path=/'],
        ['a=1; Path=/', 'a=2; Path=/b', 'A=3; Path=/'],
      ],
      [
        ['a=1', 'a=2; Domain=a.example'],
        ['a=1', 'a=2; Domain=a.example'],
      ],
      // A browser keeps them apart, and the first removes the cookie of a time before partitions.
      [
        ['a=; Max-Age=0; Secure', 'a=2; Secure; Partitioned'],
        ['a=; Max-Age=0; Secure', 'a=2; Secure; Partitioned'],
      ],
      [
        ['a=1; Path=/=', 'a=2; Path=/'],
        ['a=1; Path=/=', 'a=2; Path=/'],
      ],
      [['a', '=a', 'b'], ['b']],
    ]
    for (const [cookies, written] of cases) {
      const lines = linesOf(fieldsOf({ 'set-cookie': cookies.join('\n') }))
      assert.deepEqual(
        lines.filter((_, at) => at % 2 === 1),
        written,
      )
    }
  })

  it('never writes a line that contains a line break', () => {
    const name = fc.constantFrom('a', 'Vary', 'Set-Cookie', 'Link', 'b\r\nc')
    const value = fc.string({ unit: fc.constantFrom('a', ',', ' ', '\r', '\n', '\0', ';', '=', 'ä') })
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 5 }), (pairs) => {
        let fields = NO_FIELDS
        for (const pair of pairs) {
          try {
            fields = applyChanges(fields, toHeaderChanges(Object.fromEntries([pair])))
          } catch (error) {
            assert.ok(error instanceof TypeError)
          }
        }
        for (const line of linesOf(fields)) assert.doesNotMatch(line, /[\r\n\0]/)
      }),
    )
  })
})
