/** Copies strings. In V8, a slice keeps its whole parent string in memory, and a concatenated string keeps all its parts. */
import { Buffer } from 'node:buffer'

/** V8 copies shorter slices. */
const MIN_PART_LENGTH = 13

export function detachString(text: string): string {
  return text.length < MIN_PART_LENGTH ? text : Buffer.from(text).toString()
}
