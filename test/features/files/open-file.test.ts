/** Opening files: checks apply to the opened file, and only regular files below the root are returned. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { linkSync, rmSync, symlinkSync, truncateSync } from 'node:fs'
import promises, { lstat, open, type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { createServer } from 'node:net'
import { join, sep } from 'node:path'
import { describe, it, mock } from 'node:test'
import { FileChunks } from '#src/features/files/file-chunks.js'
import { openFile, type OpenFile } from '#src/features/files/open-file.js'
import { createDirectory } from '#test/temp-directory.js'

const folder = createDirectory({
  'root/a.txt': 'inside',
  'root/sub/b.txt': 'below',
  'root/.env': 'dot',
  'secret.txt': 'secret',
  'root-two/c.txt': 'sibling',
})
const root = { path: join(folder, 'root') + sep, hasDotfiles: false }
const at = (name: string): string => join(folder, 'root', name)

async function read(found: OpenFile | 'folder' | null): Promise<string | null> {
  if (found === null || found === 'folder') return found
  const text = await found.handle.readFile('utf8')
  await found.handle.close()
  return text
}

describe('openFile()', () => {
  it('opens files, reports directories, and returns null for missing files', async () => {
    assert.equal(await read(await openFile(at('sub/b.txt'), root)), 'below')
    assert.equal(await openFile(at('sub'), root), 'folder')
    assert.equal(await openFile(at(''), root), 'folder')
    for (const name of ['none', 'a.txt/none', 'x'.repeat(5000)]) assert.equal(await openFile(at(name), root), null)
  })

  it('follows symbolic links in the root, but not out of it', async () => {
    symlinkSync(at('sub/b.txt'), at('inner'))
    symlinkSync(join(folder, 'secret.txt'), at('out.txt'))
    symlinkSync(folder, at('up'))
    symlinkSync('/', at('top'))
    symlinkSync(join(folder, 'root-two'), at('sibling'))
    symlinkSync(at('.env'), at('shown'))
    symlinkSync(at('loop'), at('loop'))
    assert.equal(await read(await openFile(at('inner'), root)), 'below')
    for (const name of ['out.txt', 'up', 'up/secret.txt', 'top/etc/passwd', 'sibling/c.txt', 'shown', 'loop']) {
      assert.equal(await openFile(at(name), root), null, name)
    }
    assert.equal(await read(await openFile(at('shown'), { ...root, hasDotfiles: true })), 'dot')
    assert.equal(await read(await openFile(at('out.txt'), null)), 'secret')
  })

  it('returns null for devices, pipes and sockets, without waiting', async () => {
    execFileSync('mkfifo', [at('pipe')])
    const server = createServer().listen(at('socket'))
    symlinkSync('/dev/zero', at('zero'))
    for (const name of ['pipe', 'socket', 'zero']) {
      assert.equal(await openFile(at(name), root), null, name)
      assert.equal(await openFile(at(name), null), null, name)
    }
    server.close()
  })

  it('resolves the path again if the system does not report the opened path', async () => {
    const silent = mock.method(promises, 'readlink', () =>
      Promise.reject(Object.assign(new Error(), { code: 'ENOENT' })),
    )
    syncBuiltinESMExports()
    assert.equal(await read(await openFile(at('inner'), root)), 'below')
    for (const name of ['out.txt', 'up/secret.txt', 'shown', '.env'])
      assert.equal(await openFile(at(name), root), null, name)
    const handle = await open(at('a.txt'))
    const { prototype } = Object.getPrototypeOf(handle).constructor
    await handle.close()
    const other = mock.method(prototype, 'stat', () => lstat(at('sub/b.txt'), { bigint: true }))
    assert.equal(await openFile(at('a.txt'), root), null)
    other.mock.restore()
    silent.mock.restore()
    syncBuiltinESMExports()
  })

  it('rejects a link out of the root that is replaced after it was opened', async () => {
    // Between the two checks, the link is replaced by a file below the root.
    symlinkSync(join(folder, 'secret.txt'), at('changing'))
    const handle = await open(at('a.txt'))
    const { prototype } = Object.getPrototypeOf(handle).constructor
    await handle.close()
    const stat = prototype.stat
    const swap = mock.method(prototype, 'stat', async function (this: FileHandle, options: object) {
      const stats: unknown = await stat.call(this, options)
      rmSync(at('changing'))
      linkSync(at('a.txt'), at('changing'))
      return stats
    })
    assert.equal(await openFile(at('changing'), root), null)
    swap.mock.restore()
    assert.equal(await read(await openFile(at('changing'), root)), 'inside')
  })

  it('closes handles that it does not return, and rethrows errors of stat()', async () => {
    const handle = await open(at('a.txt'))
    const { prototype } = Object.getPrototypeOf(handle).constructor
    await handle.close()
    const opened: FileHandle[] = []
    const stat = prototype.stat
    const seen = mock.method(prototype, 'stat', function (this: FileHandle, options: object) {
      opened.push(this)
      return opened.length === 1 ? stat.call(this, options) : Promise.reject(new Error('the disk is broken'))
    })
    assert.equal(await openFile(at('sub'), root), 'folder')
    await assert.rejects(openFile(at('a.txt'), root), /the disk is broken/)
    seen.mock.restore()
    assert.deepEqual(
      opened.map(({ fd }) => fd),
      [-1, -1],
    )
  })

  it('throws an error that does not mean a missing or inaccessible file', async () => {
    await assert.rejects(openFile('\0', root), { code: 'ERR_INVALID_ARG_VALUE' })
  })
})

describe('FileChunks', () => {
  it('throws if the file has become shorter', async () => {
    const path = join(createDirectory({ long: 'x'.repeat(1000) }), 'long')
    const chunks = new FileChunks(await open(path), [{ start: 0, end: 1000 }])
    truncateSync(path, 10)
    await assert.rejects(chunks.next(), /shorter/)
    chunks.cancel()
    chunks.cancel()
  })
})
