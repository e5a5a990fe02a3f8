/** What `verbena dev` stores: runs, requests, lines and failures, and their limits. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, it } from 'node:test'
import { DevRecords, findOwnPlace } from '#src/cli/dev/dev-records.js'
import type { Incident } from '#src/devconsole/wire/feed-types.js'
import { createRecord } from '#test/console-records.js'
import { createDirectory } from '#test/temp-directory.js'

const LINE = { seq: 1, time: 1, level: 'info', message: 'hello', fields: null, request: null }
const recordText = (seq: number, path = '/'): string =>
  JSON.stringify({ ...createRecord({ seq, 'url.path': path }), callOuts: [], about: [] })

function createRecords(root = '/project'): { readonly records: DevRecords; readonly lines: unknown[] } {
  const lines: unknown[] = []
  return { records: new DevRecords(root, (line) => lines.push(line)), lines }
}

describe('DevRecords', () => {
  it('keeps the requests and lines of all runs, newest first, with the number of their run', () => {
    const { records, lines } = createRecords()
    const [first, second] = [records.begin(10), records.begin(11)]
    const record = records.receive(first, { verbena: 'record', text: recordText(1), dropped: 2 })
    assert.deepEqual([record?.id, record?.run], ['r_1', 1])
    assert.equal(records.receive(second, { verbena: 'lines', lines: [LINE, { ...LINE, seq: 2 }] }), null)
    records.receive(second, { verbena: 'record', text: recordText(2), dropped: 1 })
    records.ended(first)
    const { runs, records: kept, lines: keptLines, dropped } = records.read()
    assert.deepEqual(
      runs.map(({ number, pid, ended }) => [number, pid, ended === null]),
      [
        [2, 11, true],
        [1, 10, false],
      ],
    )
    assert.deepEqual(
      kept.map(({ seq, run }) => [seq, run]),
      [
        [2, 2],
        [1, 1],
      ],
    )
    assert.deepEqual(
      keptLines.map(({ seq, run }) => [seq, run]),
      [
        [2, 2],
        [1, 2],
      ],
    )
    assert.equal(dropped, 3)
    assert.deepEqual(lines, [
      { ...LINE, run: 2 },
      { ...LINE, seq: 2, run: 2 },
    ])
  })

  it('keeps problems without a request', () => {
    const { records } = createRecords()
    const incident: Incident = {
      ...{ key: 'a', endpoint: null, title: ['Blocked'], detail: '', count: 1, unit: 'times', trend: [] },
      ...{ kind: 'stall', first: 1, last: 1, facts: [], query: '', sample: null },
    }
    records.receive(records.begin(1), { verbena: 'incident', incident })
    assert.deepEqual(
      records.read().incidents.map(({ key, run }) => [key, run]),
      [['a', 1]],
    )
  })

  it('keeps at most 200 requests, 1,000 lines and 20 runs', () => {
    const { records } = createRecords()
    for (let pid = 1; pid <= 25; pid++) records.begin(pid)
    for (let seq = 1; seq <= 250; seq++) records.receive(25, { verbena: 'record', text: recordText(seq), dropped: 0 })
    for (let seq = 1; seq <= 1_100; seq++) records.receive(25, { verbena: 'lines', lines: [{ ...LINE, seq }] })
    const { runs, records: kept, lines } = records.read()
    assert.deepEqual([kept.length, kept.at(-1)?.seq], [200, 51])
    assert.deepEqual([lines.length, lines.at(-1)?.seq], [1_000, 101])
    assert.deepEqual([runs.length, runs.at(-1)?.number], [20, 6])
    // The run is no longer listed.
    records.ended(1)
  })

  it('keeps at most 8 MB', () => {
    const { records } = createRecords()
    const path = 'ä'.repeat(30_000)
    for (let seq = 1; seq <= 200; seq++)
      records.receive(1, { verbena: 'record', text: recordText(seq, path), dropped: 0 })
    const { records: kept } = records.read()
    const bytes = kept.reduce((sum, record) => sum + Buffer.byteLength(JSON.stringify(record)), 0)
    assert.ok(bytes <= 6 * 1024 * 1024 && bytes > 5 * 1024 * 1024)
    assert.equal(kept[0]?.seq, 200)
  })
})

describe('DevRecords: failures', () => {
  it('stores the output without secrets and colors, with the line of code that it names', () => {
    const root = createDirectory({ 'src/app.ts': 'one\ntwo\nthree\nfour\n' })
    const { records } = createRecords(root)
    const run = records.begin(1)
    const output = `\u001B[31m${pathToFileURL(join(root, 'src/app.ts')).href}:3\npassword=hunter2\u001B[0m`
    records.failed(run, 'The app has ended (exit code 1)', output)
    const failure = records.read().runs[0]?.failure
    assert.equal(failure?.message, 'The app has ended (exit code 1)')
    assert.deepEqual(failure?.place, { file: 'src/app.ts', line: 3 })
    assert.deepEqual(failure?.source, { file: 'src/app.ts', line: 3, first: 2, lines: ['two', 'three', 'four'] })
    assert.doesNotMatch(String(failure?.output), /hunter2|(?!\n)\p{Cc}/u)
  })

  it('has no source lines without a place, and for a file that cannot be read', () => {
    const { records } = createRecords()
    records.failed(records.begin(1), 'ended', 'out of memory')
    records.failed(records.begin(2), 'ended', 'at /project/src/none.ts:3:1')
    const [second, first] = records.read().runs
    assert.deepEqual([first?.failure?.place, first?.failure?.source], [null, null])
    assert.deepEqual([second?.failure?.place, second?.failure?.source], [{ file: 'src/none.ts', line: 3 }, null])
  })

  const root = createDirectory({})
  mkdirSync(join(root, 'a b'))
  writeFileSync(join(root, 'a b/c.ts'), '')
  const OUTPUTS: readonly (readonly [about: string, output: string, place: string | null])[] = [
    ['a stack', 'Error: a\n    at run (/project/src/a.ts:12:5)\n    at /project/src/b.ts:1:1', 'src/a.ts:12'],
    ['a syntax error', 'file:///project/src/a.mts:7\nconst a = ;', 'src/a.mts:7'],
    ['an error of esbuild', '/project/src/a.tsx:2:15: ERROR: Expected ";"', 'src/a.tsx:2'],
    [
      'frames of packages and of Node',
      'at x (/project/node_modules/a/b.js:1:1)\nat node:internal/a:1:1\nat y (/project/c.cjs:3:9)',
      'c.cjs:3',
    ],
    ['a file outside of the project', 'at /other/a.ts:1:1', null],
    ['a path that is not a file URL', 'at file:///%/a.ts:1:1', null],
    ['no position', 'Killed', null],
  ]

  for (const [about, output, place] of OUTPUTS) {
    it(`finds the place in ${about}`, () => {
      const found = findOwnPlace(output, '/project')
      assert.equal(found && `${found.file}:${found.line}`, place)
    })
  }
})
