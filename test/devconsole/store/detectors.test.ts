/** Problems of a request, described in words. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findCallOuts, findFlags, plainText } from '#src/devconsole/store/detectors.js'
import type { ErrorDetail, IssueDetail, Query, RequestRecord } from '#src/devconsole/wire/request-types.js'
import { createFlaggedRecord as recordWith } from '#test/console-records.js'

const FRAME = { n: 0, function: 'get', file: 'node_modules/x/y.js', line: 3, column: 5, kind: 'library' } as const
const OWN = { ...FRAME, n: 1, file: 'src/users.ts', line: 12, kind: 'app' } as const
const ERROR: ErrorDetail = { name: 'TypeError', message: 'no', frames: [], source: null, cause: null, members: [] }
const ISSUE: IssueDetail = { side: 'request', where: 'body.name', message: 'Too short', code: '', received: null }

const saidOf = (changes: Partial<RequestRecord>) => findCallOuts(recordWith(changes), 800).map(plainText)

describe('findCallOuts()', () => {
  it('returns nothing for a successful request', () => {
    assert.deepEqual(findCallOuts(recordWith(), 800), [])
  })

  it('reports where an error was thrown, preferably in the code of the app', () => {
    const placeOf = (frames: ErrorDetail['frames']) =>
      findCallOuts(recordWith({ error: { ...ERROR, frames } }), 800)[0]?.text
    const link = { tab: 'error', text: 'See the stack' }
    assert.deepEqual(placeOf([FRAME, OWN]), [
      'Thrown in ',
      { place: { file: OWN.file, line: 12, column: 5 } },
      '. ',
      link,
    ])
    assert.deepEqual(placeOf([FRAME])?.[1], { place: { file: FRAME.file, line: 3, column: 5 } })
    assert.deepEqual(placeOf([]), [link])
  })

  it('distinguishes request issues from response issues', () => {
    assert.deepEqual(saidOf({ issues: [ISSUE] }), ['1 validation issue stopped this request. body.name Too short. '])
    const answered = { ...ISSUE, side: 'response' } as const
    assert.deepEqual(saidOf({ issues: [answered, answered] }), [
      'The response did not fit its schema: 2 validation issues. body.name Too short. ',
    ])
    const kinds = [[answered], [answered, ISSUE]].map((issues) => findCallOuts(recordWith({ issues }), 800)[0]?.kind)
    assert.deepEqual(kinds, ['bad', 'warn'])
  })

  it('reports the time that a combined call would save', () => {
    const call = { kind: null, name: 'db.get', count: 4, total: 20, site: { file: 'src/a.ts', line: 7 } }
    assert.deepEqual(saidOf({ repeated: [call, { ...call, site: null }] }), [
      'db.get ran 4 times with the same shape. Looks like one query per row, from src/a.ts:7. One call for all would save about 15.0 ms.',
      'db.get ran 4 times with the same shape. Looks like one query per row. One call for all would save about 15.0 ms.',
    ])
  })

  it('lists the available versions', () => {
    const version = { asked: '1.0.0', constraint: '>=2', ok: false, from: 'accept-version', isDefault: false }
    assert.deepEqual(saidOf({ version: { ...version, alternatives: ['>=2', '<1'] } }), [
      'No endpoint satisfies version 1.0.0. Requested by accept-version. Versions: >=2, <1.',
    ])
    assert.deepEqual(saidOf({ version: { ...version, asked: null, alternatives: [] } }), [
      'No endpoint satisfies version (none). Requested by accept-version. Versions: >=2.',
    ])
    assert.deepEqual(saidOf({ version: { ...version, ok: true, alternatives: [] } }), [])
  })

  it('reports the longest phase of a slow request, unless it failed', () => {
    const slow = { 'dev.flags': ['slow'], 'dev.duration': 1_000, 'dev.phases': [0, 0, 750, 0, 0, 250, 0, 0] }
    assert.deepEqual(saidOf(slow), ['Slower than 800.0 ms. 75% of the time went into: read body.'])
    assert.deepEqual(saidOf({ ...slow, 'dev.phases': [0, 0] }), ['Slower than 800.0 ms. '])
    assert.deepEqual(saidOf({ ...slow, 'dev.phases': [] }), ['Slower than 800.0 ms. '])
    assert.deepEqual(saidOf({ ...slow, 'dev.phases': [0, 0, 4] }), [
      'Slower than 800.0 ms. Less than 1% of the time went into: read body.',
    ])
    assert.deepEqual(saidOf({ ...slow, error: ERROR }), ['TypeError: no. '])
  })

  it('names the slowest query of a slow request, or a service call with more own time', () => {
    const slow = { 'dev.flags': ['slow'], 'dev.duration': 1_000, 'dev.phases': [0, 0, 0, 0, 0, 1_000, 0, 0] }
    const site = { file: 'src/a.ts', line: 7 }
    const call = { name: 'db.find', start: 0, duration: 900, own: 100, args: '', result: null, error: null, site }
    const query: Query = {
      ...{ kind: 'sql', text: `select\n  ${'x'.repeat(200)}`, params: null, target: null, start: 0, duration: 700 },
      ...{ rows: null, status: null, error: null, site: null, call: 0, shape: 0 },
    }
    const slowest = (changes: Partial<RequestRecord>): string =>
      saidOf({ ...slow, ...changes })[0]?.split('handler. ')[1] ?? ''
    assert.equal(slowest({ calls: [call], queries: [query] }), `70% in db.find: select ${'x'.repeat(113)}….`)
    assert.equal(
      slowest({ queries: [{ ...query, text: 'select 1', site, call: null }] }),
      '70% in sql: select 1, from src/a.ts:7.',
    )
    assert.equal(
      slowest({ calls: [call], queries: [{ ...query, call: 9, duration: null }] }),
      '10% in db.find, from src/a.ts:7.',
    )
    assert.equal(slowest({ calls: [{ ...call, own: 1 }] }), '')
  })

  it('shows the text of repeated queries', () => {
    const repeated = [{ kind: 'sql', name: 'select 1', count: 5, total: 20, site: null }]
    assert.match(
      saidOf({ repeated })[0] ?? '',
      /^select 1 ran 5 times with the same shape\. Looks like one query per row\./,
    )
  })

  it('lists call-outs by severity', () => {
    const call = { kind: null, name: 'db.get', count: 4, total: 20, site: null }
    const kinds = findCallOuts(recordWith({ error: ERROR, issues: [ISSUE], repeated: [call], aborted: true }), 800)
    assert.deepEqual(
      kinds.map(({ kind }) => kind),
      ['bad', 'warn', 'warn', 'note'],
    )
  })
})

describe('findFlags()', () => {
  it('returns the most severe flag first', () => {
    const version = { asked: '1', constraint: '>2', ok: false, from: '', isDefault: false, alternatives: [] }
    const call = { kind: null, name: 'db.get', count: 4, total: 20, site: null }
    const issues: IssueDetail[] = [ISSUE, { ...ISSUE, side: 'response' }]
    const failed = { 'http.response.status_code': 500, aborted: true, repeated: [call], version, issues }
    assert.deepEqual(findFlags(recordWith(), false), [])
    assert.deepEqual(findFlags(recordWith(failed), true), [
      'error',
      'aborted',
      'mismatch',
      'invalid',
      'version',
      'slow',
      'n+1',
    ])
    assert.deepEqual(findFlags(recordWith({ version: { ...version, ok: true } }), false), [])
  })
})
