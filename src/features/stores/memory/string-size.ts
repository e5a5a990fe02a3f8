/** Memory that strings take, for stores with a limit in bytes. */

const WIDE = /[^\0-\xff]/

/** Returns the bytes of a string's characters in memory: V8 uses one for each, or two if any character is outside of Latin-1. */
export function stringSize(text: string): number {
  return WIDE.test(text) ? 2 * text.length : text.length
}
