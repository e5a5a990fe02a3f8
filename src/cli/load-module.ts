/** Loads the module of a user and finds its app. The module is imported, and nothing is started. */
import { readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Server } from 'node:net'
import { basename, dirname, extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { RunningApp, type AppParts } from '../app/running-app.js'
import { foreignMark, formatCopyPlace } from '../errors/copies.js'
import { suggestion } from '../errors/known-keys.js'
import { isRecord, type UnknownRecord } from '../values/objects.js'
import { valueOr } from '../values/value-or.js'
import { CommandError, EXIT } from './command.js'
import { firstPlace, formatModuleError, ModuleError } from './module-error.js'
import { hasPermission } from './permission.js'
import { formatPlace } from '../prove/source-places.js'
import { watchSyntax } from './syntax-place.js'
import { wrapText, type Terminal } from './terminal.js'

/** Maximum time for loading a module, in ms. */
const LOAD_TIMEOUT = 30_000
const TYPESCRIPT = new Set(['.ts', '.mts', '.cts', '.tsx'])

export interface LoadedApp {
  readonly app: RunningApp<unknown, unknown>
  readonly parts: AppParts
}

/**
 * Imports a module and returns its app: the export `app`, or else the default export, or the result of such a function. Throws a
 * `ModuleError` if the module throws, and a `CommandError` if it exports no app. Ends the process if the module listens.
 */
export async function loadApp(module: string, terminal: Terminal): Promise<LoadedApp> {
  const path = resolve(module)
  checkFile(module, path)
  process.setSourceMapsEnabled(true)
  const stopGuards = guardLoading(module, terminal)
  const findSyntaxError = watchSyntax()
  try {
    await prepareTypeScript(module, path)
    return await findApp(module, await importModule(path))
  } catch (error) {
    /* c8 ignore next 2 -- V8 counts only functions after the debugger has been used */
    throw error instanceof CommandError ? error : new ModuleError(module, error, findSyntaxError())
  } finally {
    stopGuards()
  }
}

async function importModule(path: string): Promise<UnknownRecord> {
  /* c8 ignore next -- the test runner adds a branch around an import */
  return import(pathToFileURL(path).href)
}

/** Throws a `CommandError` if the file does not exist, with the name of a similar one. */
export function checkFile(module: string, path: string): void {
  const cannot = `Cannot load "${module}"`
  if (!hasPermission('fs.read', path)) {
    const fix = 'Add "--allow-fs-read=*", or run the command without "--permission"'
    throw new CommandError(`${cannot}: Node runs with "--permission" and may not read it. ${fix}`)
  }
  const state = valueOr(() => statSync(path), null)
  if (state?.isFile() === true) return
  if (state !== null) throw new CommandError(`${cannot}: it is not a file. Name the module that exports the app`)
  const files = valueOr(() => readdirSync(dirname(path)), [])
  const name = basename(path)
  const sibling = files.find((file) => name === basename(file, extname(file)) && extname(file) !== '')
  const help = sibling === undefined ? suggestion(name, files) : ` Did you mean "${sibling}"?`
  throw new CommandError(`${cannot}: the file does not exist.${help}`)
}

/** Loads tsx of the user's project, if it is installed. */
async function prepareTypeScript(module: string, path: string): Promise<void> {
  const tsx = findTypeScriptLoader(module, path)
  /* c8 ignore next -- as above */
  if (tsx !== null) await import(tsx)
}

/**
 * Returns the URL of the user's tsx for a TypeScript file. Returns `null` if the file is JavaScript, or if Node can strip the types.
 * Throws a `CommandError` if neither is possible.
 */
export function findTypeScriptLoader(module: string, path: string): string | null {
  if (!TYPESCRIPT.has(extname(path))) return null
  const tsx = valueOr(() => createRequire(path).resolve('tsx'), null)
  if (tsx !== null) return pathToFileURL(tsx).href
  /* c8 ignore next -- Node 20 does not load TypeScript */
  if (Reflect.get(process.features, 'typescript')) return null
  const fix = 'Install it with "npm install --save-dev tsx", use Node 22.18 or later, or name a compiled module'
  throw new CommandError(`Cannot load "${module}": it is TypeScript, and the project has no "tsx". ${fix}`)
}

/** Ends the process with a message if the module listens, ends the process itself, or is never loaded. Returns how to stop this. */
function guardLoading(module: string, terminal: Terminal): () => void {
  const end = (message: string): never => {
    process.off('exit', onExit)
    terminal.warn(message)
    process.exit(EXIT.failed)
  }
  const endWith = (why: string): never => end(wrapText(`Cannot load "${module}": ${why}`, terminal))
  const onExit = (code: number): never => endWith(`it ended the process with exit code ${code}`)
  const onIdle = (): never => endWith('a top-level "await" never settles')
  const timer = setTimeout(() => endWith(`it is not loaded after ${LOAD_TIMEOUT / 1000} s`), LOAD_TIMEOUT)
  timer.unref()
  process.on('exit', onExit)
  process.on('beforeExit', onIdle)
  process.on('uncaughtException', (error) => end(formatModuleError(new ModuleError(module, error), terminal)))
  const rejectListening = function listen(): never {
    const place = firstPlace(new Error('listens'))
    const where = place === null ? '' : ` (${formatPlace(place)})`
    return endWith(
      `it listens by itself${where}. Export the app from a module that does not listen, and import it where you call "listen"`,
    )
  }
  Object.defineProperty(RunningApp.prototype, 'listen', { value: rejectListening })
  Object.defineProperty(Server.prototype, 'listen', { value: rejectListening })
  return () => {
    clearTimeout(timer)
    process.off('exit', onExit)
    process.off('beforeExit', onIdle)
  }
}

async function findApp(module: string, exported: UnknownRecord): Promise<LoadedApp> {
  const { name, value } = chooseExport(module, exported)
  const app: unknown = await (typeof value === 'function' ? value() : value)
  const parts = RunningApp.partsOf(app)
  if (parts !== undefined && app instanceof RunningApp) return { app, parts }
  const subject = `Cannot load "${module}": its export "${name}"`
  if (isRecord(app) && typeof app['openapi'] === 'function') {
    const { folder = 'an unknown folder' } = foreignMark(app) ?? {}
    const state = `${subject} is an app of another copy of Verbena, ${formatCopyPlace(folder)}`
    const fix = 'Run the command of the project, "npx verbena". In a bundle, mark "verbena" as external'
    throw new CommandError(`${state}. ${fix}`)
  }
  const state = typeof value === 'function' ? 'returns no app' : 'is not an app'
  const fix = 'Export the result of "createApp", or a function without parameters that returns it'
  throw new CommandError(`${subject} ${state}. ${fix}`)
}

function chooseExport(module: string, exported: UnknownRecord): { readonly name: string; readonly value: unknown } {
  // Node's `default` of a CommonJS module is its `module.exports`.
  const inner = isRecord(exported['default']) ? exported['default'] : {}
  const app = exported['app'] ?? inner['app']
  if (app !== undefined) return { name: 'app', value: app }
  const value = inner['default'] ?? exported['default']
  if (value !== undefined) return { name: 'default', value }
  const names = Object.keys(exported)
  const state = names.length === 0 ? 'it exports nothing' : `it exports ${names.join(', ')}, but no app`
  throw new CommandError(`Cannot load "${module}": ${state}. Export the app as "app" or as default`)
}
