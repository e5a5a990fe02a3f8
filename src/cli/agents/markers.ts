/** The markers around the block in a file of the user. */
import { CommandError } from '../command.js'

/** Name of the file, in the current folder. */
export const AGENTS_FILE = 'AGENTS.md'

const ABOUT = {
  begin: 'begin of the block that "npx verbena agents" writes. Change only lines outside of it',
  end: 'end of the block',
} as const

/** A line that is a marker: its version, and whether it is the begin or the end. */
const MARKER = /^[ \t]*<!-- verbena ([\w.+-]+): (begin|end) [^<>\r\n]*>[ \t]*$/gm

/** A block in a file. */
interface FoundBlock {
  /** Version of its first marker. */
  readonly version: string
  /** Positions of its first character, and after its last one. */
  readonly start: number
  readonly end: number
}

export function formatMarker(version: string, kind: keyof typeof ABOUT): string {
  return `<!-- verbena ${version}: ${ABOUT[kind]} -->`
}

/** Finds the block in the content of a file; `null` without a marker. Throws if the markers are not a pair. */
export function findBlock(text: string): FoundBlock | null {
  const foundMarkers = [...text.matchAll(MARKER)]
  if (foundMarkers.length === 0) return null
  const [first, last] = foundMarkers
  const kinds = foundMarkers.map(([, , kind]) => kind).join(' ')
  if (first === undefined || last === undefined || kinds !== 'begin end') throw markerError(text, foundMarkers)
  const [line, version] = first
  const start = first.index + line.indexOf('<')
  return { version: String(version), start, end: last.index + last[0].lastIndexOf('>') + 1 }
}

function markerError(text: string, found: readonly RegExpExecArray[]): CommandError {
  const places = found.map(({ index, 2: kind }) => `"${kind}" in line ${text.slice(0, index).split('\n').length}`)
  const state = `the block needs one marker "begin" and after it one marker "end", but the file has ${places.join(', ')}`
  return new CommandError(`Cannot find the block in ${AGENTS_FILE}: ${state}. Remove the wrong lines`)
}
