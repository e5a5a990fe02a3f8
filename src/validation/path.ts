/** Paths of issues: reads them from the issues of libraries, and formats them for people. */
import { Buffer } from 'node:buffer'
import { escapeKey } from '../values/json-pointer.js'
import { isObject, ownValue } from '../values/objects.js'

const MAX_KEY_LENGTH = 256
// Enough for 64 keys of 63 characters.
const MAX_POINTER_LENGTH = 4_096

/** Returns the path of an issue: an array of keys and `{ key }` objects. */
export function issuePath(issue: unknown): readonly unknown[] {
  const path = isObject(issue) ? issue['path'] : undefined
  return Array.isArray(path) ? path : []
}

/** Returns the key of a path segment. */
export function segmentKey(segment: unknown): string {
  return String(isObject(segment) ? segment['key'] : segment)
}

/** Follows a path by own properties. If the path leads into a string, returns this string. */
export function readPath(root: unknown, path: readonly unknown[]): unknown {
  let value = root
  for (let at = 0; at < path.length; at++) {
    if (!isObject(value)) return typeof value === 'string' ? value : undefined
    value = ownValue(value, segmentKey(path[at]))
  }
  return value
}

/** Formats a path as JSON Pointer for people. It is cut, because clients choose keys and depth. Use the path to find the value. */
export function formatPointer(path: readonly unknown[], from = 0): string {
  let pointer = ''
  // By index: `path` may be a subclass of Array whose `map` makes something else.
  for (let at = from; at < path.length; at++) {
    const key = escapeKey(cutText(segmentKey(path[at]), MAX_KEY_LENGTH))
    if (pointer.length + key.length >= MAX_POINTER_LENGTH) return `${pointer}/…`
    pointer += `/${key}`
  }
  return pointer
}

/** Cuts a string that is too long, and appends `…`. Returns a copy, because a substring keeps the whole string in memory. */
export function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text
  const lastCode = text.charCodeAt(longest - 1)
  const isHalf = lastCode >= 0xd800 && lastCode < 0xdc00
  return `${Buffer.from(text.slice(0, isHalf ? longest - 1 : longest)).toString()}…`
}
