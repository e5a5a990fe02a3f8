/** Shortens strings before they are stored. The results are copies, which do not keep the original in memory. */
import { detachString } from '../../secrets/detach-string.js'

export function cut(text: string, maxLength: number): string {
  return detachString(text.slice(0, maxLength))
}

/** Cuts a string, and appends `…` if a part is missing. Returns a copy. */
export function shorten(text: string, maxLength: number): string {
  return detachString(text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`)
}

const MAX_BACKTRACK = 1_024

/** Cuts a string at the end of a word, because half a secret would not be recognized. Returns a copy. */
export function cutToLength(text: string, maxLength: number): string {
  if (text.length <= maxLength) return detachString(text)
  const end = text.slice(0, maxLength + 1).search(/\s\S*$/)
  return cut(text, end < Math.max(1, maxLength - MAX_BACKTRACK) ? maxLength : end)
}
