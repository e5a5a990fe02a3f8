/** JSON Pointers (RFC 6901): where in a value an issue is, and what a `$ref` means. */
import { isObject, own } from './record.js'

/**
 * Writes a path as JSON Pointer (RFC 6901 section 3).
 *
 * @param path keys and `{ key }` objects, as Standard Schema gives them; anything but an array is the root
 * @returns the pointer, `''` for the whole value
 */
export function pointerOf(path: unknown): string {
  if (!Array.isArray(path)) return ''
  let pointer = ''
  // By index: `path` may be a subclass of Array whose `map` makes something else.
  for (let at = 0; at < path.length; at++) pointer += `/${escape(keyOf(path[at]))}`
  return pointer
}

function keyOf(segment: unknown): string {
  return String(isObject(segment) ? segment['key'] : segment)
}

function escape(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

/**
 * Splits a pointer into its keys (RFC 6901 section 4).
 *
 * @param pointer such as `/ids/0`
 * @returns the keys, unescaped; none for `''`
 */
export function keysOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/**
 * Follows a pointer by own properties.
 *
 * @param root where it starts
 * @param pointer where it leads
 * @returns what is there, or undefined
 */
export function follow(root: unknown, pointer: string): unknown {
  let value = root
  for (const key of keysOf(pointer)) {
    if (!isObject(value)) return undefined
    value = own(value, key)
  }
  return value
}
