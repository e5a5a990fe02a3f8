/** Pages of long results, because clients cut or reject them. */
import { DATA_NOTE } from '../../devconsole/wire/record-text.js'

/** Bytes of a page as JSON. A result has at most 8 kB with its members, the note, the fences and the last line. */
const PAGE_BYTES = 7_400
/** Longer lines are broken. */
const MAX_LINE_BYTES = 2_000
/** Code points of a part of a broken line, of at most 6 bytes each in JSON. */
const PART_LENGTH = 300
const FENCE = /^(`{3,})[\w-]*$/

/** Returns the first page of a string, without a note about others. */
export function firstPage(text: string): string {
  return String(splitPages(text)[0])
}

/**
 * Returns a page of a string, with a sentence on how to get the next one.
 *
 * @param page counted from 1
 * @param narrow other way to get less, such as `Or narrow it with "where"`
 */
export function selectPage(text: string, page: number, narrow: string): string {
  const pages = splitPages(text)
  const selected = pages[page - 1]
  if (selected === undefined) return `There is no page ${page}: the last page is ${pages.length}`
  if (pages.length === 1) return selected
  const next = page < pages.length ? ` Call again with "page": ${page + 1} for the next one. ${narrow}` : ''
  return `${selected}\n\nPage ${page} of ${pages.length}.${next}`.trimEnd()
}

/** Splits Markdown at line breaks. A code block that continues is closed, and opened again below the note about recorded text. */
function splitPages(text: string): string[] {
  const note = text.includes(DATA_NOTE) ? [DATA_NOTE, ''] : []
  const pages: string[] = []
  let lines: string[] = []
  let bytes = 0
  let fence: string | null = null
  for (const line of text.split('\n').flatMap(breakLine)) {
    const size = countBytes(line)
    if (bytes + size > PAGE_BYTES) {
      pages.push([...lines, ...(fence === null ? [] : [readTicks(fence)])].join('\n'))
      lines = [...note, ...(fence === null ? [] : [fence])]
      bytes = 0
    }
    lines.push(line)
    bytes += size
    if (fence === null) fence = FENCE.test(line) ? line : null
    else if (line === readTicks(fence)) fence = null
  }
  return [...pages, lines.join('\n')]
}

function readTicks(fence: string): string {
  return fence.replace(/[^`]/g, '')
}

/** Size of a line in a JSON string, with its line break. */
function countBytes(line: string): number {
  return Buffer.byteLength(JSON.stringify(line))
}

function breakLine(line: string): string[] {
  if (countBytes(line) <= MAX_LINE_BYTES) return [line]
  // Not between the halves of a surrogate pair.
  const points = Array.from(line)
  return Array.from({ length: Math.ceil(points.length / PART_LENGTH) }, (_, at) => {
    return points.slice(at * PART_LENGTH, (at + 1) * PART_LENGTH).join('')
  })
}
