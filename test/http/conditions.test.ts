/** The conditions of requests: RFC 9110 section 13.2.2 as a table, tags and dates. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { httpDate, evaluateConditions, type CurrentState } from '#src/http/conditions.js'
import { processorTime } from '#test/processor-time.js'

const OLD = 'Sat, 05 Nov 1994 08:49:37 GMT'
const CHANGED = 'Sun, 06 Nov 1994 08:49:37 GMT'
const LATE = 'Mon, 07 Nov 1994 08:49:37 GMT'

const TAGGED: CurrentState = { exists: true, etag: '"a"' }
const WEAK: CurrentState = { exists: true, etag: 'W/"a"' }
const DATED: CurrentState = { exists: true, lastModified: CHANGED }
const BOTH: CurrentState = { exists: true, etag: '"a"', lastModified: CHANGED }
const BARE: CurrentState = { exists: true }
const NOTHING: CurrentState = { exists: false }

type Verdict = 304 | 412 | null

/** State, request headers, verdict for GET, verdict for a method that changes the resource. */
const ROWS: readonly (readonly [CurrentState, Readonly<Record<string, string>>, Verdict, Verdict])[] = [
  [BOTH, {}, null, null],
  [TAGGED, { 'if-match': '"a"' }, null, null],
  [TAGGED, { 'if-match': '"b" , "a"' }, null, null],
  [TAGGED, { 'if-match': '"b"' }, 412, 412],
  [TAGGED, { 'if-match': 'W/"a"' }, 412, 412],
  [TAGGED, { 'if-match': 'a' }, 412, 412],
  [TAGGED, { 'if-match': '' }, 412, 412],
  [{ exists: true, etag: '"b,c"' }, { 'if-match': '"a", "b,c"' }, null, null],
  [TAGGED, { 'if-match': '"A"' }, 412, 412],
  [TAGGED, { 'if-match': ' * ' }, null, null],
  [TAGGED, { 'if-match': '"*"' }, 412, 412],
  [WEAK, { 'if-match': '"a"' }, 412, 412],
  [WEAK, { 'if-match': 'W/"a"' }, 412, 412],
  [BARE, { 'if-match': '"a"' }, 412, 412],
  [BARE, { 'if-match': '*' }, null, null],
  [NOTHING, { 'if-match': '*' }, 412, 412],
  [TAGGED, { 'if-match': '"a;br"' }, null, null],
  [TAGGED, { 'if-match': '"a;other"' }, 412, 412],
  [DATED, { 'if-unmodified-since': CHANGED }, null, null],
  [DATED, { 'if-unmodified-since': LATE }, null, null],
  [DATED, { 'if-unmodified-since': OLD }, 412, 412],
  [DATED, { 'if-unmodified-since': 'yesterday' }, null, null],
  [TAGGED, { 'if-unmodified-since': OLD }, null, null],
  [BOTH, { 'if-match': '"a"', 'if-unmodified-since': OLD }, null, null],
  [TAGGED, { 'if-none-match': '"a"' }, 304, 412],
  [TAGGED, { 'if-none-match': 'W/"a"' }, 304, 412],
  [TAGGED, { 'if-none-match': '"b", W/"a", "c"' }, 304, 412],
  [TAGGED, { 'if-none-match': '"a;gzip"' }, 304, 412],
  [TAGGED, { 'if-none-match': '"b"' }, null, null],
  [TAGGED, { 'if-none-match': '*' }, 304, 412],
  [BARE, { 'if-none-match': '*' }, 304, 412],
  [BARE, { 'if-none-match': '"a"' }, null, null],
  [WEAK, { 'if-none-match': '"a"' }, 304, 412],
  [NOTHING, { 'if-none-match': '*' }, null, null],
  [DATED, { 'if-modified-since': CHANGED }, 304, null],
  [DATED, { 'if-modified-since': LATE }, 304, null],
  [DATED, { 'if-modified-since': OLD }, null, null],
  [DATED, { 'if-modified-since': '1994-11-07T00:00:00Z' }, null, null],
  [TAGGED, { 'if-modified-since': LATE }, null, null],
  [BOTH, { 'if-none-match': '"b"', 'if-modified-since': LATE }, null, null],
  [BOTH, { 'if-match': '"a"', 'if-none-match': '"a"' }, 304, 412],
  [BOTH, { 'if-match': '"b"', 'if-none-match': '"a"' }, 412, 412],
]

const askedWith = (headers: Readonly<Record<string, string>>) => ({
  method: 'GET',
  header: (name: string) => headers[name],
})

describe('evaluateConditions()', () => {
  for (const [state, headers, read, changed] of ROWS) {
    it(`returns ${read} for reads and ${changed} for changes with ${JSON.stringify(headers)} and the state ${JSON.stringify(state)}`, () => {
      const asked = askedWith(headers)
      assert.deepEqual(
        [evaluateConditions(asked, state, true), evaluateConditions(asked, state, false)],
        [read, changed],
      )
    })
  }

  it('takes linear time for a list of ETags', () => {
    for (const list of [
      '"'.repeat(500_000),
      '"a'.repeat(200_000),
      'W/'.repeat(200_000),
      `${'"a",'.repeat(99_999)}"b`,
    ]) {
      const asked = askedWith({ 'if-none-match': list })
      assert.ok(processorTime(() => evaluateConditions(asked, { exists: true, etag: '"x"' }, true)) < 2_000)
    }
  })
})

describe('httpDate()', () => {
  const time = Date.UTC(1994, 10, 6, 8, 49, 37)

  it('reads the three date formats of HTTP', () => {
    for (const text of [CHANGED, 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994']) {
      assert.equal(httpDate(text), time, text)
    }
  })

  it('rejects other date formats, even if Date.parse accepts them', () => {
    const others = ['', '0', '1994', 'Sun, 06 Nov 1994 08:49:37', 'Sun, 06 Nov 1994 08:49:37 +0200', '06 Nov 1994']
    for (const text of [...others, 'Sun, 99 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 08:49:37 GMT ', undefined]) {
      assert.equal(httpDate(text), undefined, text)
    }
  })
})
