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
