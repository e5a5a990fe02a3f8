/**
 * Other copies of Verbena in the process: another version, a linked package, a bundle with Verbena in it, or modules that a test has reset.
 * Verbena recognizes their values only for messages, and for HTTP errors.
 */
import { isObjectOrFunction, isRecord } from '../values/objects.js'
import { valueOr } from '../values/value-or.js'

/** Shared by all copies and versions, so neither the symbol nor the members of a mark may change. */
const MARK = Symbol.for('verbena.mark')

/** Kind of an `HttpError`. */
export const HTTP_ERROR = 'an HttpError'
/** Version of the members of an `HttpError`. */
export const MARK_VERSION = 1

/** Value of the mark of a class or function. */
interface CopyMark {
  /** Kind of the value, such as `a provider`. */
  readonly kind: string
  /** Version of the members of an `HttpError`, which other copies read. */
  readonly version: number
  /** Folder of the copy. */
  readonly folder: string
}

const ownMarks = new WeakSet<object>()

/** Marks a class, a prototype or a function, so that other copies recognize its subclasses and instances. */
export function markCopy(owner: object, kind: string): void {
  const mark = {
    kind,
    version: MARK_VERSION,
    get folder() {
      return copyFolder()
    },
  }
  ownMarks.add(mark)
  Object.defineProperty(owner, MARK, { value: mark })
}

/** Returns the mark of a value of another copy. Returns `undefined` for every other value, also if reading it throws. */
export function foreignMark(value: unknown): CopyMark | undefined {
  return valueOr(() => {
    const mark = isObjectOrFunction(value) ? Reflect.get(value, MARK) : undefined
    if (!isRecord(mark) || ownMarks.has(mark)) return undefined
    const { kind, version, folder } = mark
    const isMark = typeof kind === 'string' && typeof version === 'number' && typeof folder === 'string'
    return isMark ? { kind, version, folder } : undefined
  }, undefined)
}

const ONE_COPY =
  'Use one copy: "npm ls verbena" lists all that are installed, a bundle needs "verbena" as an external module, and tests must not reset modules'

/** Describes a value of another copy with both folders, to follow "it is"; `undefined` for every other value. */
export function describeForeign(value: unknown): string | undefined {
  const mark = foreignMark(value)
  if (mark === undefined) return undefined
  const { kind, folder } = mark
  return `${kind} of another copy of Verbena, ${formatCopyPlace(folder)}. ${ONE_COPY}`
}

/** Formats the folder of another copy. With a source map, the stack of a bundle names the files of this copy. */
export function formatCopyPlace(folder: string): string {
  const ownFolder = copyFolder()
  return folder === ownFolder ? 'in a bundle' : `in "${folder}" instead of "${ownFolder}"`
}

/** Reads the stack, because `import.meta` is a syntax error if a tool compiles this module to CommonJS. */
export function copyFolder(): string {
  const [, line = ''] = valueOr(() => String(new Error('place').stack), '').split('\n')
  const [, path = 'an unknown folder'] = /^ *at (?:\S+ \()?(?:file:\/\/)?(.+)[/\\][^/\\]+:\d+:\d+\)?$/.exec(line) ?? []
  return valueOr(() => decodeURI(path), path)
}
