/** Descriptions as paragraphs. Their Markdown is shown as it is written. */
import { cutText } from '../openapi/reading/format-type.js'
import { markup, type Html } from './html.js'

const MAX_LENGTH = 10_000

/** Returns the paragraphs, which are separated by blank lines. */
export function paragraphs(text: string): Html[] {
  const parts = cutText(text.trim(), MAX_LENGTH).split(/\n\n+/)
  return parts.filter((part) => part !== '').map((part) => markup`<p>${part.trim()}</p>`)
}

/** Returns the number with the word, in the plural unless it is 1. */
export function countText(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}
