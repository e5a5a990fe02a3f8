/** Removes spaces and tabs around a string. */

/** Removes spaces and tabs. `trim` would remove more (RFC 6265 section 5.2), and a regular expression would take quadratic time. */
export function trimBlanks(text: string): string {
  const isBlank = (at: number): boolean => text[at] === ' ' || text[at] === '\t'
  let start = 0
  let end = text.length
  while (start < end && isBlank(start)) start++
  while (end > start && isBlank(end - 1)) end--
  return text.slice(start, end)
}
