/** Descriptions of errors that a user's module has thrown: a line for the error and its place, without the stack of Node. */
import { fileURLToPath } from 'node:url'
import { valueOr } from '../values/value-or.js'
import { PERMISSION_DENIED } from './permission.js'
import { formatPlace, showPath, type SourcePlace } from '../prove/source-places.js'
import { wrapText, type Terminal } from './terminal.js'

interface ErrorDescription {
  /** Code of a setup error, or name of any other error. */
  readonly code: string
  readonly message: string
  /** `null` if the error does not name a file of the project. */
  readonly place: SourcePlace | null
  /** How to fix it, if the message does not say so; otherwise empty. */
  readonly fix: string
}

/** An error that a module has thrown while it was loaded. */
export class ModuleError extends Error {
  readonly thrown: unknown
  /** Place of a syntax error; `null` for any other error. */
  readonly syntaxPlace: SourcePlace | null

  constructor(module: string, thrown: unknown, syntaxPlace: SourcePlace | null = null) {
    super(`Cannot load "${module}"`)
    this.thrown = thrown
    this.syntaxPlace = syntaxPlace
  }
}

/** Formats a module's error: what failed, where, and how to fix it. */
export function formatModuleError(error: ModuleError, terminal: Terminal): string {
  const { code, message, place, fix } = describeModuleError(error.thrown)
  const knownPlace = place ?? error.syntaxPlace
  const title = `${error.message}: ${code}${knownPlace === null ? '' : ` (${formatPlace(knownPlace)})`}`
  return [title, ...[message, fix].filter((text) => text !== '').map((text) => wrapText(text, terminal, '  '))].join(
    '\n',
  )
}

/** Describes an error and its causes. */
export function describeModuleError(thrown: unknown): ErrorDescription {
  if (!(thrown instanceof Error)) {
    return { code: 'Error', message: `it threw ${String(thrown)}, which is not an Error`, place: null, fix: '' }
  }
  const code = Reflect.get(thrown, 'code')
  const name = typeof code === 'string' ? code : thrown.name
  return { code: name, message: joinMessages(thrown), place: firstPlace(thrown), fix: findModuleFix(thrown) }
}

function joinMessages(error: Error): string {
  const { cause } = error
  const message = firstLines(error.message)
  return cause instanceof Error ? `${message}\nCause: ${cause.name}: ${joinMessages(cause)}` : message
}

/** Messages of compilers contain an excerpt of the code. */
const MAX_MESSAGE_LINES = 4

function firstLines(message: string): string {
  return message
    .replaceAll(process.cwd() + '/', '')
    .split('\n')
    .slice(0, MAX_MESSAGE_LINES)
    .join('\n')
    .trim()
}

/** Error of Node, whose `permission` is a name such as `FileSystemRead`. */
interface NodeError extends Error {
  readonly code?: unknown
  readonly permission?: unknown
}

/** Fixes for errors of Node's TypeScript support and permission model. */
function findModuleFix({ code, message, permission }: NodeError): string {
  const usesTypes = code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX' || code === 'ERR_INVALID_TYPESCRIPT_SYNTAX'
  const hasDecorator = message === 'Invalid or unexpected token'
  if (usesTypes || hasDecorator) {
    return 'Node can remove types, but not compile decorators and enums. Install "tsx" in the project for them'
  }
  if (code === 'ERR_MODULE_NOT_FOUND' && message.includes(".js' imported from ") && /\.[cm]?tsx?$/.test(message)) {
    return 'Node does not look for a ".ts" file in place of ".js". Install "tsx" in the project, or import the ".ts" file'
  }
  if (code === PERMISSION_DENIED) {
    const fix =
      'Run the command without it, or allow this access. tsx needs several permissions; a compiled module only'
    return `Node runs with "--permission", which denies ${permission}. ${fix} "--allow-fs-read"`
  }
  return ''
}

/** Returns the first place in a stack that is in a file of the project; syntax errors name their place before the stack. */
export function firstPlace(error: Error): SourcePlace | null {
  const text = `${error.stack ?? ''}\n${error.message}`
  for (const line of text.split('\n')) {
    const place = parsePlace(line)
    if (place !== null) return place
  }
  return null
}

/** Parses the place in a line such as `    at get (file:///app.ts:3:5)`, `/app.ts:3` or `/app.ts:3:5: ERROR: …`. */
function parsePlace(text: string): SourcePlace | null {
  const [, where = '', line] =
    /^(?:\s+at (?:[^(]*\()?)?((?:file:\/\/)?\/[^:]*):(\d+)(?::\d+)?(?:\)|:.*)?$/.exec(text) ?? []
  if (where === '' || where.includes('/node_modules/') || where.includes(OWN_FOLDER)) return null
  const path = where.startsWith('file:') ? valueOr(() => fileURLToPath(where), where) : where
  return { file: showPath(path), line: Number(line) }
}

const OWN_FOLDER = fileURLToPath(new URL('.', import.meta.url))
