/** Watches the source files of a project, folder by folder: Node 20 on Linux would also watch all files of `node_modules`. */
import { existsSync, readdirSync, statSync, watch, type FSWatcher } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { valueOr } from '../../values/quietly.js'

const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx|json)$|^\.env(?:\.|$)/
/** Folders with packages, results of tools, or hidden files. */
const IGNORED = /^(?:node_modules|dist|coverage|\..+)$/
/** Maximum number of watched folders. */
const MAX_FOLDERS = 5_000

/** Returns the nearest folder above a file that has a `package.json`; otherwise the folder of the file. */
export function findRoot(file: string): string {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder
    if (folder === dirname(folder)) return dirname(file)
  }
}

export class FileWatcher {
  /** Path of the started file. The folders above it are never ignored. */
  readonly #file: string
  readonly #onChange: (file: string) => void
  readonly #watchers = new Map<string, FSWatcher>()

  /** Watches the folders of a project. Calls `onChange` with a path for each event of a source file. */
  constructor(root: string, file: string, onChange: (file: string) => void) {
    this.#file = file
    this.#onChange = onChange
    this.#watch(root)
  }

  /** Returns the paths of all source files. */
  findFiles(): string[] {
    return [...this.#watchers.keys()].flatMap((folder) => {
      const names = valueOr(() => readdirSync(folder), [])
      return names.filter((name) => SOURCE.test(name)).map((name) => join(folder, name))
    })
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
  }

  /** Watches a folder and the folders in it. Returns whether they contain a source file. */
  #watch(folder: string): boolean {
    if (this.#watchers.has(folder) || this.#watchers.size >= MAX_FOLDERS) return false
    const watcher = valueOr(() => watch(folder), null)
    /* c8 ignore next -- the folder was deleted in this moment */
    if (watcher === null) return false
    this.#watchers.set(folder, watcher)
    watcher.on('change', (_type, name) => this.#changed(folder, String(name)))
    // The folder was deleted.
    watcher.on('error', () => this.#forget(folder))
    const entries = valueOr(() => readdirSync(folder, { withFileTypes: true }), [])
    const found = entries.map((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? !this.#isIgnored(path) && this.#watch(path) : SOURCE.test(entry.name)
    })
    return found.includes(true)
  }

  #changed(folder: string, name: string): void {
    const path = join(folder, name)
    const isFolder = valueOr(() => statSync(path).isDirectory(), false)
    if (!isFolder) {
      this.#forget(path)
      if (SOURCE.test(name)) this.#onChange(path)
    } else if (!this.#isIgnored(path) && this.#watch(path)) this.#onChange(path)
  }

  #forget(folder: string): void {
    this.#watchers.get(folder)?.close()
    this.#watchers.delete(folder)
  }

  #isIgnored(folder: string): boolean {
    return IGNORED.test(basename(folder)) && !this.#file.startsWith(folder + sep)
  }
}
