/** The line of a problem: what failed, where, and the query that matters. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeProblem, isProblem } from '#src/devconsole/wire/describe-record.js'
import { createShown, FAILED } from '#test/dev-state.js'

const query = (text: string, given: object = {}) => ({
  ...{ kind: 'sql', text, params: null, target: null, start: 0, duration: 1, rows: null, status: null, error: null },
  ...{ site: null, call: null, shape: 0 },
  ...given,
})

describe('describeProblem()', () => {
  it('returns the error with its place, and the query that failed', () => {
    const queries = [query('select 1'), query('select 2', { error: 'timeout' })]
    const repeated = [{ kind: 'sql', name: 'select 1', count: 9, total: 1, site: null }]
    assert.deepEqual(describeProblem(createShown({ ...FAILED, queries, repeated }, 3)), {
      ...{ event: 'problem', id: 'r_1', run: 3, status: 500, request: 'GET /books/{id}' },
      ...{ problem: 'TypeError: No such book', place: 'src/app.ts:12', query: 'select 2' },
    })
  })

  it('returns the first problem without an error, and the query that was repeated', () => {
    const callOuts = [{ kind: 'warn', title: ['9 equal queries'], text: [] }] as const
    const repeated = [
      { kind: null, name: 'library.find', count: 9, total: 1, site: null },
      { kind: 'sql', name: 'select 1', count: 9, total: 1, site: null },
    ]
    const record = createShown({
      callOuts,
      repeated,
      'http.route': null,
      'code.file.path': 'a.ts',
      'code.line.number': 2,
    })
    const { problem, query: shown, request, place } = describeProblem(record)
    assert.deepEqual([problem, shown, request, place], ['9 equal queries', 'select 1', 'GET /books/1', 'a.ts:2'])
  })

  it('returns the longest query of a slow request', () => {
    const queries = [query('a', { duration: 2 }), query('b', { duration: 300 }), query('c', { duration: null })]
    assert.equal(describeProblem(createShown({ queries, 'dev.flags': ['slow'] })).query, 'b')
    assert.equal(describeProblem(createShown({ queries, 'dev.flags': ['aborted'] })).query, null)
    assert.equal(describeProblem(createShown({ 'dev.flags': ['slow'] })).query, null)
  })

  it('is called for server errors and requests with flags', () => {
    const statuses = [200, 404, 500, 503].filter((status) =>
      isProblem(createShown({ 'http.response.status_code': status })),
    )
    assert.deepEqual(statuses, [500, 503])
    assert.equal(isProblem(createShown({ 'dev.flags': ['n+1'] })), true)
  })
})
