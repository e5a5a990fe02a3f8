import assert from 'node:assert/strict'
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { FileWatcher, findRoot } from '#src/cli/dev/watch-files.js'
import { eventually } from '#test/eventually.js'
import { createDirectory } from '#test/temp-directory.js'

interface Watched extends Disposable {
  readonly folder: string
  readonly watcher: FileWatcher
  /** Paths of the changes, without repetitions. */
  readonly changes: () => string[]
  /** Forgets the changes until now. */
  readonly clear: () => void
}

function watchProject(files: Readonly<Record<string, string>>): Watched {
  const folder = createDirectory({ 'package.json': '{}', 'app.js': '', ...files })
  const paths = new Set<string>()
  const watcher = new FileWatcher(folder, join(folder, 'app.js'), (path) => paths.add(relative(folder, path)))
  const changes = (): string[] => [...paths].toSorted()
  return { folder, watcher, changes, clear: () => paths.clear(), [Symbol.dispose]: () => watcher.close() }
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
    await sleep(100)
    assert.deepEqual(project.changes(), [])
    rmSync(routes, { recursive: true })
    await eventually(async () => assert.match(project.changes().join(' '), /routes/))
    mkdirSync(routes)
    await sleep(100)
    project.clear()
    writeFileSync(join(routes, 'users.ts'), 'again')
    await eventually(async () => assert.match(project.changes().join(' '), /routes/))
  })
})

describe('findRoot()', () => {
  it('returns the nearest folder with a package.json, or the folder of the file', () => {
    const folder = createDirectory({ 'package.json': '{}', 'src/app.js': '' })
    assert.equal(findRoot(join(folder, 'src/app.js')), folder)
    assert.equal(findRoot('/no-folder/src/app.js'), '/no-folder/src')
  })
})
