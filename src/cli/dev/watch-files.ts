/** Watches the source files of a project, folder by folder: Node 20 on Linux would also watch all files of `node_modules`. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, watch, type FSWatcher } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { valueOr } from '../../values/value-or.js'
import { readMessage } from '../command.js'

const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx|json|env)$|^\.env\./
/** Folders with packages, results of tools, or hidden files. */
const IGNORED = /^(?:node_modules|dist|coverage|\..+)$/
/** Maximum number of watched folders. */
const MAX_FOLDERS = 5_000
/** Maximum size of a file that is read. A larger file has changed if its size or time has. */
const MAX_READ_SIZE = 5_000_000
/** Time without another event before files count as saved, in ms. Editors and formatters write a file in several steps. */
const QUIET_TIME = 30
/** Maximum time until then, in ms, for files that are written all the time. */
const MAX_TIME = 1_000

/** Returns the nearest folder above a file that has a `package.json`; otherwise the folder of the file. */
export function findRoot(file: string): string {
  return findPackageFolder(dirname(file)) ?? dirname(file)
}

function findPackageFolder(folder: string): string | null {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  return parent === folder ? null : findPackageFolder(parent)
}

interface WatchListeners {
  /** A file may have changed. `onSave` follows. */
  readonly onEvent: () => void
  /** Paths of files with new content. Empty if all have their earlier content. */
  readonly onSave: (files: readonly string[]) => void
  /** Not all folders are watched. Called once. */
  readonly onLimit: (reason: string) => void
}

interface WatchedFolder {
  readonly watcher: FSWatcher
  readonly id: string
}

export class FileWatcher {
  /** Path of the started file. The folders above it are never ignored. */
  readonly #file: string
  readonly #listeners: WatchListeners
  readonly #maxFolders: number
  readonly #folders = new Map<string, WatchedFolder>()
  /** Content of each file with an event. The first event counts in any case. */
  readonly #states = new Map<string, string | null>()
  readonly #pending = new Set<string>()
  #isLimited = false
  #begin = 0
  #timer: NodeJS.Timeout | undefined

  /** Watches the folders of a project. */
  constructor(root: string, file: string, listeners: WatchListeners, maxFolders: number = MAX_FOLDERS) {
    this.#file = file
    this.#listeners = listeners
    this.#maxFolders = maxFolders
    this.#watch(root)
  }

  /** Returns the paths of all source files. */
  findFiles(): string[] {
    return [...this.#folders.keys()].flatMap((folder) => {
      const names = valueOr(() => readdirSync(folder), [])
      return names.filter((name) => SOURCE.test(name)).map((name) => join(folder, name))
    })
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const { watcher } of this.#folders.values()) watcher.close()
    this.#folders.clear()
  }

  /** Watches a folder and the folders in it. Returns the source files of new folders. */
  #watch(folder: string): string[] {
    const id = valueOr(() => readId(folder), null)
    if (id === null || id === this.#folders.get(folder)?.id) return []
    this.#forget(folder)
    const watcher = this.#open(folder)
    if (watcher === null) return []
    this.#folders.set(folder, { watcher, id })
    watcher.on('change', (_type, name) => this.#changed(folder, String(name)))
    // The folder was deleted.
    watcher.on('error', () => this.#forget(folder))
    const entries = valueOr(() => readdirSync(folder, { withFileTypes: true }), [])
    return entries.flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return this.#isIgnored(path) ? [] : this.#watch(path)
      return SOURCE.test(entry.name) ? [path] : []
    })
  }

  #open(folder: string): FSWatcher | null {
    try {
      if (this.#folders.size < this.#maxFolders) return watch(folder)
      this.#limit(`the project has more than ${this.#maxFolders} folders`)
    } catch (error) {
      // The system has a maximum too, such as `fs.inotify.max_user_watches`.
      /* c8 ignore next -- the folder was deleted in this moment */
      if (existsSync(folder)) this.#limit(readMessage(error))
    }
    return null
  }

  #limit(reason: string): void {
    if (!this.#isLimited) this.#listeners.onLimit(reason)
    this.#isLimited = true
  }

  #changed(folder: string, name: string): void {
    const path = join(folder, name)
    const isFolder = valueOr(() => statSync(path).isDirectory(), false)
    if (isFolder) {
      if (!this.#isIgnored(path)) for (const file of this.#watch(path)) this.#expect(file)
      return
    }
    this.#forget(path)
    if (SOURCE.test(name)) this.#expect(path)
  }

  /** Compares a file when no further event follows, because it may be empty or incomplete while it is written. */
  #expect(path: string): void {
    const now = performance.now()
    if (this.#pending.size === 0) this.#begin = now
    if (!this.#pending.has(path)) {
      if (this.#states.get(path) === readStamp(path)) return
      this.#pending.add(path)
      this.#listeners.onEvent()
    }
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#settle(), Math.min(QUIET_TIME, Math.max(0, this.#begin + MAX_TIME - now)))
  }

  #settle(): void {
    const saved = [...this.#pending].filter((path) => {
      const state = readStamp(path)
      const isNew = state !== this.#states.get(path)
      this.#states.set(path, state)
      return isNew
    })
    this.#pending.clear()
    this.#listeners.onSave(saved)
  }

  /** Forgets a folder that was removed or renamed, and the folders in it. */
  #forget(folder: string): void {
    if (!this.#folders.has(folder)) return
    for (const [path, { watcher }] of this.#folders) {
      if (path !== folder && !path.startsWith(folder + sep)) continue
      watcher.close()
      this.#folders.delete(path)
    }
  }

  #isIgnored(folder: string): boolean {
    return IGNORED.test(basename(folder)) && !this.#file.startsWith(folder + sep)
  }
}

/** Identifies a folder. Some file systems give the number of a removed folder to the next one, so it contains the time of creation. */
function readId(folder: string): string {
  const { ino, birthtimeMs } = statSync(folder)
  return `${ino} ${birthtimeMs}`
}

/** Returns the content of a file, or its digest; `null` if it does not exist. */
function readStamp(path: string): string | null {
  return valueOr(() => {
    const stats = statSync(path)
    if (!stats.isFile() || stats.size > MAX_READ_SIZE) return `${stats.size} ${stats.mtimeMs}`
    return createHash('sha256').update(readFileSync(path)).digest('base64')
  }, null)
}
