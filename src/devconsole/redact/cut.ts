/** Shortens strings before they are stored. The results are copies, which do not keep the original in memory. */
import { detachString } from '../../secrets/detach-string.js'

export function cut(text: string, longest: number): string {
  return detachString(text.slice(0, longest))
}

/** Cuts a string, and appends `…` if a part is missing. Returns a copy. */
export function shorten(text: string, longest: number): string {
  return detachString(text.length <= longest ? text : `${text.slice(0, longest)}…`)
}

const MAX_BACKTRACK = 1_024

/** Cuts a string at the end of a word, because half a secret would not be recognized. Returns a copy. */
export function cutToLength(text: string, longest: number): string {
  if (text.length <= longest) return detachString(text)
  const end = text.slice(0, longest + 1).search(/\s\S*$/)
  return cut(text, end < Math.max(1, longest - MAX_BACKTRACK) ? longest : end)
}
