/** The folder with the address of each `verbena dev`: who can read it, and files that another program has left there. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import { findAddresses, prepareRunFolder, socketPath, writeAddress } from '#src/cli/dev/run-folder.js'
import { createDirectory } from '#test/temp-directory.js'

const { XDG_RUNTIME_DIR: inherited } = process.env
/** Folder of all users' files. */
let runtime = ''
let project = ''

const ADDRESS = { pid: process.pid, token: 'secret', file: 'src/server.ts' }
const mode = (path: string): number => statSync(path).mode & 0o777
/** The folder of this user. */
const own = (): string => join(runtime, 'verbena')

/** Writes an address, and returns the path of its file. */
function leaveAddress(address: object = ADDRESS): string {
  writeAddress(prepareRunFolder(), project, { ...ADDRESS, ...address })
  const [name = ''] = readdirSync(own())
  return join(own(), name)
}

/** A test with empty folders. */
function test(name: string, run: (t: TestContext) => unknown): void {
  void it(name, async (t) => {
    runtime = createDirectory({})
    project = createDirectory({ 'src/deep/a.ts': '' })
    process.env['XDG_RUNTIME_DIR'] = runtime
    await run(t)
  })
}

describe('the folder of verbena dev', () => {
  after(() => {
    if (inherited === undefined) delete process.env['XDG_RUNTIME_DIR']
    else process.env['XDG_RUNTIME_DIR'] = inherited
  })

  test('has a file for each verbena dev that only the user can read, until it ends', () => {
    const remove = writeAddress(prepareRunFolder(), project, ADDRESS)
    const [name = ''] = readdirSync(own())
    assert.deepEqual([mode(own()), mode(join(own(), name))], [0o700, 0o600])
    assert.ok(!name.includes('src') && name.endsWith(`-${process.pid}.json`))
    const found = { ...ADDRESS, socket: socketPath(own(), project, process.pid) }
    assert.deepEqual(findAddresses(project), [found])
    assert.deepEqual(findAddresses(join(project, 'src/deep')), [found])
    assert.deepEqual(findAddresses(createDirectory({})), [])
    remove()
    assert.deepEqual(findAddresses(project), [])
  })

  test('replaces the file of an ended process with the same id, and lists several processes', () => {
    leaveAddress({ token: 'old' })
    leaveAddress()
    writeAddress(own(), project, { ...ADDRESS, pid: process.ppid })
    assert.deepEqual(
      findAddresses(project)
        .map(({ pid, token }) => [pid, token])
        .toSorted(),
      [
        [process.pid, 'secret'],
        [process.ppid, 'secret'],
      ].toSorted(),
    )
  })

  test('removes the files of ended processes', async () => {
    const child = spawn(process.execPath, ['-e', '0'])
    await once(child, 'exit')
    const path = leaveAddress({ pid: child.pid })
    writeFileSync(socketPath(own(), project, Number(child.pid)), '')
    assert.deepEqual(findAddresses(project), [])
    assert.deepEqual([existsSync(path), readdirSync(own())], [false, []])
  })

  test('is the same folder through a link', () => {
    const link = join(createDirectory({}), 'link')
    symlinkSync(project, link)
    leaveAddress()
    assert.equal(findAddresses(link).length, 1)
  })

  test('is in the temporary folder without XDG_RUNTIME_DIR, and for a relative one', (t) => {
    const { TMPDIR, TEMP } = process.env
    t.after(() => Object.assign(process.env, { ...(TMPDIR && { TMPDIR }), ...(TEMP && { TEMP }) }))
    const name = `verbena-${process.getuid?.()}`
    for (const value of ['', 'relative']) {
      process.env['XDG_RUNTIME_DIR'] = value
      process.env['TMPDIR'] = runtime
      assert.equal(prepareRunFolder(), join(runtime, name))
      delete process.env['TMPDIR']
      process.env['TEMP'] = project
      assert.equal(prepareRunFolder(), join(project, name))
      delete process.env['TEMP']
      assert.equal(prepareRunFolder(), join('/tmp', name))
    }
  })

  /** Changes after which the folder or its file is not used, with the reason. */
  const CHANGES: readonly (readonly [about: string, change: (path: string) => void, reason: RegExp])[] = [
    ['a folder that others can use', () => chmodSync(own(), 0o755), /other users have access to ".*verbena"/],
    ['a file that others can read', (path) => chmodSync(path, 0o644), /other users have access to ".*json"/],
    ['a file that others can write', (path) => chmodSync(path, 0o620), /other users have access to ".*json"/],
    ['a link in place of the file', replaceByLink, /ELOOP/],
    ['a link in place of the folder', () => replaceByLink(own()), /ELOOP|ENOTDIR/],
    ['text that is not JSON', (path) => writeFileSync(path, '{'), /is not a file of "verbena dev"/],
    ['JSON without an address', (path) => writeFileSync(path, '[]'), /is not a file of "verbena dev"/],
    [
      'a process id that is not a number',
      (path) => writeFileSync(path, '{"pid":"1","token":"a","file":"b"}'),
      /is not a file/,
    ],
    [
      'a process id that is a group',
      (path) => writeFileSync(path, '{"pid":-1,"token":"a","file":"b"}'),
      /is not a file/,
    ],
    ['a missing token', (path) => writeFileSync(path, `{"pid":${process.pid},"file":"b"}`), /is not a file/],
    ['a missing path', (path) => writeFileSync(path, `{"pid":${process.pid},"token":"b"}`), /is not a file/],
    [
      'a large file',
      (path) => writeFileSync(path, JSON.stringify({ ...ADDRESS, more: 'x'.repeat(5_000) })),
      /is not a file/,
    ],
  ]

  for (const [about, change, reason] of CHANGES) {
    test(`rejects ${about}`, () => {
      change(leaveAddress())
      assert.throws(() => findAddresses(project), reason)
    })
  }

  test('rejects a file of another user', (t) => {
    const path = leaveAddress()
    // Only root can change the owner of a file, so the test is another user instead.
    const { uid } = statSync(path)
    const { getuid } = process
    t.after(() => Reflect.set(process, 'getuid', getuid))
    Reflect.set(process, 'getuid', () => uid + 1)
    assert.throws(() => findAddresses(project), /"[^"]+verbena" belongs to another user/)
    assert.throws(() => prepareRunFolder(), /belongs to another user/)
  })

  test('does not use an existing folder that others can use, or a link', () => {
    mkdirSync(own(), { mode: 0o777 })
    chmodSync(own(), 0o777)
    assert.throws(() => prepareRunFolder(), /other users have access/)
    chmodSync(own(), 0o700)
    replaceByLink(own())
    assert.throws(() => prepareRunFolder(), /ELOOP|ENOTDIR/)
  })

  test('does not write through a link that another program has created', () => {
    const path = leaveAddress()
    const target = join(project, 'target')
    writeFileSync(target, 'unchanged')
    renameSync(path, `${path}.old`)
    symlinkSync(target, path)
    writeAddress(own(), project, ADDRESS)
    assert.equal(readFileSync(target, 'utf8'), 'unchanged')
    assert.equal(mode(path), 0o600)
  })
})

/** Moves a file or a folder, and puts a link to it in its place. */
function replaceByLink(path: string): void {
  renameSync(path, `${path}-moved`)
  symlinkSync(`${path}-moved`, path)
}
