/** Texts of their own: what V8 gives for a part of a text keeps the whole of it in memory, and what was put together keeps all its parts. */
import { Buffer } from 'node:buffer'

/** V8 copies shorter texts by itself. */
const SHORTEST_PART = 13

export function detachString(text: string): string {
  return text.length < SHORTEST_PART ? text : Buffer.from(text).toString()
}
