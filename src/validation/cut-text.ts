/** Texts of which a client chooses the length. */
import { Buffer } from 'node:buffer'

/**
 * Cuts a text. The beginning is a copy: what V8 gives for a part of a text keeps the whole of it in memory. Returns the
 * text when it is short enough, else its beginning and `…`.
 */
export function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text
  const last = text.charCodeAt(longest - 1)
  const isHalf = last >= 0xd800 && last < 0xdc00
  return `${Buffer.from(text.slice(0, isHalf ? longest - 1 : longest)).toString()}…`
}
