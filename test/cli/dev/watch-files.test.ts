import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs, { closeSync, mkdirSync, openSync, renameSync, rmSync, utimesSync, writeFileSync, writeSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join, relative } from 'node:path'
import { describe, it } from 'node:test'
import { FileWatcher, findRoot } from '#src/cli/dev/watch-files.js'
import { eventually } from '#test/eventually.js'
import { createDirectory } from '#test/temp-directory.js'

interface Watched extends Disposable {
  readonly folder: string
  readonly watcher: FileWatcher
  /** Paths of the saved files, without repetitions. */
  readonly changes: () => string[]
  /** Saved files of each report. */
  readonly saves: readonly (readonly string[])[]
  readonly limits: readonly string[]
  /** Forgets the saves until now. */
  readonly clear: () => void
  readonly write: (name: string, text: string) => void
  /** Waits for the report of all events until now, by the report of another file. */
  readonly settled: () => Promise<void>
}

function watchProject(files: Readonly<Record<string, string>>, maxFolders?: number): Watched {
  const folder = createDirectory({ 'package.json': '{}', 'app.js': '', ...files })
  const saves: string[][] = []
  const limits: string[] = []
  const listeners = {
    onEvent: () => {},
    onSave: (paths: readonly string[]) => void saves.push(paths.map((path) => relative(folder, path))),
    onLimit: (reason: string) => void limits.push(reason),
  }
  const watcher = new FileWatcher(folder, join(folder, 'app.js'), listeners, maxFolders)
  const changes = (): string[] => [...new Set(saves.flat())].filter((path) => path !== 'settled.js').toSorted()
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  let count = 0
  const settled = async (): Promise<void> => {
    const before = saves.length
    write('settled.js', String(++count))
    await eventually(() => assert.ok(saves.slice(before).flat().includes('settled.js')))
  }
  return {
    ...{ folder, watcher, changes, saves, limits, write, settled },
    clear: () => void (saves.length = 0),
    [Symbol.dispose]: () => watcher.close(),
  }
}

describe('FileWatcher', () => {
  it('reports source files in each folder, and no other files', async () => {
    using project = watchProject({ 'routes/users.ts': '', 'routes/notes.txt': '' })
    for (const path of ['routes/notes.txt', 'routes/users.ts', 'data.sqlite', '.env'])
      writeFileSync(join(project.folder, path), 'changed')
    await eventually(async () => assert.deepEqual(project.changes(), ['.env', 'routes/users.ts']))
  })

  it('ignores folders of packages, results and hidden files', async () => {
    using project = watchProject({ 'node_modules/a/index.js': '', 'dist/app.js': '', '.cache/a.js': '' })
    mkdirSync(join(project.folder, 'coverage'))
    for (const path of ['node_modules/a/index.js', 'dist/app.js', '.cache/a.js', 'coverage/a.js', 'app.js'])
      writeFileSync(join(project.folder, path), 'changed')
    await eventually(async () => assert.deepEqual(project.changes(), ['app.js']))
  })

  it('watches new folders, and reports one that contains a source file', async () => {
    using project = watchProject({})
    const [empty, full] = [join(project.folder, 'empty'), join(project.folder, 'full')]
    mkdirSync(empty)
    mkdirSync(full)
    writeFileSync(join(full, 'a.ts'), '')
    await eventually(async () => assert.match(project.changes().join(' '), /full/))
    project.clear()
    writeFileSync(join(empty, 'b.ts'), '')
    await eventually(async () => assert.match(project.changes().join(' '), /^empty/))
  })

  it('finds all source files of the watched folders', () => {
    using project = watchProject({ 'routes/users.ts': '', 'routes/notes.txt': '', 'node_modules/a.js': '' })
    const found = project.watcher.findFiles().map((path) => relative(project.folder, path))
    assert.deepEqual(found.toSorted(), ['app.js', 'package.json', 'routes/users.ts'])
  })

  it('watches a folder once, and again after it was deleted', async () => {
    using project = watchProject({ 'routes/users.ts': '' })
    const routes = join(project.folder, 'routes')
    utimesSync(routes, new Date(), new Date())
    await project.settled()
    assert.deepEqual(project.changes(), [])
    rmSync(routes, { recursive: true })
    await eventually(async () => assert.match(project.changes().join(' '), /routes/))
    mkdirSync(routes)
    await project.settled()
    project.clear()
    project.write('routes/users.ts', 'again')
    await eventually(async () => assert.match(project.changes().join(' '), /routes/))
  })

  it('watches folders that were deleted or renamed, and immediately created again', async () => {
    using project = watchProject({ 'routes/v1/users.ts': '' })
    const routes = join(project.folder, 'routes')
    for (const round of [1, 2, 3, 4, 5, 6]) {
      if (round % 2 === 0) renameSync(routes, join(project.folder, `.old-${round}`))
      else rmSync(routes, { recursive: true })
      mkdirSync(join(routes, 'v1'), { recursive: true })
      await project.settled()
      project.clear()
      project.write('routes/v1/users.ts', `round ${round}`)
      await eventually(() => assert.deepEqual(project.changes(), ['routes/v1/users.ts']))
      await project.settled()
      project.clear()
      if (round % 2 === 0) writeFileSync(join(project.folder, `.old-${round}/v1/users.ts`), 'no save')
      await project.settled()
      assert.deepEqual(project.changes(), [])
    }
  })

  it('reports the first event of a file, then only events with new content', async () => {
    using project = watchProject({ 'data.json': '{}' })
    const times: readonly (readonly [string, readonly string[]])[] = [
      ['{}', ['data.json']],
      ['{}', []],
      ['{"a":1}', ['data.json']],
      ['{"a":1}', []],
    ]
    for (const [text, expected] of times) {
      project.clear()
      project.write('data.json', text)
      await project.settled()
      assert.deepEqual(project.changes(), expected, text)
    }
    project.clear()
    utimesSync(join(project.folder, 'data.json'), new Date(), new Date())
    await project.settled()
    assert.deepEqual(project.changes(), [])
    rmSync(join(project.folder, 'data.json'))
    await project.settled()
    assert.deepEqual(project.changes(), ['data.json'])
  })

  it('reports no file that is empty for a moment while the same content is written', async () => {
    using project = watchProject({})
    project.write('data.json', '{"a":1}')
    await project.settled()
    project.clear()
    const file = openSync(join(project.folder, 'data.json'), 'w')
    // The watcher reads the empty file.
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    writeSync(file, '{"a":1}')
    closeSync(file)
    await project.settled()
    assert.deepEqual(project.changes(), [])
  })

  it('compares large files by size and time, and does not read pipes', async () => {
    using project = watchProject({})
    const text = 'x'.repeat(5_000_001)
    project.write('large.json', text)
    execFileSync('mkfifo', [join(project.folder, 'pipe.json')])
    await project.settled()
    assert.deepEqual(project.changes(), ['large.json', 'pipe.json'])
    project.clear()
    utimesSync(join(project.folder, 'large.json'), new Date(), new Date())
    await project.settled()
    assert.deepEqual(project.changes(), ['large.json'])
  })

  it('reports files that are written all the time', async () => {
    using project = watchProject({})
    let count = 0
    const timer = setInterval(() => project.write('log.json', String(++count)), 5)
    await eventually(() => assert.ok(project.saves.length > 1)).finally(() => clearInterval(timer))
  })

  it('reports once that the project has too many folders', async () => {
    using project = watchProject({ 'a/a.js': '', 'b/b.js': '', 'c/c.js': '' }, 3)
    assert.deepEqual(project.limits, ['the project has more than 3 folders'])
    mkdirSync(join(project.folder, 'd'))
    await project.settled()
    assert.equal(project.limits.length, 1)
  })

  it('reports that the system allows no more watched folders', async (test) => {
    using project = watchProject({})
    test.mock.method(fs, 'watch', () => {
      throw new Error('ENOSPC: System limit for number of file watchers reached')
    })
    syncBuiltinESMExports()
    mkdirSync(join(project.folder, 'routes'))
    await eventually(() => assert.match(String(project.limits), /^ENOSPC/))
    test.mock.restoreAll()
    syncBuiltinESMExports()
  })
})

describe('findRoot()', () => {
  it('returns the nearest folder with a package.json, or the folder of the file', () => {
    const folder = createDirectory({ 'package.json': '{}', 'src/app.js': '' })
    assert.equal(findRoot(join(folder, 'src/app.js')), folder)
    assert.equal(findRoot('/no-folder/src/app.js'), '/no-folder/src')
  })
})
