/** Texts of their own: what V8 gives for a part of a text keeps the whole of it in memory, and what was put together keeps all its parts. */
import { Buffer } from 'node:buffer'

/** V8 copies shorter texts by itself. */
const MIN_PART_LENGTH = 13

export function detachString(text: string): string {
  return text.length < MIN_PART_LENGTH ? text : Buffer.from(text).toString()
}
