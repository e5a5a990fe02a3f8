/** Values in a document, each with its place; references are followed. */
import { escapeKey, parsePointer } from '../../values/json-pointer.js'
import { isObject, isRecord, ownValue, type UnknownRecord } from '../../values/objects.js'

/** A value in a document. */
export interface DocumentPlace {
  readonly root: UnknownRecord
  /** JSON Pointer (RFC 6901). */
  readonly pointer: string
  /** `undefined` where there is nothing. */
  readonly value: unknown
}

/** What stands under a key, whether there is anything or not. */
export function child({ root, pointer, value }: DocumentPlace, key: string): DocumentPlace {
  return { root, pointer: `${pointer}/${escapeKey(key)}`, value: isObject(value) ? ownValue(value, key) : undefined }
}

/** What stands under the keys of an object, or in a list. */
export function children(place: DocumentPlace): (readonly [key: string, place: DocumentPlace])[] {
  const { value } = place
  return isObject(value) ? Object.keys(value).map((key) => [key, child(place, key)] as const) : []
}

/** What stands under a key and, where that is a reference, what it leads to. */
export function member(place: DocumentPlace, key: string): DocumentPlace {
  return followReference(child(place, key))
}

/** The same for all members. */
export function members(place: DocumentPlace): (readonly [key: string, place: DocumentPlace])[] {
  return children(place).map(([key, each]) => [key, followReference(each)] as const)
}

/** What a place says in the end: references may lead to references. */
export function followReference(
  place: DocumentPlace,
  follow: (place: DocumentPlace) => DocumentPlace | null = referredPlace,
): DocumentPlace {
  const seen = new Set<string>()
  let at = place
  for (let next = follow(at); next !== null && !seen.has(at.pointer); next = follow(at)) {
    seen.add(at.pointer)
    at = next
  }
  return at
}

/** A schema that is a reference and nothing else is what it leads to. */
export function schemaAt(place: DocumentPlace): DocumentPlace {
  return followReference(place, (at) => (children(at).length === 1 ? referredPlace(at) : null))
}

/** What a reference leads to; `null` if the value is no reference. */
export function referredPlace({ root, pointer, value }: DocumentPlace): DocumentPlace | null {
  const ref = isRecord(value) ? ownValue(value, '$ref') : undefined
  if (typeof ref !== 'string') return null
  const target = ref.startsWith('#')
    ? parsePointer(decodeURIComponent(ref.slice(1))).reduce(child, rootPlace(root))
    : undefined
  if (target?.value !== undefined) return target
  throw new TypeError(`Cannot compare documents: "${ref}", at "${pointer}", leads to nothing in the document`)
}

export function rootPlace(root: UnknownRecord): DocumentPlace {
  return { root, pointer: '', value: root }
}

/** The same value as text, whatever the order of its keys; references stand for what they lead to. */
export function canonical(place: DocumentPlace, within: readonly string[] = []): string {
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
