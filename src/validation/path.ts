/** Where in a value an issue is, as libraries say it and as people read it. */
import { Buffer } from 'node:buffer'
import { escapeKey } from '../values/json-pointer.js'
import { isObject, ownValue } from '../values/objects.js'

const MAX_KEY_LENGTH = 256
// Room for 64 keys of usual length; deeper than this nobody reads.
const MAX_POINTER_LENGTH = 4_096

/** The path of what a library complains of: keys and `{ key }` objects. */
export function issuePath(complaint: unknown): readonly unknown[] {
  const path = isObject(complaint) ? complaint['path'] : undefined
  return Array.isArray(path) ? path : []
}

/** The key that a segment of a path names. */
export function segmentKey(segment: unknown): string {
  return String(isObject(segment) ? segment['key'] : segment)
}

/** Follows a path by own properties; a text that stands on the way is what the rest of the path is about. */
export function valueAt(root: unknown, path: readonly unknown[]): unknown {
  let value = root
  for (let at = 0; at < path.length; at++) {
    if (!isObject(value)) return typeof value === 'string' ? value : undefined
    value = ownValue(value, segmentKey(path[at]))
  }
  return value
}

/** Writes a path as JSON Pointer for people: clients choose keys and depth, so it is cut. Follow the path itself, never the pointer. */
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

/** Cuts a text that is too long, and ends it with `…`. The beginning is a copy: a part of a text keeps all of it in memory. */
export function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text
  const last = text.charCodeAt(longest - 1)
  const isHalf = last >= 0xd800 && last < 0xdc00
  return `${Buffer.from(text.slice(0, isHalf ? longest - 1 : longest)).toString()}…`
}
