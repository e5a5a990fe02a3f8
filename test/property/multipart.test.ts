/** Multipart bodies: wherever the chunks are cut, the scanner returns the same parts as a parser of the complete body. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Scanner } from '#src/features/multipart/scanner.js'
import { readByBusboy, readNaively, writeForm, type ReadBody, type WrittenPart } from '#test/multipart.js'

const BOUNDARY = 'ab-'
/** Strings that an incorrect scanner would split or join. */
const TRICKY = [
  '\r',
  '\n',
  '\r\n',
  '\r\n\r\n',
  '-',
  '--',
  '\r\n-',
  '\r\n--',
  '\r\n--a',
  '\r\n--ab',
  'ab-',
  ' ',
  '\t',
  'x',
  '\0',
]
const tricky = fc.array(fc.constantFrom(...TRICKY), { maxLength: 14 }).map((parts) => parts.join(''))
/** Bytes that also contain valid and invalid delimiters. */
const wild = fc
  .array(fc.constantFrom(...TRICKY, '\r\n--ab-', '\r\n--ab-\r\n', '\r\n--ab---', '--ab-\r\n', '--ab---', 'A: b'), {
    maxLength: 16,
  })
  .map((parts) => Buffer.from(parts.join('')))
const data = tricky
  .filter((text) => !`\r\n${text}\r\n--ab-`.slice(0, -2).includes('\r\n--ab-'))
  .map((text) => Buffer.from(text))
const part: fc.Arbitrary<WrittenPart> = fc.record(
  { head: fc.constantFrom('A: b', 'A: b\r\nC: d', ''), data },
  { noNullPrototype: true },
)
const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 8 })

/** Parses a body with the scanner, in chunks that end at these offsets. */
function scanned(body: Buffer, boundary: string, ends: readonly number[]): ReadBody {
  const scanner = new Scanner(boundary)
  const parts: WrittenPart[] = []
  let head: string | null = null
  let pieces: Buffer[] = []
  let isWhole = false
  const places = [0, ...ends.filter((end) => end < body.length).toSorted((a, b) => a - b), body.length]
  try {
    for (const [index, from] of places.slice(0, -1).entries()) {
      scanner.push(body.subarray(from, places[index + 1]))
      for (let token = scanner.next(); token !== null; token = scanner.next()) {
        const { kind, bytes } = token
        if (kind === 'head') [head, pieces] = [bytes.toString('latin1'), []]
        else if (kind === 'data') pieces.push(Buffer.from(bytes))
        else if (kind === 'end') isWhole = true
        else if (head !== null) parts.push({ head, data: Buffer.concat(pieces) })
      }
    }
  } catch {
    return { parts, isWhole: false }
  }
  return { parts, isWhole }
}

describe('scanner', () => {
  it('parses a body the same when cut at any two bytes', () => {
    const parts = [
      { head: 'A: b', data: Buffer.from('\r\n--ab\r\n--a\r\r\n') },
      { head: '', data: Buffer.from('') },
      { head: 'A: b\r\nC: d', data: Buffer.from('-ab-\r\n\r\n--') },
    ]
    const body = Buffer.concat([Buffer.from('before\r\n'), writeForm(BOUNDARY, parts, ' \r\n--ab-\r\nafter')])
    const whole = { parts, isWhole: true }
    assert.deepEqual(readNaively(body, BOUNDARY), whole)
    for (let first = 0; first < body.length; first++) {
      assert.deepEqual(scanned(body, BOUNDARY, [first]), whole)
      for (let second = first; second < body.length; second++) {
        assert.deepEqual(scanned(body, BOUNDARY, [first, second]), whole)
      }
    }
    assert.deepEqual(scanned(body, BOUNDARY, [...body.keys()]), whole)
  })

  it('returns the written parts for any cuts', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), cuts, (parts, ends) => {
        assert.deepEqual(scanned(writeForm(BOUNDARY, parts), BOUNDARY, ends), { parts, isWhole: true })
      }),
    )
  })

  it('parses any bytes like a parser of the complete body', () => {
    fc.assert(
      fc.property(wild, wild, cuts, (begin, rest, ends) => {
        const body = Buffer.concat([begin, rest])
        assert.deepEqual(scanned(body, BOUNDARY, ends), readNaively(body, BOUNDARY))
      }),
      { numRuns: 2_000 },
    )
  })

  it('agrees with busboy, and returns no parts for a body without parts', async () => {
    assert.deepEqual(scanned(Buffer.from('--ab---'), BOUNDARY, []), { parts: [], isWhole: true })
    const named = fc.array(data, { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(named, cuts, async (all, ends) => {
        const head = 'Content-Disposition: form-data; name="a"; filename="b"\r\nContent-Type: a/b'
        const body = writeForm(
          BOUNDARY,
          all.map((each) => ({ head, data: each })),
        )
        const expected = await readByBusboy(body, `multipart/form-data; boundary=${BOUNDARY}`)
        const found = scanned(body, BOUNDARY, ends).parts.map((each) => ['a', 'b', each.data.toString('hex')] as const)
        assert.deepEqual(found, expected)
      }),
      { numRuns: 60 },
    )
  })
})
