/** `verbena request`: one request by its id. Text of clients does not control the terminal. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createShown, openState } from '#test/dev-state.js'

const CONTROLS = '\u001B[2J\u009B1A\u202Eabc\u0000\r'

describe('verbena request', { concurrency: true }, () => {
  it('shows a request with its problems, and exits with 0', async (t) => {
    const callOuts = [
      {
        kind: 'warn',
        title: ['Slow: ', { ms: 612.34 }],
        text: [
          'Most of it in ',
          { code: 'library.find' },
          ' at ',
          { place: { file: 'a.ts', line: 3 } },
          { tab: 'timeline', text: 'See all' },
        ],
      },
      { kind: 'note', title: ['Old version'], text: [] },
    ] as const
    const record = createShown({ 'dev.flags': ['slow'], callOuts, 'http.response.status_code': 0 })
    const dev = await openState(t, { records: [record] })
    const { code, out } = await dev.verbena('request', 'r_1')
    assert.equal(code, 0)
    assert.match(
      out,
      /^no response {2}GET \/books\/\{id\}[^\n]*\nSlow: 612\.3 ms\. Most of it in library\.find at a\.ts:3\n/,
    )
    assert.match(out, /\nCause: Old version\n|\nOld version\n/)
    const json = JSON.parse((await dev.verbena('request', 'r_1', '--json')).out)
    assert.deepEqual([json.place, json.source, json.errors], [null, null, []])
    assert.match((await dev.verbena('request', 'r_1', '--markdown')).out, /^# no response/)
  })

  it('escapes control characters of clients, in every part', async (t) => {
    const call = {
      name: CONTROLS,
      start: 0,
      duration: 1,
      own: 1,
      args: CONTROLS,
      result: CONTROLS,
      error: null,
      site: null,
    }
    const query = {
      ...{ kind: CONTROLS, text: CONTROLS, params: CONTROLS, target: null, start: 0, duration: null, rows: null },
      ...{ status: 200, error: CONTROLS, site: { file: CONTROLS, line: 1 }, call: null, shape: 0 },
    }
    const error = { name: CONTROLS, message: CONTROLS, frames: [], source: null, cause: null, members: [] }
    const record = createShown({
      ...{ 'http.request.method': CONTROLS, 'url.path': CONTROLS, 'url.query': CONTROLS, 'http.route': null },
      ...{ error, calls: [call], queries: [query], 'code.file.path': CONTROLS, 'code.line.number': 1 },
      issues: [{ side: 'request', where: CONTROLS, message: CONTROLS, code: null, received: null }],
      logs: [{ seq: 1, time: 1, level: CONTROLS, message: CONTROLS, fields: null, request: null }],
      callOuts: [{ kind: 'bad', title: [CONTROLS], text: [CONTROLS] }],
    })
    const dev = await openState(t, { records: [record] })
    for (const args of [
      ['request', 'r_1'],
      ['request', 'r_1', '--markdown'],
      ['last'],
      ['requests', '--show', 'problems'],
    ]) {
      const { out } = await dev.verbena(...args)
      assert.doesNotMatch(out, /(?!\n)[\p{Cc}\u202e]/u, args.join(' '))
    }
    assert.match((await dev.verbena('request', 'r_1')).out, /\\u\{1b\}\[2J\\u\{9b\}1A\\u\{202e\}abc\\u\{0\}/)
  })

  it('prints at most 20 rows of a kind, and cuts long text', async (t) => {
    const logs = Array.from({ length: 25 }, (_, seq) => ({
      seq,
      time: 1,
      level: 'info',
      message: `line ${seq}`,
      fields: null,
      request: null,
    }))
    const error = { name: 'Error', message: 'x'.repeat(3_000), frames: [], source: null, cause: null, members: [] }
    const call = { ...{ name: 'a.b', start: 0, duration: 1, own: 1, args: '', result: null }, error: null, site: null }
    const dev = await openState(t, { records: [createShown({ logs, error, calls: [call] })] })
    const { out } = await dev.verbena('request', 'r_1')
    assert.match(out, /info: line 19\n {2}… and 5 more\n/)
    assert.match(out, /^Error: x{1993}…$/m)
    assert.match(out, /^ {2}a\.b\(\) {2}1\.0 ms$/m)
    const json = JSON.parse((await dev.verbena('request', 'r_1', '--json')).out)
    assert.deepEqual([json.logs.length, json.errors[0].message.length], [25, 3_000])
  })

  it('names the list of requests if the id is unknown', async (t) => {
    const dev = await openState(t, { records: [createShown()] })
    const { code, err } = await dev.verbena('request', 'r_9')
    assert.equal(code, 2)
    assert.match(err, /^Cannot show "r_9": no request with this id is stored\. "verbena requests" lists them/)
  })
})
