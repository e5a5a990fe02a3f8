/** Control characters, shown: what a request sends can neither forge a line, nor move the cursor, nor turn the direction of a text. */

// C0, DEL, C1, line and paragraph separators, and the marks, embeddings and isolates that set a direction.
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Writes control characters as JSON escapes them. Returns the text, each control character as `\u` and four digits. */
export function showControls(text: string): string {
  return text.replace(CONTROL, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
