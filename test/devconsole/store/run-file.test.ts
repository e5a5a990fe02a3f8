/* oxlint-disable import/first -- the environment is read when modules load */
import '#test/development.js'
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { RunFile, MAX_STORED_BYTES, type RunFileSource } from '#src/devconsole/store/run-file.js'
import type { StoredRecord } from '#src/devconsole/store/record-store.js'
import type { Snapshot } from '#src/devconsole/wire/feed-types.js'
import type { ShownRecord } from '#src/devconsole/wire/view-types.js'
import { eventually } from '#test/eventually.js'
import { onCleanup } from '#test/cleanup.js'
import { startProcess } from '#test/browser-process.js'
import { createRecorded } from '#test/console-records.js'
import { actionToken, newestRecord, openConsole, post, read, waitForSnapshot } from '#test/console.js'
import { createDirectory } from '#test/temp-directory.js'
import { TOKEN_HEADER } from '#src/devconsole/wire/request-types.js'
import { programArguments } from '#test/repository.js'

interface Content {
  readonly app: string
  readonly runs: readonly { readonly boot: string }[]
  readonly records: readonly ShownRecord[]
}

/** Formats a file with the correct hash. */
function formatFile(app: string): string {
  const lines = `"app":"${app}",\n"runs":[],\n"records":[\n\n]}\n`
  const hash = createHash('sha256').update(lines).digest('hex')
  return `{"format":"verbena-console","v":2,"sha256":"${hash}",\n${lines}`
}

function readContent(path: string): Content {
  return JSON.parse(readFileSync(path, 'utf8'))
}

/** Creates the data of a process that has these records. */
function createSource(records: readonly StoredRecord[], given: Partial<RunFileSource> = {}): RunFileSource {
  return {
    run: () => ({ boot: 'aaaaaa', started: 1_000, incidents: [], endpoints: [{ endpoint: 'GET /', median: 1 }] }),
    records: () => records,
    show: ({ record }) => ({ ...record, callOuts: [], about: [] }),
    addSource: (record) => Promise.resolve({ ...record, vendor: 'with source' }),
    isPinned: ({ record }) => record['dev.pinned'],
    ...given,
  }
}

interface OpenedFile {
  readonly file: RunFile
  readonly path: string
  readonly warnings: readonly string[]
}

async function openFile(given: { readonly text?: string; readonly path?: string } = {}): Promise<OpenedFile> {
  const path = given.path ?? join(createDirectory({}), 'dev', 'console.json')
  if (given.text !== undefined) {
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, given.text, { mode: 0o644 })
  }
  const warnings: string[] = []
  const file = new RunFile({ path, app: 'library', warn: (message) => warnings.push(message) })
  await file.read()
  return { file, path, warnings }
}

/** Opens the file, and writes these records at the end. */
async function writeOnce(path: string, source: RunFileSource): Promise<OpenedFile> {
  const opened = await openFile({ path })
  opened.file.begin(source)
  opened.file.changed(false)
  opened.file.close()
  return opened
}

describe('RunFile', () => {
  it('returns the records and runs of the previous process', async () => {
    const { path } = await openFile()
    await writeOnce(path, createSource([createRecorded({ seq: 2 }), createRecorded({ seq: 1 })]))
    const { file, warnings } = await openFile({ path })
    assert.deepEqual(
      file.records.map(({ record }) => record.id),
      ['r_2', 'r_1'],
    )
    assert.deepEqual([file.runs.map(({ boot }) => boot), warnings], [['aaaaaa'], []])
    assert.ok(file.records.every(({ bytes }) => bytes > 500))
  })

  it('creates the directory and a file that only the user can read, even if it was readable', async () => {
    const { path } = await openFile({ text: '' })
    chmodSync(path, 0o644)
    await writeOnce(path, createSource([createRecorded()]))
    assert.equal(statSync(path).mode & 0o777, 0o600)
    const created = await openFile()
    created.file.begin(createSource([createRecorded()]))
    created.file.changed(true)
    await eventually(() => assert.equal(readContent(created.path).records.length, 1))
    assert.equal(statSync(created.path).mode & 0o777, 0o600)
    assert.equal(statSync(join(created.path, '..')).mode & 0o777, 0o700)
    assert.deepEqual(readdirSync(join(created.path, '..')), ['console.json'])
    created.file.close()
  })

  it('writes soon after a notable record, with its source, and combines changes', async () => {
    const { file, path } = await openFile()
    const records = [createRecorded({ seq: 1 })]
    file.begin(createSource(records))
    file.changed(false)
    await sleep(200)
    assert.ok(!existsSync(path))
    file.changed(true)
    file.changed(true)
    await eventually(() => assert.equal(readContent(path).records[0]?.vendor, 'with source'))
    const { mtimeMs } = statSync(path)
    records.unshift(createRecorded({ seq: 2 }))
    file.changed(true)
    await eventually(() => assert.equal(readContent(path).records.length, 2))
    await sleep(1_200)
    file.close()
    assert.ok(statSync(path).mtimeMs > mtimeMs)
    assert.equal(readContent(path).records[1]?.vendor, 'with source')
  })

  it('writes changes that arrive while it writes, at most one second later', async () => {
    const { file, path } = await openFile()
    const records = [createRecorded({ seq: 1 })]
    let release = (): void => {}
    const addSource = (record: ShownRecord) => new Promise<ShownRecord>((resolve) => (release = () => resolve(record)))
    file.begin(createSource(records, { addSource }))
    file.changed(true)
    await sleep(250)
    records.unshift(createRecorded({ seq: 2 }))
    file.changed(true)
    release()
    await eventually(() => assert.equal(readContent(path).records.length, 2))
    await eventually(() => release())
    file.close()
  })

  it('does not replace newer data with a write that was in progress when it was closed', async () => {
    const { file, path } = await openFile()
    let release = (): void => {}
    const addSource = (record: ShownRecord) =>
      new Promise<ShownRecord>((resolve) => (release = () => resolve({ ...record, vendor: 'late' })))
    file.begin(createSource([createRecorded()], { addSource }))
    file.changed(true)
    await sleep(250)
    file.close()
    release()
    await sleep(100)
    assert.equal(readContent(path).records[0]?.vendor, null)
    assert.deepEqual(readdirSync(join(path, '..')), ['console.json'])
    file.changed(true)
    await sleep(250)
    assert.equal(readContent(path).records[0]?.vendor, null)
  })

  it('writes a request again after it was pinned', async () => {
    const { file, path } = await openFile()
    const recorded = createRecorded()
    let isPinned = false
    const show = (): ShownRecord => ({ ...recorded.record, 'dev.pinned': isPinned, callOuts: [], about: [] })
    file.begin(createSource([recorded], { show, isPinned: () => isPinned }))
    file.changed(true)
    await eventually(() => assert.equal(readContent(path).records[0]?.['dev.pinned'], false))
    isPinned = true
    file.changed(true)
    await eventually(() => assert.equal(readContent(path).records[0]?.['dev.pinned'], true))
    file.close()
  })

  it('keeps the newest five runs, and records up to 8 MB and 500, the newest of them', async () => {
    const { path } = await openFile()
    const large = Array.from({ length: 12 }, (_, seq) =>
      createRecorded({ seq: 20 - seq, 'url.query': 'x'.repeat(1e6) }),
    )
    await writeOnce(path, createSource(large))
    assert.ok(statSync(path).size <= MAX_STORED_BYTES)
    assert.deepEqual([readContent(path).records.length, readContent(path).records[0]?.seq], [8, 20])
    const many = Array.from({ length: 600 }, (_, seq) => createRecorded({ seq: 1_000 - seq }))
    for (const boot of ['b', 'c', 'd', 'e', 'f', 'g']) {
      const run = () => ({ ...createSource([]).run(), boot })
      await writeOnce(path, createSource(many, { run }))
    }
    const { runs, records } = readContent(path)
    assert.equal(runs.map(({ boot }) => boot).join(''), 'gfedc')
    assert.deepEqual([records.length, records[0]?.seq], [500, 1_000])
  })

  it('ignores a file of something else with one warning, and never replaces it', async () => {
    const texts = ['{"name":"my-app"}', 'hello', formatFile('other'), 'x'.repeat(9e6)]
    for (const text of texts) {
      const { file, path, warnings } = await openFile({ text })
      file.begin(createSource([createRecorded()]))
      file.changed(true)
      await sleep(150)
      file.close()
      assert.equal(readFileSync(path, 'utf8'), text)
      assert.equal(warnings.length, 1)
      assert.match(warnings[0] ?? '', /console\.json" is not a file of this app's console.*Delete it/)
    }
  })

  it('ignores a directory and a path below a file with one warning', async () => {
    const folder = createDirectory({ file: '' })
    const opened = [await openFile({ path: folder }), await openFile({ path: join(folder, 'file', 'x.json') })]
    assert.deepEqual(
      opened.map(({ warnings }) => warnings.length),
      [1, 1],
    )
  })

  it('replaces a file that was cut or changed, and one of another version, with one warning', async () => {
    const whole = formatFile('library')
    const changed = whole.replace('"records":[', '"records":[5')
    for (const text of [whole.slice(0, -9), whole.replace('"v":2', '"v":1'), changed, `${whole.split('\n')[0]}`]) {
      const { file, path, warnings } = await openFile({ text })
      assert.deepEqual([file.records, file.runs], [[], []])
      file.begin(createSource([createRecorded()]))
      file.changed(true)
      file.close()
      assert.match(warnings.join(), /^Console: ".*console\.json" is damaged\. Its content is ignored/)
      assert.equal(readContent(path).records.length, 1)
    }
  })

  it('reads a file with its hash', async () => {
    const { file, warnings } = await openFile({ text: formatFile('library') })
    assert.deepEqual([file.records, file.runs, warnings], [[], [], []])
  })

  it('logs one warning if the file cannot be written, and stops', async () => {
    for (const isClosed of [true, false]) {
      const { file, path, warnings } = await openFile()
      writeFileSync(join(path, '..'), 'a file in place of the directory')
      file.begin(createSource([createRecorded()]))
      file.changed(true)
      if (isClosed) file.close()
      await eventually(() => assert.match(warnings.join(), /^Console: failed to write ".*console\.json": Error: E/))
      file.changed(true)
      file.close()
      await sleep(150)
      assert.equal(warnings.length, 1)
    }
  })

  it('deletes earlier records and runs when it is cleared', async () => {
    const { path } = await openFile()
    await writeOnce(path, createSource([createRecorded()]))
    const { file } = await openFile({ path })
    file.begin(createSource([]))
    file.clear()
    assert.deepEqual([file.records, file.runs], [[], []])
    file.close()
    assert.deepEqual(readContent(path).records, [])
  })

  it('writes nothing if nothing has changed, and has no listener after it was closed', async () => {
    const { file, path } = await openFile()
    const before = process.listenerCount('exit')
    file.begin(createSource([]))
    assert.equal(process.listenerCount('exit'), before + 1)
    file.close()
    assert.equal(process.listenerCount('exit'), before)
    assert.ok(!existsSync(path))
  })
})

describe('devConsole.keep', () => {
  const app = (path: string) => [...programArguments('test/support/browser-runs-child.ts'), '0', 'broken', path]

  async function fail(t: TestContext, path: string) {
    const process = await startProcess(t, ...app(path))
    const headers = { authorization: 'Bearer the-token' }
    await post(`${process.url}/orders`, { item: 'tea', count: 3, password: 'hunter2' }, headers)
    return process
  }

  it('shows the notable requests of a closed app in the next one, also as pages without a script', async (t) => {
    const keep = join(createDirectory({}), 'console.json')
    const first = await openConsole({ keep, stall: 3_600_000 })
    onCleanup(t, () => first.close())
    await fetch(`${first.url}/books/1`)
    await post(`${first.url}/books/1`, { title: 'wrong' })
    const thrown = await newestRecord(first.url, 2)
    const { requests } = await waitForSnapshot(first.url, 2)
    const act = async (url: string, address: string, body: object) =>
      (await post(`${url}/__dev__/api/${address}`, body, { [TOKEN_HEADER]: await actionToken(url) })).status
    const pin = { id: requests[1]?.id, pinned: true }
    assert.deepEqual(
      [await act(first.url, 'pin', pin), await act(first.url, 'pin', { ...pin, pinned: false })],
      [200, 200],
    )
    await act(first.url, 'pin', pin)
    await eventually(() => assert.equal(readContent(keep).records.length, 2))
    await first.close()
    const second = await openConsole({ keep, stall: 3_600_000 })
    onCleanup(t, () => second.close())
    const { requests: kept, earlier } = await waitForSnapshot(second.url, 2)
    assert.deepEqual(
      kept.map((each) => [each.id, each['dev.pinned']]),
      [
        [requests[0]?.id, false],
        [requests[1]?.id, true],
      ],
    )
    assert.deepEqual(await read(`${second.url}/__dev__/api/requests/${thrown.id}`), thrown)
    assert.deepEqual(earlier[0]?.endpoints.map(({ endpoint }) => endpoint).toSorted(), [
      'GET /books/{id}',
      'POST /books/{id}',
    ])
    const html = await (await fetch(`${second.url}/__dev__/requests/${thrown.id}`)).text()
    assert.match(html, /No such book/)
    const older = await read<{ readonly items: readonly object[] }>(`${second.url}/__dev__/api/requests?before=9`)
    assert.equal(older.items.length, 0)
    assert.equal(await act(second.url, 'clear', {}), 200)
    assert.equal((await waitForSnapshot(second.url, 0)).requests.length, 0)
    await second.close()
    assert.deepEqual(readContent(keep).records, [])
  })

  it('shows the failing requests of a killed process whole in the next one, without secrets', async (t) => {
    const path = join(createDirectory({}), '.dev', 'console.json')
    const first = await fail(t, path)
    const before = await read<Snapshot>(`${first.url}/__dev__/api/snapshot`)
    const shown = await read<ShownRecord>(`${first.url}/__dev__/api/requests/${before.requests[0]?.id}`)
    await eventually(() => assert.equal(readContent(path).records.length, 1))
    await first.kill('SIGKILL')
    assert.ok(!/hunter2|the-token/.test(readFileSync(path, 'utf8')))
    const second = await startProcess(t, ...app(path))
    const after = await read<Snapshot>(`${second.url}/__dev__/api/snapshot`)
    assert.notEqual(after.boot, before.boot)
    assert.deepEqual(
      after.requests.map(({ boot, id }) => [boot, id]),
      [[before.boot, shown.id]],
    )
    assert.deepEqual(await read(`${second.url}/__dev__/api/requests/${shown.id}`), shown)
    assert.match(shown.error?.source?.lines.join('\n') ?? '', /throw new TypeError/)
    const [run] = after.earlier
    assert.deepEqual(
      [run?.boot, run?.incidents.map(({ key }) => key)],
      [before.boot, before.problems.map(({ key }) => key)],
    )
    assert.deepEqual([run?.endpoints.map(({ endpoint }) => endpoint), after.problems], [['POST /orders'], []])
    const found = await read<{ readonly items: readonly object[] }>(`${second.url}/__dev__/api/requests?q=status:500`)
    assert.equal(found.items.length, 1)
    const page = await read<{ readonly items: readonly object[] }>(`${second.url}/__dev__/api/requests?before=99`)
    assert.equal(page.items.length, 0)
  })

  it('writes the file when the app closes, and when an error ends the process', async (t) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const path = join(createDirectory({}), 'console.json')
      const process = await fail(t, path)
      await process.kill(signal)
      assert.equal(readContent(path).records.length, 1, signal)
    }
    const path = join(createDirectory({}), 'console.json')
    const crashing = await fail(t, path)
    await fetch(`${crashing.url}/crash`).catch(() => undefined)
    if (crashing.child.exitCode === null) await once(crashing.child, 'exit')
    assert.equal(readContent(path).records.length, 1)
  })

  it('deletes the requests of earlier processes when the console is cleared', async (t) => {
    const path = join(createDirectory({}), 'console.json')
    await (await fail(t, path)).kill('SIGTERM')
    const { url } = await startProcess(t, ...app(path))
    await post(`${url}/__dev__/api/clear`, {}, { [TOKEN_HEADER]: await actionToken(url) })
    const { requests, earlier } = await read<Snapshot>(`${url}/__dev__/api/snapshot`)
    assert.deepEqual([requests, earlier], [[], []])
    await eventually(() => assert.equal(readContent(path).records.length, 0))
  })
})
