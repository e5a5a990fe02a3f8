/** What a percent-encoded text means. */

/** Decodes a text as forms and queries are encoded. */
export function decoded(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
