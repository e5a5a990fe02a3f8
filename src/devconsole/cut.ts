/** The beginning of a text, as a text of its own. */
import { Buffer } from 'node:buffer'

/**
 * Cuts a text. What V8 gives for a part of a text keeps the whole of it in memory; this does not.
 *
 * @param text any
 * @param longest characters
 * @returns the text when it is short enough, else a copy of its beginning
 */
export function cut(text: string, longest: number): string {
  return text.length <= longest ? text : Buffer.from(text.slice(0, longest)).toString()
}

/** How far back the end of a word is looked for. */
const FARTHEST = 1_024

/**
 * The beginning of a text up to the end of a word: half a secret would not be known as one.
 *
 * @param text any
 * @param longest characters
 * @returns the text when it is short enough, else a copy of its beginning; within a long word, the word is cut
 */
export function beginOf(text: string, longest: number): string {
  if (text.length <= longest) return text
  const end = text.slice(0, longest + 1).search(/\s\S*$/)
  return cut(text, end < Math.max(1, longest - FARTHEST) ? longest : end)
}
