/** Finds all files of a project that a name in an import can mean. */
import { basename, dirname, join, relative, resolve } from 'node:path'
import { isRecord } from '../../values/objects.js'
import { valueOr } from '../../values/value-or.js'

const EXTENSION = /\.(?:[cm]?[jt]s|[jt]sx|json)$/
/** Settings of a compiler that change the meaning of names. */
const ALIASES = /"(?:paths|baseUrl|rootDirs)"/

/** An entry of `imports` in a package.json. */
interface Alias {
  readonly prefix: string
  /** Part after `*`; `null` for a name without it. */
  readonly suffix: string | null
  /** Paths of all conditions. */
  readonly targets: readonly string[]
}

export class ModuleNames {
  readonly #root: string
  readonly #files: readonly string[]
  readonly #byKey = new Map<string, string[]>()
  readonly #folders = new Set<string>()
  readonly #aliases: Alias[] = []

  constructor(root: string, files: readonly string[]) {
    this.#root = root
    this.#files = files
    for (const path of files) {
      const key = toKey(path)
      this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), path])
      for (let folder = dirname(path); folder.length > root.length; folder = dirname(folder)) this.#folders.add(folder)
    }
  }

  /** Reads a package.json, or settings of a compiler. Returns `false` if names can have any meaning. */
  readSettings(path: string, text: string): boolean {
    const folder = dirname(path)
    if (basename(path) !== 'package.json') {
      const isOutside = (name: string): boolean =>
        name.startsWith('..') && relative(this.#root, resolve(folder, name)).startsWith('..')
      return !ALIASES.test(text) && !text.split('"').some(isOutside)
    }
    const manifest = valueOr<unknown>(() => JSON.parse(text), null)
    if (!isRecord(manifest)) return false
    const { name, exports, imports } = manifest
    // Other modules can import the package by its name.
    if (name !== undefined && (exports !== undefined || folder !== this.#root)) return false
    for (const [key, value] of Object.entries(Object(imports))) {
      const [prefix = '', suffix = null] = key.split('*')
      this.#aliases.push({ prefix, suffix, targets: listStrings(value).map((target) => resolve(folder, target)) })
    }
    return true
  }

  find(importer: string, name: string): string[] {
    if (!/[./#]/.test(name)) return []
    if (name.startsWith('#')) return this.#expand(name).flatMap((path) => this.#findPath(path))
    const [path = ''] = name.split(/[?#]/)
    const target = /^\.{1,2}$/.test(path) ? join(path, 'index') : path
    return [dirname(importer), this.#root].flatMap((base) => this.#findPath(resolve(base, target)))
  }

  #expand(name: string): string[] {
    return this.#aliases.flatMap(({ prefix, suffix, targets }) => {
      if (suffix === null) return name === prefix ? targets : []
      if (!name.startsWith(prefix) || !name.endsWith(suffix)) return []
      return targets.map((target) => target.replaceAll('*', name.slice(prefix.length, name.length - suffix.length)))
    })
  }

  #findPath(path: string): readonly string[] {
    if (this.#folders.has(path)) return this.#files.filter((file) => file.startsWith(join(path, '/')))
    return this.#byKey.get(toKey(path)) ?? []
  }
}

/** Some file systems ignore case. */
function toKey(path: string): string {
  return path.replace(EXTENSION, '').toLowerCase()
}

function listStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return Object.values(Object(value)).flatMap(listStrings)
}
