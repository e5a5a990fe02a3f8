import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  acceptParameter,
  acceptsMediaType,
  essenceMatcher,
  mediaEssence,
  parseMediaType,
  typeMatcher,
  acceptWeight,
} from '#src/http/media-type.js'

const HUGE = 100_000

function read(text: string): string | undefined {
  const media = parseMediaType(text)
  if (media === undefined) return undefined
  const parameters = [...media.parameters].map(([name, value]) => `;${name}=<${value}>`)
  return `${media.type}/${media.subtype}${parameters.join('')}`
}

/** Texts that make a careless parser go back again and again. */
const HOSTILE = [
  `a/b;${' '.repeat(HUGE)}x`,
  `a/b${' '.repeat(HUGE)}x`,
  `a/b${';'.repeat(HUGE)}x`,
  `a/b${' ; '.repeat(HUGE)}x`,
  `a/b;c="${'a'.repeat(HUGE)}`,
  `a/b;c="${'\\"'.repeat(HUGE)}`,
  `a/b;${'c'.repeat(HUGE)}`,
  `a/b;c=${'c'.repeat(HUGE)}@`,
  'a'.repeat(HUGE),
  `${'a/'.repeat(HUGE)}`,
  '"'.repeat(HUGE),
  `"${'\\"'.repeat(HUGE)}`,
  `"${'a",'.repeat(HUGE)}`,
  '"a'.repeat(HUGE + 1),
  ','.repeat(HUGE),
  'a/b;q=0,'.repeat(HUGE),
  `a/b;c="${'\\,'.repeat(HUGE)}`,
]

describe('parseMediaType()', () => {
  it('reads type, subtype and parameters (RFC 9110 section 8.3.1)', () => {
    const cases: readonly (readonly [rule: string, text: string, read: string])[] = [
      ['plain', 'text/html', 'text/html'],
      ['case', 'Text/HTML;Charset=UTF-8', 'text/html;charset=<UTF-8>'],
      ['the most common', 'application/json', 'application/json'],
      ['suffix', 'application/problem+json', 'application/problem+json'],
      ['space around ;', 'a/b \t; \tc=d', 'a/b;c=<d>'],
      ['space at the end', 'a/b;c=d \t', 'a/b;c=<d>'],
      ['empty parameters (section 5.6.6)', 'a/b;;c=d; ;', 'a/b;c=<d>'],
      ['quoted', 'a/b;c="d"', 'a/b;c=<d>'],
      ['quoted, empty', 'a/b;c=""', 'a/b;c=<>'],
      ['quoted separators', 'a/b;c="d;e=f, g";h=i', 'a/b;c=<d;e=f, g>;h=<i>'],
      ['quoted pairs', 'a/b;c="\\"\\\\\\d"', 'a/b;c=<"\\d>'],
      ['obs-text', 'a/b;c="\u00e4"', 'a/b;c=<\u00e4>'],
      ['range', '*/*;q=0.5', '*/*;q=<0.5>'],
      ['every character of a token', "!#$%&'*+-.^_`|~0a/b", "!#$%&'*+-.^_`|~0a/b"],
    ]
    for (const [rule, text, expected] of cases) assert.equal(read(text), expected, rule)
  })

  it('rejects everything else', () => {
    const cases: readonly (readonly [rule: string, text: string])[] = [
      ['empty', ''],
      ['no subtype', 'text'],
      ['empty subtype', 'text/'],
      ['empty type', '/html'],
      ['two slashes', 'a/b/c'],
      ['space before', ' a/b'],
      ['space inside', 'a /b'],
      ['space around =', 'a/b;c =d'],
      ['space around =', 'a/b;c= d'],
      ['parameter without =', 'a/b;c'],
      ['empty value', 'a/b;c='],
      ['empty name', 'a/b;=d'],
      ['no ; between', 'a/b c=d'],
      ['list', 'a/b,c/d'],
      ['list of the same', 'application/json, application/json'],
      ['repeated parameter', 'a/b;c=d;C=d'],
      ['quote not closed', 'a/b;c="d'],
      ['pair not closed', 'a/b;c="d\\"'],
      ['text behind the quote', 'a/b;c="d"e'],
      ['token beyond ASCII', 'a/\u00e4'],
      ['control character', 'a/b;c="\u0000"'],
      ['DEL in quotes', 'a/b;c="\u007f"'],
      ['quoted DEL', 'a/b;c="\\\u007f"'],
      ['beyond Latin-1', 'a/b;c="\u0100"'],
      ['line feed', 'a/b;\nc=d'],
      ['no-break space behind', 'application/json\u00a0'],
      ['byte order mark behind', 'application/json\ufeff'],
      ['line feed behind', 'application/json\n'],
      ['form feed behind', 'application/json;\f'],
      ['vertical tab behind', 'a/b;c=d\v'],
    ]
    for (const [rule, text] of cases) assert.equal(read(text), undefined, rule)
  })

  it('parses a formatted media type', () => {
    const token = fc.stringMatching(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,10}$/)
    const value = fc.stringMatching(/^[\t\x20-\x7e\x80-\xff]{0,20}$/)
    fc.assert(
      fc.property(token, token, fc.dictionary(token, value, { maxKeys: 3 }), (type, subtype, parameters) => {
        const entries = Object.entries(parameters)
        const names = new Set(entries.map(([name]) => name.toLowerCase()))
        if (names.size < entries.length) return
        const written = entries.map(([name, text]) => ` ; ${name}="${text.replace(/["\\]/g, '\\$&')}"`).join('')
        const media = parseMediaType(`${type}/${subtype}${written}`)
        assert.equal(media?.type, type.toLowerCase())
        assert.equal(media.subtype, subtype.toLowerCase())
        assert.deepEqual(
          [...media.parameters],
          entries.map(([name, text]) => [name.toLowerCase(), text]),
        )
      }),
    )
  })

  it('never throws', () => {
    const unit = fc.constantFrom(...'a/;=", \\\t*q0.\u00a0\n'.split(''))
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit, maxLength: 40 })), (text) => {
        for (const given of [text, `a/b${text}`, `a/b;c=${text}`, `a/b;c="${text}"`]) {
          const media = parseMediaType(given)
          if (media !== undefined) assert.match(media.type + media.subtype, /^[^\s;,"]+$/)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('takes linear time for long strings', () => {
    const start = process.cpuUsage()
    for (const text of HOSTILE) parseMediaType(text)
    assert.ok(process.cpuUsage(start).user < 5_000_000)
  })
})

describe('typeMatcher()', () => {
  it('matches JSON in UTF-8 (RFC 8259 section 8.1, RFC 6839 section 3.1)', () => {
    const isJson = typeMatcher(['application/json', 'application/*+json'])
    const cases: readonly (readonly [text: string, expected: boolean])[] = [
      ['application/json', true],
      ['APPLICATION/JSON', true],
      ['application/json;charset=utf-8', true],
      ['application/json;charset="UTF-8"', true],
      ['application/json;version=1', true],
      ['application/merge-patch+json', true],
      ['application/vnd.api+json;charset=utf-8', true],
      ['application/json;charset=utf8', true],
      ['application/json;charset=UTF8', true],
      ['application/json;charset=utf-88', false],
      ['application/json;charset=latin1', false],
      ['application/json;charset=""', false],
      ['application/problem+json;charset=utf-16', false],
      ['text/json', false],
      ['text/plain', false],
      ['application/jsonp', false],
      ['application/json5', false],
      ['application/x-json', false],
      ['application/x-www-form-urlencoded', false],
      ['multipart/form-data', false],
    ]
    for (const [text, expected] of cases) assert.equal(matches(isJson, text), expected, text)
  })

  it('matches ranges of types, and types in any case', () => {
    const cases: readonly (readonly [types: readonly string[], text: string, expected: boolean])[] = [
      [['image/*'], 'image/png', true],
      [['image/*'], 'text/png', false],
      [['Image/PNG'], 'image/png', true],
      [['*/*'], 'a/b', true],
      [['text/plain', 'text/csv'], 'text/csv', true],
      [[], 'text/csv', false],
      [['text'], 'text/csv', false],
    ]
    for (const [types, text, expected] of cases) assert.equal(matches(typeMatcher(types), text), expected, text)
  })
})

function matches(matcher: ReturnType<typeof typeMatcher>, text: string): boolean {
  const media = parseMediaType(text)
  assert.ok(media, text)
  return matcher(media)
}

describe('acceptsMediaType()', () => {
  it('uses the most specific range (RFC 9110 section 12.5.1)', () => {
    const cases: readonly (readonly [rule: string, accept: string, expected: boolean])[] = [
      ['everything', '*/*', true],
      ['itself', 'application/json', true],
      ['itself, other case', 'Application/JSON', true],
      ['its family', 'application/*', true],
      ['another', 'text/html', false],
      ['another family', 'text/*', false],
      ['another subtype', 'application/xml', false],
      ['subtype that begins alike', 'application/jsonp', false],
      ['a list', 'text/html, application/json', true],
      ['a list without space', 'text/html,application/json', true],
      ['browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
      ['empty', '', true],
      ['blanks', ' \t', true],
      ['commas alone', ' , ,', true],
      ['weight 0', 'application/json;q=0', false],
      ['weight 0, written long', 'application/json;q=0.000', false],
      ['weight 0 of everything else', '*/*;q=0, application/json', true],
      ['refused by name, admitted by family', 'application/*, application/json;q=0', false],
      ['refused by family, admitted by all', '*/*, application/*;q=0', false],
      ['order does not matter', 'application/json;q=0, */*', false],
      ['least weight', 'application/json;q=0.001', true],
      ['full weight', 'application/json;q=1.000', true],
      ['weight with a dot alone', 'application/json;q=1.', true],
      ['name of the weight in upper case', 'application/json;Q=0', false],
      ['weight above 1', 'application/json;q=2', true],
      ['weight of four digits', 'application/json;q=0.0001', true],
      ['negative weight', 'application/json;q=-1', true],
      ['weight that is not a number', 'application/json;q=high', true],
      ['empty weight', 'application/json;q=', true],
      ['weight without a leading digit', 'application/json;q=.2', true],
      ['weight of many digits', 'application/json;q=0.80000001192092896', true],
      ['weight in quotes', 'application/json;q="0.5"', true],
      ['weight of a dot only', 'application/json;q=.', true],
      ['weight with a digit more than a number has', `application/json;q=${'9'.repeat(400)}`, true],
      ['repeated weight', 'application/json;q=0;q=1', true],
      ['zero without a leading digit', 'application/json;q=.0', false],
      ['zero with a dot', 'application/json;q=0.', false],
      ['zero with many digits', 'application/json;q=0.000000', false],
      ['zero with blanks', 'application/json ; q = 0', false],
      ['zero in quotes', 'application/json;q="0"', false],
      ['a star', '*', true],
      ['a star with a weight', 'text/html, *; q=.2', true],
      ['a star with weight zero', '*;q=0', false],
      ['a star that a type overrides', '*;q=0, application/json', true],
      ['a parameter without a value', 'application/json;level', true],
      ['a parameter without a name', 'application/json;=1', true],
      ['a parameter with an open quote', 'application/json;a="b', true],
      ['words after the type', 'application/json utf-8', true],
      ['three parts', 'application/json/x, text/html', false],
      ['half a range', '*/json', false],
      ['malformed elements count for nothing', 'application, ;q=1, application/json', true],
      ['malformed elements only', 'application;q=1, /json', true],
      ['parameters of the range', 'application/json;charset=utf-8', true],
      ['parameters and weight', 'application/json;charset=utf-8;q=0.5', true],
      ['parameters count less than the plain type', 'application/json;v=1;q=0, application/json', true],
      ['parameters count less than the plain type, refused', 'application/json;v=1, application/json;q=0', false],
      ['parameters count more than the family', 'application/*;q=0, application/json;v=1', true],
      ['comma in quotes', 'text/html;a="x, application/json"', false],
      ['comma in quotes, then another', 'text/html;a="x,\\",y", application/json', true],
      ['quote not closed', 'text/html;a="x, application/json', false],
      ['quote not closed, behind', 'application/json, text/html;a="x', true],
      ['backslash outside quotes', 'text\\", application/json', true],
    ]
    for (const [rule, accept, expected] of cases)
      assert.equal(acceptsMediaType(accept, 'application/json'), expected, rule)
  })

  const type = fc.constantFrom('application/json', 'text/html', 'text/plain', 'image/png')
  const range = fc.constantFrom('*/*', 'text/*', 'application/*', 'application/json', 'text/html', 'text/plain')
  const weight = fc.constantFrom('', ';q=0', ';q=0.5', ';q=1', ' ; q=0.001')
  const ranges = fc.uniqueArray(fc.tuple(range, weight), { selector: ([name]) => name, maxLength: 6 })
  const textOf = (list: readonly (readonly [string, string])[]): string => list.map((pair) => pair.join('')).join(', ')

  it('does not depend on the order of ranges', () => {
    fc.assert(
      fc.property(ranges, type, (list, asked) => {
        assert.equal(acceptsMediaType(textOf(list), asked), acceptsMediaType(textOf(list.toReversed()), asked))
      }),
    )
  })

  it('prefers a range that names the type to all other ranges', () => {
    fc.assert(
      fc.property(ranges, type, fc.boolean(), (list, asked, isWanted) => {
        const others = list.filter(([name]) => name !== asked)
        assert.equal(acceptsMediaType(textOf([...others, [asked, isWanted ? '' : ';q=0']]), asked), isWanted)
      }),
    )
  })

  it('accepts no additional type if a range with weight 0 is added', () => {
    fc.assert(
      fc.property(ranges, range, type, (list, refused, asked) => {
        const others = list.filter(([name]) => name !== refused)
        if (!acceptsMediaType(textOf(others), asked))
          assert.equal(acceptsMediaType(textOf([...others, [refused, ';q=0']]), asked), false)
      }),
    )
  })

  it('takes linear time for long strings', () => {
    const start = process.cpuUsage()
    for (const text of HOSTILE) acceptsMediaType(text, 'application/json')
    assert.ok(process.cpuUsage(start).user < 5_000_000)
  })
})

describe('acceptWeight()', () => {
  it('returns the weight of the most specific matching range', () => {
    const cases: readonly (readonly [accept: string | undefined, weight: number])[] = [
      [undefined, 1],
      ['', 1],
      ['text', 1],
      ['text/plain;q=2', 1],
      ['text/plain;q=.75', 0.75],
      ['*;q=.2, */*;q=.3', 0.2],
      ['*/*', 1],
      ['text/plain', 1],
      ['text/plain;q=0.25', 0.25],
      ['text/*;q=0.5, */*;q=0.75', 0.5],
      ['*/*;q=0.75, text/plain;version=0.0.4;q=0.3', 0.3],
      ['text/html', 0],
      ['text/plain;q=0, */*', 0],
    ]
    for (const [accept, weight] of cases) assert.equal(acceptWeight(accept, 'text/plain'), weight, accept)
  })
})

describe('acceptParameter()', () => {
  for (const [accept, expected] of [
    [undefined, undefined],
    ['', undefined],
    ['application/json', undefined],
    ['application/json;v=1.4', '1.4'],
    ['application/json; V="1.4"', '1.4'],
    ['text/html, application/json;v=1', '1'],
    ['a/b;v=1, a/c;v=2', '1'],
    ['a/b;v=1;q=0.5, a/c;v=2', '2'],
    ['a/b;v=1, a/c;v=2;q=0.9', '1'],
    ['a/b;v=1;q=0', undefined],
    ['a/b;v="1,2"', '1,2'],
    ['a/b;v=', undefined],
    ['a/b;v=1;v=2, a/c;v=3', '3'],
    ['*/*;v=1', '1'],
    ['*;v=1', '1'],
    ['a/b; v = 1;q=.1, a/c;v=2;q=.2', '2'],
    ['a/b;v="1\\"2"', '1"2'],
    ['a/b;v="1', '1'],
  ] as const) {
    it(`returns ${expected ?? 'undefined'} for "${accept ?? ''}"`, () =>
      assert.equal(acceptParameter(accept, 'v'), expected))
  }

  it('takes linear time for long strings', () => {
    const start = process.cpuUsage()
    for (const text of HOSTILE) acceptParameter(text, 'v')
    assert.ok(process.cpuUsage(start).user < 5_000_000)
  })
})

describe('essenceMatcher()', () => {
  it('matches the same types as an equivalent regular expression', () => {
    const letters = (chars: string) => fc.string({ unit: fc.constantFrom(...chars), maxLength: 8 })
    const pattern = fc.tuple(letters('aB+*'), letters('aB+*')).map((parts) => parts.join('/'))
    const text = fc.array(letters('ab+'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 3 }), text, (patterns, essence) => {
        const sources = patterns.map((each) => each.replaceAll('+', '\\+').replaceAll('*', '[^/]*'))
        const expected = patterns.length > 0 && new RegExp(`^(?:${sources.join('|')})$`, 'i').test(essence)
        assert.equal(essenceMatcher(patterns)(essence), expected)
      }),
      { numRuns: 2000 },
    )
  })

  it('takes linear time for any number of "*" in a type', () => {
    const matches = essenceMatcher(['application/*a*b*c*d*+json', 'text/*', '*/*+xml'])
    const start = process.cpuUsage()
    for (const part of ['a', 'ab', 'abc', '+json', '+xml']) {
      assert.equal(matches(`application/${part.repeat(HUGE)}x`), false)
    }
    assert.ok(process.cpuUsage(start).user < 1_000_000)
  })
})

describe('mediaEssence()', () => {
  it('removes parameters and the whitespace before them', () => {
    const texts = ['Text/HTML', 'text/html; charset=utf-8', 'text/html \t;a', 'text/html ', ';', '']
    assert.deepEqual(texts.map(mediaEssence), ['text/html', 'text/html', 'text/html', 'text/html', '', ''])
  })
})
