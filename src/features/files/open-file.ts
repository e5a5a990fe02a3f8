/** Opens files safely. A file is opened first and then checked through its handle, so that it cannot be replaced between check and use. */
import { constants, type BigIntStats } from 'node:fs'
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises'
import { sep } from 'node:path'

/** A file that is open for reading. The caller must close it. */
export interface OpenFile {
  readonly handle: FileHandle
  readonly stats: BigIntStats
}

/** Directory that must contain the files. */
export interface Root {
  /** Real path, with a trailing separator. */
  readonly path: string
  /** Whether files and directories whose names begin with a dot may be opened. */
  readonly hasDotfiles: boolean
}

/** Without `O_NONBLOCK`, opening a named pipe waits for a writer. On Windows, the last two constants are `undefined` and add nothing. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY

/** Error codes that are reported to the client as a missing file. */
const ABSENT_CODES: ReadonlySet<unknown> = new Set([
  ...['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'ELOOP', 'EACCES', 'EPERM', 'ENXIO', 'ENODEV', 'EINVAL'],
  'ERR_ACCESS_DENIED',
])

/** Opens a regular file in a root, or anywhere if `root` is `null`. Returns `'folder'` for a directory, and `null` for anything else. */
export async function openFile(path: string, root: Root | null): Promise<OpenFile | 'folder' | null> {
  const handle = await open(path, FLAGS).catch(nullIfMissing)
  if (handle === null) return null
  const result = await inspectFile(handle, path, root).catch((error: unknown) => ({ error }))
  if (typeof result === 'object' && result !== null && 'handle' in result) return result
  await handle.close()
  if (typeof result === 'object' && result !== null) throw result.error
  return result
}

async function inspectFile(handle: FileHandle, path: string, root: Root | null): Promise<OpenFile | 'folder' | null> {
  const stats = await handle.stat({ bigint: true })
  if (root !== null && !isInside(await readRealPath(handle, path, stats).catch(nullIfMissing), root)) return null
  if (stats.isFile()) return { handle, stats }
  return stats.isDirectory() ? 'folder' : null
}

/**
 * Returns the real path of an open file; `null` if it cannot be confirmed. Linux reports the path of a file descriptor. On other systems,
 * the path is resolved again and must lead to the same file; an attacker who can change directories in the root at the same time could
 * bypass this check.
 */
async function readRealPath(handle: FileHandle, path: string, { dev, ino }: BigIntStats): Promise<string | null> {
  const realPath = await readlink(`/proc/self/fd/${handle.fd}`).catch(nullIfMissing)
  if (realPath !== null) return realPath
  const real = await realpath(path)
  const stats = await lstat(real, { bigint: true })
  return stats.dev === dev && stats.ino === ino ? real : null
}

function isInside(real: string | null, root: Root): boolean {
  if (real === null || !`${real}${sep}`.startsWith(root.path)) return false
  const parts = real.slice(root.path.length).split(sep)
  return root.hasDotfiles || !parts.some((part) => part.startsWith('.'))
}

export function nullIfMissing(error: unknown): null {
  if (ABSENT_CODES.has(Object(error).code)) return null
  throw error
}
