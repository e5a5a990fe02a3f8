/** Ranges: the cases of RFC 9110 section 14, and any field against a naive reading. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseByteRanges } from '#src/features/files/ranges.js'
import { CHANGED_TEXT } from '#test/temp-directory.js'

const FIELDS = new Map([
  ['etag', '"a;br"'],
  ['last-modified', CHANGED_TEXT],
])

function ranges(headers: Readonly<Record<string, string>>, size = 100, method = 'GET'): string | null {
  const found = parseByteRanges({ method, header: (name) => headers[name] }, FIELDS, size)
  return found && found.map(({ start, end }) => `${start}-${end}`).join(' ')
}

const ROWS: readonly (readonly [range: string, expected: string | null])[] = [
  ['bytes=0-9', '0-10'],
  ['BYTES = 0-9', '0-10'],
  ['Bytes=0-0', '0-1'],
  ['bytes=90-', '90-100'],
  ['bytes=90-1000', '90-100'],
  ['bytes=-10', '90-100'],
  ['bytes=-1000', '0-100'],
  ['bytes=-0', ''],
  ['bytes=100-', ''],
  ['bytes=100-200, 0-1', '0-2'],
  ['bytes=0-1, 50-51 ,-1', '0-2 50-52 99-100'],
  ['bytes=50-51,0-1', '50-52 0-2'],
  ['bytes=0-1,2-3', '0-2 2-4'],
  ['bytes=0-50,50-60', null],
  ['bytes=0-,-1', null],
  ['bytes=9-0', null],
  ['bytes=', null],
  ['bytes=a-b', null],
  ['bytes=1', null],
  ['bytes=-', null],
  ['bytes=0-1,', '0-2'],
  ['bytes=,0-1', '0-2'],
  ['bytes= , 0-1 ,\t, ,5-6,,', '0-2 5-7'],
  ['bytes=0-1,,x', null],
  ['bytes=,', null],
  ['bytes= ', null],
  [`bytes=${','.repeat(4000)}0-1${','.repeat(4000)}`, '0-2'],
  ['bytes=0x1-2', null],
  ['items=0-1', null],
  ['0-1', null],
  [`bytes=${'9'.repeat(400)}-`, ''],
  [
    `bytes=${Array.from({ length: 10 }, (_, at) => `${at * 2}-${at * 2}`).join()}`,
    Array.from({ length: 10 }, (_, at) => `${at * 2}-${at * 2 + 1}`).join(' '),
  ],
  [`bytes=${Array.from({ length: 11 }, (_, at) => `${at * 2}-${at * 2}`).join()}`, null],
]

describe('parseByteRanges()', () => {
  for (const [range, expected] of ROWS) {
    it(`reads ${range.slice(0, 60)} as ${expected === null ? 'the whole file' : expected || 'unsatisfiable'}`, () => {
      assert.equal(ranges({ range }), expected)
    })
  }

  it('selects the whole file for HEAD, and without a Range header', () => {
    assert.equal(ranges({ range: 'bytes=0-9' }, 100, 'HEAD'), null)
    assert.equal(ranges({}), null)
  })

  it('selects no bytes of an empty file', () => {
    assert.equal(ranges({ range: 'bytes=0-' }, 0), '')
  })

  it('selects the whole file if If-Range has a different or weak ETag, or a different date', () => {
    const range = 'bytes=0-9'
    for (const same of ['"a;br"', CHANGED_TEXT]) assert.equal(ranges({ range, 'if-range': same }), '0-10', same)
    for (const other of ['"a"', 'W/"a;br"', '"b"', 'Mon, 07 Nov 1994 08:49:37 GMT', 'junk', '']) {
      assert.equal(ranges({ range, 'if-range': other }), null, other)
    }
  })

  it('ignores an If-Range date if the file was changed less than a second ago', () => {
    const now = new Date().toUTCString()
    const fields = new Map([['last-modified', now]])
    const header = (name: string) => ({ range: 'bytes=0-9', 'if-range': now })[name]
    assert.equal(parseByteRanges({ method: 'GET', header }, fields, 100), null)
    assert.equal(parseByteRanges({ method: 'GET', header }, new Map(), 100), null)
  })

  it('selects the same bytes as a simple reference implementation', () => {
    const number = fc.integer({ min: 0, max: 60 })
    const part = fc.oneof(
      fc.tuple(number, number).map(([a, b]) => `${a}-${b}`),
      number.map((a) => `${a}-`),
      number.map((a) => `-${a}`),
    )
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 12 }), number, (parts, size) => {
        assert.equal(ranges({ range: `bytes=${parts.join(',')}` }, size), naive(parts, size))
      }),
      { numRuns: 2000 },
    )
  })
})

/** Byte by byte. */
function naive(parts: readonly string[], size: number): string | null {
  if (parts.length > 10) return null
  const taken = new Set<number>()
  const found: string[] = []
  for (const part of parts) {
    const [first = '', last = ''] = part.split('-')
    if (first !== '' && last !== '' && Number(last) < Number(first)) return null
    const bytes = Array.from({ length: size }, (_, at) => at).filter((at) =>
      first === '' ? at >= size - Number(last) : at >= Number(first) && (last === '' || at <= Number(last)),
    )
    if (bytes.length > 0) found.push(`${bytes[0]}-${(bytes.at(-1) ?? 0) + 1}`)
    if (bytes.some((at) => taken.has(at))) taken.add(-1)
    for (const at of bytes) taken.add(at)
  }
  return taken.has(-1) ? null : found.join(' ')
}
