/** Places of functions and classes in source files. */
import { existsSync } from 'node:fs'
import { Session } from 'node:inspector'
import { findSourceMap } from 'node:module'
import { isAbsolute, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isRecord, ownList, type UnknownRecord } from '../values/objects.js'
import { valueOr } from '../values/value-or.js'

/** A place in a file. */
export interface SourcePlace {
  /** Path from the current folder, or absolute if the file is elsewhere. */
  readonly file: string
  readonly line: number
}

/** Position in a script, from 0. */
interface InspectorPosition {
  readonly line: number
  readonly column: number
}

/** Finds the place of a function or class; `null` if it is unknown. */
type Places = (location: unknown) => SourcePlace | null

/**
 * Returns the places of functions and classes in their source, by source maps if there are any. V8 reports them only to debuggers.
 * Functions of Node have no place, and none has one if the process has no permission for the inspector.
 */
export function findPlaces(functions: readonly unknown[]): Places {
  // Without functions, no debugger is used, so V8 still counts the covered blocks of the process.
  if (functions.length === 0) return () => null
  const places = valueOr(() => readPlaces(functions), new Map<unknown, SourcePlace>())
  return (location) => places.get(location) ?? null
}

/** Name of the global variable through which the inspector gets the functions. */
const HANDLE = 'verbena.places'

function readPlaces(functions: readonly unknown[]): ReadonlyMap<unknown, SourcePlace> {
  const session = new Session()
  session.connect()
  const urls = new Map<unknown, string>()
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => urls.set(scriptId, url))
  session.post('Debugger.enable')
  Reflect.set(globalThis, HANDLE, functions)
  try {
    const list = readRecord(post(session, 'Runtime.evaluate', { expression: `globalThis['${HANDLE}']` }), 'result')
    const members = ownList(readProperties(session, list), 'result').filter(isRecord)
    const places = new Map<unknown, SourcePlace>()
    for (const member of members) {
      const { scriptId, lineNumber, columnNumber } = findLocation(session, readRecord(member, 'value'))
      const url = urls.get(scriptId)
      if (url === undefined || !url.startsWith('file:')) continue
      const location: unknown = functions[Number(member['name'])]
      const position = { line: Number(lineNumber), column: Number(columnNumber) }
      const isClass = String(location).startsWith('class')
      const start = isClass ? findStart(String(location), readScript(session, scriptId), position) : position
      places.set(location, toPlace(url, start))
    }
    return places
  } finally {
    Reflect.deleteProperty(globalThis, HANDLE)
    session.disconnect()
  }
}

/** Sends a command. Node answers before `post` returns. */
function post(session: Session, method: string, params: object): UnknownRecord {
  let result: UnknownRecord = {}
  session.post(method, params, (_: unknown, response: unknown) => {
    if (isRecord(response)) result = response
  })
  return result
}

export function readScript(session: Session, scriptId: unknown): string {
  return String(post(session, 'Debugger.getScriptSource', { scriptId })['scriptSource'])
}

function readProperties(session: Session, { objectId }: UnknownRecord): UnknownRecord {
  return post(session, 'Runtime.getProperties', { objectId, ownProperties: true })
}

function findLocation(session: Session, value: UnknownRecord): UnknownRecord {
  const internal = ownList(readProperties(session, value), 'internalProperties').filter(isRecord)
  const location = { ...internal.find(({ name }) => name === '[[FunctionLocation]]') }
  return readRecord(readRecord(location, 'value'), 'value')
}

function readRecord(record: UnknownRecord, key: string): UnknownRecord {
  const value = record[key]
  return isRecord(value) ? value : {}
}

/** Returns the beginning of a class, which contains the position. V8 reports the position of its constructor. */
function findStart(source: string, script: string, { line, column }: InspectorPosition): InspectorPosition {
  const lines = script.split('\n').slice(0, line)
  const start = script.lastIndexOf(
    source,
    lines.reduce((sum, { length }) => sum + length + 1, column),
  )
  const above = script.slice(0, start)
  return { line: above.split('\n').length - 1, column: start - above.lastIndexOf('\n') - 1 }
}

/** Source of webpack and Rspack: the name of the package, and the path from its folder. Node removes the `@` of a scope. */
const WEBPACK = /^webpack:\/\/[^/]*\/(([^/?]+\/?)[^?]*)/

/** Returns the URLs of files to which a source of webpack may refer: of `src/app.ts` for `webpack://my-api/./src/app.ts`. */
function findWebpackSources(source: string): string[] {
  const [, path = '', scoped = ''] = WEBPACK.exec(source) ?? []
  return [path, path.slice(scoped.length)].filter(existsSync).map((name) => pathToFileURL(name).href)
}

function toPlace(url: string, { line, column }: InspectorPosition): SourcePlace {
  const { originalSource = url, originalLine = line } = Object(findSourceMap(url)?.findEntry(line, column))
  const [source] = [...findWebpackSources(originalSource), originalSource]
  // The source map of a bundler may contain a URL without a file.
  const place = valueOr(() => ({ path: fileURLToPath(new URL(source, url)), at: Number(originalLine) }), {
    path: fileURLToPath(url),
    at: line,
  })
  return { file: showPath(place.path), line: place.at + 1 }
}

/** Shortens a path to one from the current folder, unless it is elsewhere. */
export function showPath(path: string): string {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') || isAbsolute(short) ? path : short
}

/** Place as members of a JSON object, which are `null` if it is unknown. */
export type PlaceMembers = SourcePlace | { readonly file: null; readonly line: null }

const UNKNOWN_PLACE: PlaceMembers = { file: null, line: null }

/** Returns only the members of a place, which are `null` if it is unknown. */
export function placeMembers(place: PlaceMembers | null | undefined): PlaceMembers {
  if (!place || place.file === null) return UNKNOWN_PLACE
  return { file: place.file, line: place.line }
}

/** Formats a place for a table: `src/app.ts:12`, or `verbena:core.js:12` in a package. */
export function formatPlace(place: PlaceMembers | null): string {
  const { file, line } = placeMembers(place)
  return file === null ? '-' : `${packagePath(file)}:${line}`
}

function packagePath(file: string): string {
  const at = file.lastIndexOf(IN_PACKAGES)
  const [name = '', ...rest] = file.slice(at + IN_PACKAGES.length).split('/')
  if (at < 0 || rest.length === 0) return file
  return `${name}:${rest.slice(rest[0] === 'dist' ? 1 : 0).join('/')}`
}

const IN_PACKAGES = 'node_modules/'
