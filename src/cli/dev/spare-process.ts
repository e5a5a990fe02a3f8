/**
 * A process that waits for the next save. Node, the loader of TypeScript, Verbena and the validation library are loaded in it, so the
 * restart only loads the modules of the app. It has the command line of every other process of the app.
 */
import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { valueOr } from '../../values/value-or.js'
import { VALIDATORS } from '../new/validators.js'
import { AppProcess, programUrl, type Program } from './app-process.js'
import type { LoadedModule, ToParent } from './message-types.js'

/** Time after a restart before the process is made, in ms, so that it does not delay the first requests. */
const REST_TIME = 500
/** Packages that are loaded, if the app has loaded them: Verbena, and the supported validation libraries. */
const WARM = ['verbena', ...[...VALIDATORS.values()].flatMap(({ dependencies }) => Object.keys(dependencies))]
/** A module that compiles all schemas that are created later, so only the app may load it. */
const COMPILER = /\/compile\.c?js$/
/** Files that a process reads before the source: packages, settings of compilers, and variables. */
const SETTINGS =
  /^(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|\.pnp\.cjs|tsconfig.*\.json|\.env.*|node_modules)$/
const PACKAGES = '/node_modules/'
/** Saved files that a process has not loaded before its start. */
const CODE = /\.(?:[cm]?[jt]s|[jt]sx)$/
/** `dist` of the package, or `src`. */
const OWN_FOLDER = new URL('.', programUrl('../../', './')).href
/** Each process loads this file first. */
const PRELOAD = /\/(?:preload\.ts|cli-dev\.js)$/

export interface SpareOptions {
  /** Further packages that are loaded. */
  readonly warm: readonly string[]
  /** Folders whose settings apply, and the folders above them. */
  readonly folders: readonly string[]
  /** Further files that apply, such as files of variables. */
  readonly files: readonly string[]
}

export class SpareProcess {
  readonly #program: Program
  readonly #onMessage: (message: ToParent, from: AppProcess) => void
  readonly #packages: readonly string[]
  readonly #options: SpareOptions
  /** Modules to load; `null` until an app has listed its modules. */
  #modules: readonly LoadedModule[] | null = null
  #app: AppProcess | null = null
  #isReady = false
  /** State of the files that the process has read. */
  #state = ''
  #timer: NodeJS.Timeout | undefined

  constructor(program: Program, options: SpareOptions, onMessage: (message: ToParent, from: AppProcess) => void) {
    this.#program = { ...program, options: [...program.options.slice(0, -1), `${program.options.at(-1)}?spare`] }
    this.#options = options
    this.#onMessage = onMessage
    this.#packages = [...WARM, ...options.warm]
  }

  /** Makes the process after some time. `app` lists the modules to load, if they are not known. */
  prepare(app: AppProcess | null): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      if (this.#modules === null) app?.send({ verbena: 'list' })
      else if (this.#app === null) this.#open(this.#modules)
    }, REST_TIME)
  }

  list(modules: readonly LoadedModule[]): void {
    this.#modules = modules.filter(({ url }) => this.#isWarm(url))
    this.#open(this.#modules)
  }

  #open(modules: readonly LoadedModule[]): void {
    this.#state = this.#readState(modules)
    const app = new AppProcess(this.#program, this.#onMessage)
    app.send({ verbena: 'load', modules })
    this.#app = app
    void app.ended.then(() => this.#ended(app))
  }

  #ended(app: AppProcess): void {
    if (this.#app === app) this.#forget()
  }

  /** Called when a process has loaded its modules. Returns whether it is the spare process, which now waits. */
  ready(app: AppProcess): boolean {
    this.#isReady = app === this.#app
    return this.#isReady
  }

  /** Returns the process if it is ready, and if nothing that it has read has changed. Otherwise ends it. */
  take(files: readonly string[]): AppProcess | null {
    clearTimeout(this.#timer)
    const app = this.#app
    const isCurrent = this.#modules !== null && this.#readState(this.#modules) === this.#state
    // The new code may load other packages.
    if (!isCurrent) this.#modules = null
    if (this.#isReady && isCurrent && files.every((file) => CODE.test(file))) {
      this.#forget()
      app?.send({ verbena: 'start' })
      return app
    }
    this.close()
    return null
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#app?.kill()
    this.#forget()
  }

  #forget(): void {
    this.#app = null
    this.#isReady = false
  }

  #isWarm(url: string): boolean {
    if (url.startsWith(OWN_FOLDER)) return !PRELOAD.test(url)
    // The last of these folders contains the package, also with pnpm.
    const inPackage = url.slice(url.lastIndexOf(PACKAGES))
    const isKnown = this.#packages.some((name) => inPackage.startsWith(`${PACKAGES}${name}/`))
    return isKnown && !COMPILER.test(url)
  }

  #readState(modules: readonly LoadedModule[]): string {
    const settings = [...listFolders(this.#options.folders)].flatMap((folder) => {
      const names = valueOr(() => readdirSync(folder), [])
      return names.filter((name) => SETTINGS.test(name)).map((name) => join(folder, name))
    })
    const files = modules.map(({ url }) => fileURLToPath(url))
    return [...settings, ...this.#options.files, ...files].map(readFileState).join('\n')
  }
}

function listFolders(folders: readonly string[]): Set<string> {
  const all = new Set<string>()
  for (const folder of folders) {
    for (let each = folder; !all.has(each); each = dirname(each)) all.add(each)
  }
  return all
}

function readFileState(path: string): string {
  const stats = valueOr(() => statSync(path), null)
  return `${path} ${stats?.ino} ${stats?.size} ${stats?.mtimeMs}`
}
