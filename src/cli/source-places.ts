/** Places of functions and classes in source files. */
import { Session } from 'node:inspector'
import { findSourceMap } from 'node:module'
import { isAbsolute, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isRecord, ownList, ownValue, type UnknownRecord } from '../values/objects.js'
import { valueOr } from '../values/quietly.js'

/** A place in a file. */
export interface SourcePlace {
  /** Path from the current folder, or absolute if the file is elsewhere. */
  readonly file: string
  readonly line: number
}

/** Position in a script, from 0. */
interface Position {
  readonly line: number
  readonly column: number
}

interface Script {
  readonly url: string
  readonly text: string
}

/** Name of the global variable through which the debugger gets the functions. */
const HANDLE = Symbol.for('verbena.places')

/**
 * Returns the places of functions and classes in their source, by source maps if there are any. V8 reports them only to debuggers. The
 * place is `null` for functions of Node, and for all functions if the process has no permission for the inspector.
 */
export function findPlaces(functions: readonly unknown[]): (SourcePlace | null)[] {
  return valueOr(
    () => readPlaces(functions),
    functions.map(() => null),
  )
}

function readPlaces(functions: readonly unknown[]): (SourcePlace | null)[] {
  const session = new Session()
  session.connect()
  Reflect.set(globalThis, HANDLE, functions)
  try {
    const urls = readScripts(session)
    const list = ownValue(post(session, 'Runtime.evaluate', { expression: EXPRESSION }), 'result')
    const members = ownList(properties(session, list), 'result').filter(isRecord)
    const scripts = new Map<string, Script>()
    return functions.map((each, at) => {
      const value = members.find(({ name }) => name === String(at))?.['value']
      const { scriptId, lineNumber, columnNumber } = findLocation(session, value)
      const url = urls.get(String(scriptId))
      if (url === undefined || !url.startsWith('file:')) return null
      const script = scripts.get(url) ?? { url, text: readScript(session, scriptId) }
      scripts.set(url, script)
      return toPlace(url, findStart(each, script, { line: Number(lineNumber), column: Number(columnNumber) }))
    })
  } finally {
    Reflect.deleteProperty(globalThis, HANDLE)
    session.disconnect()
  }
}

const EXPRESSION = `globalThis[Symbol.for('${HANDLE.description}')]`

/** Sends a command. Node answers before `post` returns. */
function post(session: Session, method: string, params: object): UnknownRecord {
  let result: UnknownRecord = {}
  session.post(method, params, (_: unknown, answer: unknown) => {
    if (isRecord(answer)) result = answer
  })
  return result
}

/** Returns the URL of each script by its id. */
function readScripts(session: Session): Map<string, string> {
  const urls = new Map<string, string>()
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => urls.set(scriptId, url))
  post(session, 'Debugger.enable', {})
  return urls
}

export function readScript(session: Session, scriptId: unknown): string {
  return String(ownValue(post(session, 'Debugger.getScriptSource', { scriptId }), 'scriptSource'))
}

function properties(session: Session, value: unknown): UnknownRecord {
  const objectId = isRecord(value) ? value['objectId'] : undefined
  return post(session, 'Runtime.getProperties', { objectId, ownProperties: true })
}

function findLocation(session: Session, value: unknown): UnknownRecord {
  const internal = ownList(properties(session, value), 'internalProperties').filter(isRecord)
  const location = internal.find(({ name }) => name === '[[FunctionLocation]]')?.['value']
  const found = isRecord(location) ? location['value'] : undefined
  return isRecord(found) ? found : {}
}

/** Returns the beginning of a class. V8 reports the position of its constructor. */
function findStart(value: unknown, { text }: Script, position: Position): Position {
  const source = String(value)
  if (!source.startsWith('class')) return position
  const lines = text.split('\n')
  const before = lines.slice(0, position.line).reduce((sum, line) => sum + line.length + 1, 0)
  const start = text.lastIndexOf(source, before + position.column)
  if (start < 0) return position
  const above = text.slice(0, start).split('\n')
  return { line: above.length - 1, column: above.at(-1)?.length ?? 0 }
}

function toPlace(url: string, { line, column }: Position): SourcePlace {
  const path = fileURLToPath(url)
  const entry = (findSourceMap(url) ?? findSourceMap(path))?.findEntry(line, column)
  const original = entry !== undefined && 'originalSource' in entry ? entry : undefined
  if (original === undefined) return { file: showPath(path), line: line + 1 }
  return { file: showPath(sourcePath(path, original.originalSource)), line: original.originalLine + 1 }
}

/** Returns the path of a source in a source map, which may be a URL, an absolute path, or a path from the compiled file. */
function sourcePath(path: string, source: string): string {
  if (source.startsWith('file:')) return fileURLToPath(source)
  return isAbsolute(source) ? source : join(path, '..', source)
}

/** Shortens a path to one from the current folder, unless it is elsewhere. */
export function showPath(path: string): string {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') || isAbsolute(short) ? path : short
}

/** Formats a place for a table: `src/app.ts:12`, or `verbena:core.js:12` in a package. */
export function formatPlace(place: SourcePlace | null): string {
  return place === null ? '-' : `${packagePath(place.file)}:${place.line}`
}

function packagePath(file: string): string {
  const at = file.lastIndexOf(IN_PACKAGES)
  const [name = '', ...rest] = file.slice(at + IN_PACKAGES.length).split('/')
  if (at < 0 || rest.length === 0) return file
  return `${name}:${rest.slice(rest[0] === 'dist' ? 1 : 0).join('/')}`
}

const IN_PACKAGES = 'node_modules/'
