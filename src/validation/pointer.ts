/** JSON Pointers (RFC 6901): where in a value an issue is, and what a `$ref` means. */
import { cutText } from './cut-text.js'
import { isObject, own } from '../values/objects.js'

const LONGEST_KEY = 256
// Room for 64 keys of usual length; deeper than this nobody reads.
const LONGEST_POINTER = 4_096

/**
 * Writes a path as JSON Pointer (RFC 6901 section 3), to be read by a person: a client chooses keys and depth, so a key
 * is cut at 256 characters, and the whole at 4,096; what was cut ends in `…`. Follow the path itself, never a pointer
 * that was cut. Returns the pointer, `''` for the whole value.
 */
export function pointerOf(path: readonly unknown[], from = 0): string {
  let pointer = ''
  // By index: `path` may be a subclass of Array whose `map` makes something else.
  for (let at = from; at < path.length; at++) {
    const key = escape(cutText(keyOf(path[at]), LONGEST_KEY))
    if (pointer.length + key.length >= LONGEST_POINTER) return `${pointer}/…`
    pointer += `/${key}`
  }
  return pointer
}

const WHOLE: readonly unknown[] = []

/** The path of what a library complains of. Returns keys and `{ key }` objects. */
export function pathOf(complaint: unknown): readonly unknown[] {
  const path = isObject(complaint) ? complaint['path'] : undefined
  return Array.isArray(path) ? path : WHOLE
}

/** The key that a segment of a path names. */
export function keyOf(segment: unknown): string {
  return String(isObject(segment) ? segment['key'] : segment)
}

function escape(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Follows a path by own properties. */
export function valueAt(root: unknown, path: readonly unknown[]): unknown {
  let value = root
  for (let at = 0; at < path.length; at++) {
    if (!isObject(value)) return typeof value === 'string' ? value : undefined
    value = own(value, keyOf(path[at]))
  }
  return value
}

/** Splits a pointer into its keys (RFC 6901 section 4). Returns the keys, unescaped; none for `''`. */
export function keysOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Follows a pointer by own properties. */
export function follow(root: unknown, pointer: string): unknown {
  let value = root
  for (const key of keysOf(pointer)) {
    if (!isObject(value)) return undefined
    value = own(value, key)
  }
  return value
}
