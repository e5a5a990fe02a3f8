/** `breaking`: finds the changes of an OpenAPI document that break its clients. */
import { findWrongOption, rule, type Rules } from '../../errors/options.js'
import { KNOWN_METHODS } from '../../http/methods.js'
import { isRecord, ownValue } from '../../values/objects.js'
import type { Change } from './finding.js'
import { OperationComparison } from './operations.js'
import { child, children, member, members, rootPlace, type DocumentLocation } from './place.js'
import { SchemaComparison } from './schemas.js'
import { upgradeDocument } from './upgrade-document.js'

/** A change that breaks clients. */
export interface BreakingChange extends Change {
  /** Method of the operation, upper case. */
  readonly method: string
  /** Path of the operation in the old document. */
  readonly path: string
}

/** Options of `breaking`. */
export interface BreakingOptions {
  /** Time of the comparison; default: the current time. An operation can be removed after its `x-sunset`. */
  readonly now?: Date | number | string
}

/** Fields of a path item that contain an operation (OpenAPI 3.2.0 section 4.9.1), and CONNECT, which no document contains. */
const METHODS = [...KNOWN_METHODS].map((method) => method.toLowerCase())

/**
 * Compares two OpenAPI documents of version 3.0, 3.1 or 3.2, of any framework, and returns the changes that break existing clients: requests that are no longer accepted, values
 * that are newly required, and responses that clients do not expect. The names of components are ignored. Deprecated parameters,
 * properties and operations can be removed; an operation with an `x-sunset` can be removed after that time.
 *
 * The rules are those of oasdiff, with two differences: removed properties and parameters are always breaking, and so are new limits.
 *
 * @param before the document that clients use, such as the document of the last release
 * @param after the new document
 * @param options the time of the comparison
 * @returns the changes of each operation, in the order of `before`; an empty array if nothing breaks
 * @throws TypeError if a document is not OpenAPI 3.0, 3.1 or 3.2, if a reference has no target, or if an option is invalid
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
 * change?.message // => 'POST /users: "/name" of the request body is now required'
 * breaking(current, released) // => []
 * ```
 */
export function breaking(before: object, after: object, options: BreakingOptions = {}): BreakingChange[] {
  const now = parseNow(options)
  const [old, current] = [checkDocument(before, 'before'), checkDocument(after, 'after')]
  const schemas = new SchemaComparison()
  const [oldPaths, currentPaths] = [member(old, 'paths'), member(current, 'paths')]
  const byShape = new Map(
    members(currentPaths).map(([path, item]) => [
      pathShape(path),
      { path, item, operations: operationsByMethod(item) },
    ]),
  )
  return members(oldPaths).flatMap(([path, item]) => {
    const same = byShape.get(pathShape(path))
    return [...operationsByMethod(item)].flatMap(([method, operation]) => {
      const place = { method, path }
      if (same === undefined) return removedOperation(operation, place, { what: 'path-removed', now })
      const counterpart = same.operations.get(method)
      if (counterpart === undefined) return removedOperation(operation, place, { what: 'removed', now })
      const comparison = new OperationComparison(
        { operation, item, document: old, path },
        { operation: counterpart, document: current, ...same },
        schemas,
      ).changes()
      return uniqueChanges(
        comparison.map((change) => ({ ...place, ...change, message: `${place.method} ${path}: ${change.message}` })),
      )
    })
  })
}

/** Returns the operations of a path. QUERY is a field of OpenAPI 3.2, and the extension `x-query` in documents of Verbena in OpenAPI 3.1. */
function operationsByMethod(item: DocumentLocation): Map<string, DocumentLocation> {
  const query = child(item, 'x-query')
  const isOperation = child(query, 'responses').value !== undefined
  const fields = METHODS.map((method) => [method.toUpperCase(), child(item, method)] as const)
  const all = [
    ...(isOperation ? [['QUERY', query] as const] : []),
    ...fields,
    ...children(child(item, 'additionalOperations')),
  ]
  return new Map(all.filter(([, { value }]) => value !== undefined))
}

function checkDocument(document: unknown, name: string): DocumentLocation {
  const version = isRecord(document) ? String(ownValue(document, 'openapi')) : ''
  const current = version.startsWith('3.0.') ? upgradeDocument(document) : document
  if (isRecord(current) && /^3\.[012]\./.test(version)) return rootPlace(current)
  throw new TypeError(
    `Cannot compare documents: "${name}" must be an OpenAPI document of version 3.0, 3.1 or 3.2. Pass the result of "app.openapi()"`,
  )
}

/** Removes the names of parameters, because they make no difference to clients. */
function pathShape(path: string): string {
  return path.replaceAll(/{[^{}]*}/g, '{}')
}

/** Reports a removed operation, unless its sunset has passed, or it was deprecated without a sunset. */
function removedOperation(
  operation: DocumentLocation,
  place: { method: string; path: string },
  { what, now }: { what: string; now: number },
): BreakingChange[] {
  const { pointer } = operation
  const sunset = Date.parse(String(child(operation, 'x-sunset').value))
  if (now >= sunset || (Number.isNaN(sunset) && child(operation, 'deprecated').value === true)) return []
  const subject = `${place.method} ${place.path}: the operation was removed`
  if (Number.isNaN(sunset)) return [{ rule: `api-${what}-without-deprecation`, ...place, pointer, message: subject }]
  const message = `${subject} before its sunset, ${new Date(sunset).toISOString()}`
  return [{ rule: `api-${what}-before-sunset`, ...place, pointer, message }]
}

const RULES: Rules<BreakingOptions> = {
  // Proof: `Date` parses any value at run time.
  now: rule((value) => !Number.isNaN(new Date(value as string).getTime()), 'be a date', 'new Date()'),
}

function parseNow(options: BreakingOptions): number {
  const wrong = findWrongOption({ ...options }, RULES)
  if (wrong !== null) throw new TypeError(`Cannot use the option "${wrong.key}" of breaking(): ${wrong.why}`)
  return new Date(options.now ?? Date.now()).getTime()
}

/** Removes duplicates, because a schema can be used twice in an operation. */
function uniqueChanges(changes: readonly BreakingChange[]): BreakingChange[] {
  return [...new Map(changes.map((change) => [JSON.stringify(change), change])).values()]
}
