import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseRecord } from '../../../page/pure/parse-record.js'
import type { ErrorDetail, RequestRecord } from '#src/devconsole/wire/request-types.js'
import type { ShownRecord } from '#src/devconsole/wire/view-types.js'
import { createRecord } from '#test/console-records.js'

const PLACE = { file: 'src/books.ts', line: 7 }
const FRAME = { ...PLACE, n: 0, function: 'Books.get', column: 3, kind: 'app' } as const
const CAUSE: ErrorDetail = { name: 'Error', message: 'why', frames: [], source: null, cause: null, members: [] }
const BODY = { type: 'application/json', size: 2, text: '{}', hex: null, truncated: false, omitted: null }
const VERSION = { asked: '1', constraint: '>=1', ok: true }

/** A record that uses all properties. */
const FULL: ShownRecord = {
  ...createRecord(),
  'dev.requestId': 'x-1',
  'url.query': 'page=2',
  'url.scheme': 'https',
  'error.type': 'TypeError',
  'dev.flags': ['error', 'a-later-flag'],
  'dev.version': VERSION,
  'dev.replayOf': 'r_0',
  'dev.pinned': true,
  'user_agent.original': 'test',
  'code.file.path': 'src/books.ts',
  'code.line.number': 7,
  'dev.traceId': 'abc',
  params: { id: '1' },
  decorators: ['@log'],
  request: { headers: [['host', 'localhost']], body: BODY },
  response: { headers: [], body: { ...BODY, text: null, hex: '00ff', truncated: true, omitted: 'binary' } },
  calls: [
    { name: 'db.find', start: 1, duration: 2, own: 1, args: '(1)', result: '{ id }', error: 'none', site: PLACE },
  ],
  queries: [
    {
      ...{ kind: 'sql', text: 'select 1', params: '1', target: 'shop', start: 1, duration: 2, rows: 3 },
      ...{ status: null, error: null, site: PLACE, call: 0, shape: 0 },
    },
    {
      ...{ kind: 'http', text: 'GET http://a', params: null, target: null, start: 1, duration: null, rows: null },
      ...{ status: 500, error: 'no', site: null, call: null, shape: 1 },
    },
  ],
  queriesMore: 1,
  callsMore: 2,
  repeated: [
    { kind: null, name: 'db.find', count: 9, total: 5, site: PLACE },
    { kind: 'sql', name: 'db.get', count: 9, total: 5, site: null },
  ],
  logs: [
    { seq: 1, time: 1_000, level: 'info', message: 'hello', fields: { shelf: 3 }, request: 'r_1' },
    { seq: 2, time: 1_000, level: 'info', message: 'hello', fields: null, request: null },
  ],
  issues: [
    { side: 'request', where: 'body.title', message: 'Wrong', code: 'x', received: '5', missing: false },
    { side: 'response', where: 'body.title', message: 'Wrong', code: null, received: null, missing: true },
  ],
  vendor: 'zod',
  error: {
    name: 'TypeError',
    code: 'E_X',
    message: 'no',
    frames: [FRAME, { ...FRAME, kind: 'node' }],
    source: { ...PLACE, first: 2, lines: ['a', 'b'] },
    cause: CAUSE,
    members: [CAUSE],
  },
  version: { ...VERSION, from: 'accept-version', isDefault: true, alternatives: ['>=1'] },
  aborted: true,
  callOuts: [
    {
      kind: 'bad',
      title: ['a', { code: 'b' }, { ms: 3 }],
      text: [{ place: PLACE }, { place: { ...PLACE, column: 5 } }, { tab: 'error', text: 'See' }],
    },
  ],
  about: [
    ['Template', [{ code: '/books/{id}' }]],
    ['Version', [{ dim: 'none' }, 'text']],
  ],
}

describe('parseRecord()', () => {
  it('returns an equal record for a record that went through JSON', () => {
    assert.deepEqual(parseRecord(JSON.parse(JSON.stringify(FULL))), FULL)
  })

  it('returns null without an id, a boot, a method, a path, a status or a time', () => {
    const wrong: readonly Partial<Record<keyof RequestRecord, unknown>>[] = [
      { id: '<img src=x>' },
      { id: 5 },
      { boot: 'a b' },
      { boot: null },
      { 'http.request.method': undefined },
      { 'url.path': 5 },
      { time: '2026' },
      { time: 1e300 },
      { 'http.response.status_code': 20.5 },
      { 'http.response.status_code': -1 },
      { 'http.response.status_code': 1_000 },
      { 'http.response.status_code': '200' },
    ]
    for (const changes of wrong) assert.equal(parseRecord({ ...FULL, ...changes }), null, JSON.stringify(changes))
    for (const value of [null, undefined, 5, 'x', [], [FULL]]) assert.equal(parseRecord(value), null)
  })

  it('replaces values of other types', () => {
    const required = ['id', 'boot', 'time', 'http.request.method', 'url.path', 'http.response.status_code']
    for (const wrong of [5, -5, 'text', null, true, [[5], ['x'], null, {}], { a: { b: 5 } }]) {
      for (const key of Object.keys(FULL)) {
        if (required.includes(key)) continue
        const parsed = parseRecord({ ...FULL, [key]: wrong })
        assert.deepEqual(parseRecord(parsed), parsed, `${key}: ${JSON.stringify(wrong)}`)
      }
    }
    const emptied = parseRecord(Object.fromEntries(required.map((key) => [key, Reflect.get(FULL, key)])))
    assert.deepEqual(
      [emptied?.['url.scheme'], emptied?.request.body, emptied?.error, emptied?.about],
      ['http', null, null, []],
    )
  })

  it('drops parts that lack their required values', () => {
    const empty = [{}, null, 'x', 5]
    const parsed = parseRecord({
      ...FULL,
      params: { id: '1', page: 5 },
      request: { headers: [['a'], ['a', 'b', 'c'], [1, 2], 'a', ['x', 'y']], body: { hex: '<b>', size: 'x' } },
      calls: empty,
      queries: empty,
      repeated: empty,
      logs: [...empty, { level: 'info', message: 'no time' }],
      issues: [...empty, { where: 'body' }],
      callOuts: [...empty, { kind: 'other' }, { kind: 'note', title: [{ tab: 5 }, { tab: 'x' }, {}], text: 5 }],
      about: [...empty, [5], ['Name', 5]],
      error: { ...CAUSE, frames: [{}, { file: 'a' }, { ...PLACE, kind: 'other' }], source: 5, members: empty },
    })
    assert.deepEqual(parsed?.params, { id: '1' })
    assert.deepEqual(parsed?.request.headers, [['x', 'y']])
    assert.deepEqual([parsed?.request.body?.hex, parsed?.request.body?.size], [null, 0])
    assert.deepEqual([parsed?.calls, parsed?.repeated, parsed?.logs, parsed?.issues], [[], [], [], []])
    assert.deepEqual(parsed?.callOuts, [{ kind: 'note', title: [], text: [] }])
    assert.deepEqual(parsed?.about, [['Name', []]])
    assert.deepEqual(parsed?.error?.frames, [{ ...PLACE, n: 0, function: '', column: 0, kind: 'library' }])
    assert.deepEqual([parsed?.error?.source, parsed?.error?.members], [null, []])
  })

  it('never returns a flag that marks a request in progress', () => {
    assert.deepEqual(parseRecord({ ...FULL, 'dev.flags': ['inflight', 'slow'] })?.['dev.flags'], ['slow'])
  })

  it('follows at most six causes, and reads at most 2,000 parts of a list', () => {
    const deep = Array.from({ length: 1_000 }).reduce<ErrorDetail>((cause) => ({ ...CAUSE, cause }), CAUSE)
    let depth = 0
    for (let error = parseRecord({ ...FULL, error: deep })?.error; error; error = error.cause) depth++
    assert.equal(depth, 7)
    const decorators = Array.from({ length: 5_000 }, () => '@log')
    assert.equal(parseRecord({ ...FULL, decorators })?.decorators.length, 2_000)
  })
})
