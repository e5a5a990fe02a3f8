/** `breaking`: what of a new document breaks the clients of an old one. */
import { checkKeys } from '../../errors/known-keys.js'
import { isRecord, ownValue } from '../../values/objects.js'
import type { Change } from './finding.js'
import { OperationComparison } from './operations.js'
import { child, member, members, rootPlace, type DocumentPlace } from './place.js'
import { SchemaComparison } from './schemas.js'

/** Something that breaks clients. */
export interface BreakingChange extends Change {
  /** Method of the operation, upper case. */
  readonly method: string
  /** Path of the operation, as the old document has it. */
  readonly path: string
}

/** Options of `breaking`. */
export interface BreakingOptions {
  /** Time of the comparison; default: the current time. An operation that is removed after its `x-sunset` breaks nothing. */
  readonly now?: Date | number | string
}

/** The methods of a path (OpenAPI 3.1.1 section 4.8.9). */
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/**
 * Compares two OpenAPI 3.1 documents and names each change that breaks clients of the first: what a request may no longer hold, what it
 * must hold now, and what a response may hold that clients do not know. What documents call their components makes no difference. What
 * was deprecated may go, and an operation with an `x-sunset` may go after that time.
 *
 * The rules are those that oasdiff publishes. Unlike there, members and parameters that go are always breaking, and so are limits that are
 * new.
 *
 * @param before what clients know, such as the document of the last release
 * @param after what they meet
 * @param options the time of the comparison
 * @returns the changes, by operation in the order of `before`; none where nothing breaks
 * @throws TypeError when one is no OpenAPI 3.1 document, or has a reference that leads to nothing; or for an invalid option
 *
 * @example
 * ```ts
 * import { breaking } from 'verbena/openapi'
 *
 * const user = { type: 'object', properties: { name: { type: 'string' } } }
 * const documentOf = (schema: object) => ({
 *   openapi: '3.1.1',
 *   paths: { '/users': { post: { requestBody: { content: { 'application/json': { schema } } } } } },
 * })
 * const released = documentOf(user)
 * const current = documentOf({ ...user, required: ['name'] })
 *
 * const [change] = breaking(released, current)
 * change?.rule // => 'request-property-became-required'
 * change?.message // => 'POST /users: "/name" of the request body is required now'
 * breaking(current, released) // => []
 * ```
 */
export function breaking(before: object, after: object, options: BreakingOptions = {}): BreakingChange[] {
  const now = parseNow(options)
  const [old, current] = [checkDocument(before, 'before'), checkDocument(after, 'after')]
  const schemas = new SchemaComparison()
  const [oldPaths, currentPaths] = [member(old, 'paths'), member(current, 'paths')]
  const byShape = new Map(members(currentPaths).map(([path, item]) => [pathShape(path), { path, item }]))
  return members(oldPaths).flatMap(([path, item]) => {
    const same = byShape.get(pathShape(path))
    return METHODS.flatMap((method) => {
      const operation = child(item, method)
      if (operation.value === undefined) return []
      const place = { method: method.toUpperCase(), path }
      if (same === undefined) return removedOperation(operation, place, { what: 'path-removed', now })
      const counterpart = child(same.item, method)
      if (counterpart.value === undefined) return removedOperation(operation, place, { what: 'removed', now })
      const comparison = new OperationComparison(
        { operation, item, document: old, path },
        { operation: counterpart, document: current, ...same },
        schemas,
      ).changes()
      return unique(
        comparison.map((change) => ({ ...place, ...change, message: `${place.method} ${path}: ${change.message}` })),
      )
    })
  })
}

function checkDocument(document: unknown, name: string): DocumentPlace {
  if (isRecord(document) && String(ownValue(document, 'openapi')).startsWith('3.1')) return rootPlace(document)
  throw new TypeError(`Cannot compare documents: "${name}" is no OpenAPI 3.1 document. Give what "app.openapi()" gives`)
}

/** To clients the names of parameters make no difference. */
function pathShape(path: string): string {
  return path.replaceAll(/{[^}]*}/g, '{}')
}

/** An operation that the new document lacks. It may go after its sunset, or without one if it was deprecated. */
function removedOperation(
  operation: DocumentPlace,
  place: { method: string; path: string },
  { what, now }: { what: string; now: number },
): BreakingChange[] {
  const { pointer } = operation
  const sunset = Date.parse(String(child(operation, 'x-sunset').value))
  if (now >= sunset || (Number.isNaN(sunset) && child(operation, 'deprecated').value === true)) return []
  const subject = `${place.method} ${place.path}: it is gone`
  if (Number.isNaN(sunset)) return [{ rule: `api-${what}-without-deprecation`, ...place, pointer, message: subject }]
  const message = `${subject} before its sunset, ${new Date(sunset).toISOString()}`
  return [{ rule: `api-${what}-before-sunset`, ...place, pointer, message }]
}

function parseNow(options: BreakingOptions): number {
  checkKeys(options, ['now'], (key, help) => new TypeError(`Cannot compare documents: unknown option "${key}".${help}`))
  const { now = Date.now() } = options
  const time = new Date(now).getTime()
  if (!Number.isNaN(time)) return time
  throw new TypeError(`Cannot compare documents: "now" must be a date, not "${String(now)}". Write "now: new Date()"`)
}

/** A schema that stands in an operation twice breaks it once. */
function unique(changes: readonly BreakingChange[]): BreakingChange[] {
  return [...new Map(changes.map((change) => [JSON.stringify(change), change])).values()]
}
