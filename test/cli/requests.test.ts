/** `verbena requests`: the list, its filter, and the lines below each request. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createShown, FAILED, openState } from '#test/dev-state.js'

const SITE = { file: 'src/app.ts', line: 3 }
const CALL = {
  name: 'library.find',
  start: 0,
  duration: 2,
  own: 1,
  args: '',
  result: '{ id }',
  error: null,
  site: SITE,
}
const QUERY = {
  ...{ kind: 'http', text: 'GET /rates', params: null, target: null, start: 0, duration: 3, rows: null, status: 200 },
  ...{ error: null, site: null, call: null, shape: 0 },
}
const CALL_OUTS = [{ kind: 'bad', title: ['It failed'], text: [] }] as const
const LOGS = [{ seq: 1, time: 1, level: 'info', message: 'Shelf 7', fields: null, request: null }]
const RECORDS = [
  createShown({ seq: 3, 'http.response.status_code': 0, 'dev.flags': ['aborted'] }, 2),
  createShown({ seq: 2, ...FAILED, calls: [CALL], queries: [QUERY], 'dev.queries': 1, callOuts: CALL_OUTS }, 2),
  createShown({ seq: 1, 'url.query': 'a=1', logs: LOGS }),
]

describe('verbena requests', { concurrency: true }, () => {
  it('lists the requests, newest first', async (t) => {
    const dev = await openState(t, { records: RECORDS })
    const { code, out } = await dev.verbena('requests')
    assert.equal(code, 0)
    assert.equal(
      out,
      `STATUS  METHOD  PATH          MS   FLAGS    RUN  ID
-       GET     /books/1      1.0  aborted  2    r_3
500     GET     /books/1      1.0  error    2    r_2
200     GET     /books/1?a=1  1.0  -        1    r_1
`,
    )
    const [newest] = JSON.parse((await dev.verbena('requests', '--json')).out)
    assert.deepEqual(newest, {
      ...{ id: 'r_3', run: 2, time: 1_000, method: 'GET', target: '/books/1', route: '/books/{id}', status: 0 },
      ...{ duration: 1, queries: 0, flags: ['aborted'] },
    })
  })

  it('filters like the list of the console', async (t) => {
    const dev = await openState(t, { records: RECORDS })
    const idsOf = async (where: string): Promise<string[]> => {
      const { out } = await dev.verbena('requests', '--where', where, '--json')
      return JSON.parse(out).map(({ id }: { id: string }) => id)
    }
    assert.deepEqual(await idsOf('status:>=500'), ['r_2'])
    assert.deepEqual(await idsOf('path:/books/* -is:error'), ['r_3', 'r_1'])
    assert.deepEqual(await idsOf('shelf'), ['r_1'])
    assert.deepEqual(
      (await dev.verbena('requests', '--where', 'method:PUT')).out,
      'No request is recorded, or none matches\n',
    )
    const { code, err } = await dev.verbena('requests', '--where', 'state:1')
    assert.equal(code, 2)
    assert.match(err, /^Cannot use "--where state:1": Unknown key "state"/)
  })

  it('shows queries, calls or problems below each request', async (t) => {
    const dev = await openState(t, { records: RECORDS })
    const show = async (what: string): Promise<string> => (await dev.verbena('requests', '--show', what)).out
    assert.match(await show('queries'), /r_2\n {4}http {2}GET \/rates {2}3\.0 ms {2}200\n200/)
    assert.match(await show('calls'), /r_2\n {4}library\.find\(\) {2}2\.0 ms {2}\{ id \} {2}src\/app\.ts:3\n200/)
    assert.match(await show('problems'), /r_2\n {4}It failed\n200/)
    const rows = JSON.parse((await dev.verbena('requests', '--show', 'queries', '--json')).out)
    assert.deepEqual(
      rows.map(({ details }: { details: unknown[] }) => details.length),
      [0, 1, 0],
    )
    const { code, err } = await dev.verbena('requests', '--show', 'bodies')
    assert.equal(code, 2)
    assert.match(err, /^Cannot show "bodies": "--show" must be queries, calls, problems/)
  })
})
