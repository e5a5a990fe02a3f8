/** Texts that are kept: short, and each a text of its own. */
import { detachString } from '../../secrets/detach-string.js'

export function cut(text: string, longest: number): string {
  return detachString(text.slice(0, longest))
}

/** Cuts a text, and shows that something is missing. Returns a copy of it, or of its beginning with `…` behind it. */
export function shorten(text: string, longest: number): string {
  return detachString(text.length <= longest ? text : `${text.slice(0, longest)}…`)
}

const MAX_BACKTRACK = 1_024

/** The beginning of a text up to the end of a word: half a secret would not be known as one. */
export function cutToLength(text: string, longest: number): string {
  if (text.length <= longest) return detachString(text)
  const end = text.slice(0, longest + 1).search(/\s\S*$/)
  return cut(text, end < Math.max(1, longest - MAX_BACKTRACK) ? longest : end)
}
