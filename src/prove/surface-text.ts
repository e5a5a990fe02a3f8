/** Lines of a surface: names, widths and the order of strings. */

/** Maximum number of characters of a line. */
const MAX_WIDTH = 120
const CONTINUATION = '      '

/** Sorts by UTF-16 code unit, which is the same in every locale. */
export function byCodeUnit(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** Characters that a name has only in quotes: separators of the format, and characters without a width or with a direction. */
const QUOTED = /[\s.[\](),*\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|^$/
const UNSAFE = /[\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g

/** Formats a name on one line. A name that could look like several names or like another one is quoted. */
export function formatName(name: string): string {
  const json = JSON.stringify(name)
  return QUOTED.test(name) || json !== `"${name}"` ? escapeUnsafe(json) : name
}

/** Formats text, such as a path, on one line. */
export function formatText(text: string): string {
  return escapeUnsafe(JSON.stringify(text)).slice(1, -1)
}

function escapeUnsafe(text: string): string {
  return text.replace(UNSAFE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * Splits a line that is too long at its last space that fits, or else within a word. The following lines are indented further, so a change
 * of one part changes few lines.
 */
export function wrapSurfaceLine(line: string): string[] {
  const units = [...line]
  if (units.length <= MAX_WIDTH) return [line]
  const indent = line.length - line.trimStart().length
  const space = units.lastIndexOf(' ', MAX_WIDTH)
  const end = space > indent + CONTINUATION.length ? space : MAX_WIDTH
  const restText = units.slice(end).join('').trimStart()
  return [units.slice(0, end).join(''), ...wrapSurfaceLine(CONTINUATION + restText)]
}
