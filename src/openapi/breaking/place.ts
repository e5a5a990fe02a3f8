/** Values in a document, each with its JSON Pointer. Functions that follow references. */
import { escapeKey, parsePointer } from '../../values/json-pointer.js'
import { isObject, isRecord, ownValue, type UnknownRecord } from '../../values/objects.js'

/** A value in a document. */
export interface DocumentLocation {
  readonly root: UnknownRecord
  /** JSON Pointer (RFC 6901). */
  readonly pointer: string
  /** `undefined` if the document has no value at this pointer. */
  readonly value: unknown
}

/** Returns the place of a key, even if the key does not exist. */
export function child({ root, pointer, value }: DocumentLocation, key: string): DocumentLocation {
  return { root, pointer: `${pointer}/${escapeKey(key)}`, value: isObject(value) ? ownValue(value, key) : undefined }
}

/** Returns the places of all keys of an object, or of all items of an array. */
export function children(place: DocumentLocation): (readonly [key: string, place: DocumentLocation])[] {
  const { value } = place
  return isObject(value) ? Object.keys(value).map((key) => [key, child(place, key)] as const) : []
}

/** Returns the place of a key, or the target if its value is a reference. */
export function member(place: DocumentLocation, key: string): DocumentLocation {
  return followReference(child(place, key))
}

/** Returns the places of all keys, with references resolved. */
export function members(place: DocumentLocation): (readonly [key: string, place: DocumentLocation])[] {
  return children(place).map(([key, each]) => [key, followReference(each)] as const)
}

/** Follows a chain of references to its last target. */
export function followReference(
  place: DocumentLocation,
  follow: (place: DocumentLocation) => DocumentLocation | null = referredPlace,
): DocumentLocation {
  const seen = new Set<string>()
  let at = place
  for (let next = follow(at); next !== null && !seen.has(at.pointer); next = follow(at)) {
    seen.add(at.pointer)
    at = next
  }
  return at
}

/** Follows references that have no other keywords. */
export function schemaChild(place: DocumentLocation): DocumentLocation {
  return followReference(place, (at) => (children(at).length === 1 ? referredPlace(at) : null))
}

/** Returns the target of a reference; `null` if the value is not a reference. Throws a `TypeError` if the target does not exist. */
export function referredPlace({ root, pointer, value }: DocumentLocation): DocumentLocation | null {
  const ref = isRecord(value) ? ownValue(value, '$ref') : undefined
  if (typeof ref !== 'string') return null
  const local = localFragment(ref, root)
  const target = local === null ? undefined : parsePointer(decodeURIComponent(local)).reduce(child, rootPlace(root))
  if (target?.value !== undefined) return target
  const fix = local !== null ? '' : '. Write all files into one document first'
  throw new TypeError(
    `Cannot compare documents: the reference "${ref}" at "${pointer}" has no target in the document${fix}`,
  )
}

/** Returns the fragment of a reference into its own document, which can name the document by its `$self` (OpenAPI 3.2.0 section 4.1.1). */
function localFragment(ref: string, root: UnknownRecord): string | null {
  const hash = ref.indexOf('#')
  const file = ref.slice(0, hash)
  return hash >= 0 && (file === '' || file === root['$self']) ? ref.slice(hash + 1) : null
}

export function rootPlace(root: UnknownRecord): DocumentLocation {
  return { root, pointer: '', value: root }
}

/** Serializes a value with sorted keys and resolved references, so that equal values have equal strings. */
export function canonical(place: DocumentLocation, within: readonly string[] = []): string {
  const { pointer, value } = place
  if (!isObject(value)) return JSON.stringify(value)
  const circle = within.indexOf(pointer)
  if (circle >= 0) return `circle ${within.length - circle}`
  const inner = [...within, pointer]
  const target = referredPlace(place)
  if (target !== null) return canonical(target, inner)
  const isList = Array.isArray(value)
  const texts = children(place).map(
    ([key, each]) => `${isList ? '' : `${JSON.stringify(key)}:`}${canonical(each, inner)}`,
  )
  return isList ? `[${texts.join()}]` : `{${texts.toSorted().join()}}`
}
