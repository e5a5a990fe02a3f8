/** Opening files: first a file is opened, then what was opened is looked at, so that nothing can be put in its place between. */
import { constants, type BigIntStats } from 'node:fs'
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises'
import { sep } from 'node:path'

/** A file that is open for reading. Whoever has it closes it. */
export interface OpenFile {
  readonly handle: FileHandle
  readonly stats: BigIntStats
}

/** A folder that files must lie below. */
export interface Root {
  /** Its real path, which ends in a separator. */
  readonly path: string
  /** Whether files and folders are shown whose names begin with a dot. */
  readonly hasDotfiles: boolean
}

/** Without `O_NONBLOCK` a named pipe is opened only when somebody writes to it. Windows has neither of the last two. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY

/** What a client is told nothing of: to it, these files are not there. */
const ABSENT: ReadonlySet<unknown> = new Set([
  ...['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'ELOOP', 'EACCES', 'EPERM', 'ENXIO', 'ENODEV', 'EINVAL'],
  'ERR_ACCESS_DENIED',
])

/** Opens a regular file below a root, or anywhere when no root is given; `folder` for a folder there, `null` for anything else. */
export async function openFile(path: string, root: Root | null): Promise<OpenFile | 'folder' | null> {
  const handle = await open(path, FLAGS).catch(nullIfMissing)
  if (handle === null) return null
  const result = await look(handle, path, root).catch((error: unknown) => ({ error }))
  if (typeof result === 'object' && result !== null && 'handle' in result) return result
  await handle.close()
  if (typeof result === 'object' && result !== null) throw result.error
  return result
}

async function look(handle: FileHandle, path: string, root: Root | null): Promise<OpenFile | 'folder' | null> {
  const stats = await handle.stat({ bigint: true })
  if (root !== null && !isInside(await readRealPath(handle, path, stats).catch(nullIfMissing), root)) return null
  if (stats.isFile()) return { handle, stats }
  return stats.isDirectory() ? 'folder' : null
}

/**
 * Linux says which path was opened. Elsewhere the name is looked at once more, and has to lead to the same file: whoever can change
 * folders below the root meanwhile may deceive that.
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
  if (ABSENT.has(Object(error).code)) return null
  throw error
}
