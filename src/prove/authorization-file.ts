/** The file of an authorization matrix: one line for each endpoint, one column for each actor. */
import { SetupError } from '../errors/setup-error.js'
import { findFileFault } from './stored-file.js'

const AUTHORIZATION_HEAD =
  'verbena authorization 1 (an owner check inside a method is seen only by the check of objects)'
const TITLE = 'endpoint'
/** Length of the longest decision, `reached`. */
const MIN_WIDTH = 7

/** Decisions of one endpoint, in the order of the actors. */
export interface MatrixRow {
  readonly label: string
  readonly decisions: readonly string[]
}

/** Formats the file. The rows have their order already; the actors are sorted by the caller too. */
export function formatMatrix(actors: readonly string[], rows: readonly MatrixRow[]): string {
  const line = (cells: readonly string[], last: string): string =>
    [...cells.map((cell, at) => cell.padEnd(Math.max(MIN_WIDTH, String(actors[at]).length))), last].join('  ')
  const lines = [AUTHORIZATION_HEAD, line(actors, TITLE), ...rows.map((row) => line(row.decisions, row.label))]
  return `${lines.join('\n')}\n`
}

/** Returns the line of a row without its padding, for messages. */
export function formatRow({ label, decisions }: MatrixRow): string {
  return [...decisions, label].join('  ')
}

/**
 * Parses a file. Throws if it is not a file of this format, or of other actors.
 *
 * @param file path, for errors
 */
export function parseMatrix(text: string, actors: readonly string[], file: string): ReadonlyMap<string, MatrixRow> {
  const fault = findFileFault(text, AUTHORIZATION_HEAD)
  if (fault !== null) throw fileError(file, fault, `Fix it, or ${WRITE_IT}`)
  const [, titles = '', ...rest] = text.split('\n')
  const columns = titles.split(/ +/).slice(0, -1)
  if (columns.join(' ') !== actors.join(' ')) {
    const state = `it has the actors ${columns.join(', ')}, but the proof has ${actors.join(', ')}`
    throw fileError(file, state, `Review the change, and ${WRITE_IT}`)
  }
  const rows = new Map<string, MatrixRow>()
  for (const [at, line] of rest.entries()) {
    if (line === '') continue
    const cells = line.split(/ +/)
    const label = cells.slice(actors.length).join(' ')
    if (label === '' || rows.has(label)) {
      const state = label === '' ? 'has no endpoint' : `repeats ${label}`
      throw fileError(file, `line ${at + 3} ${state}`, `Remove the line, or ${WRITE_IT}`)
    }
    rows.set(label, { label, decisions: cells.slice(0, actors.length) })
  }
  return rows
}

export const WRITE_IT = 'run the test once with UPDATE=1'

export function fileError(file: string, state: string, fix: string): SetupError {
  return new SetupError('PROOF_INVALID', `Cannot compare the authorization with "${file}": ${state}. ${fix}`)
}

/** A difference between the file and the decisions of an endpoint. */
export function compareRow(
  known: MatrixRow | undefined,
  row: MatrixRow,
  actors: readonly string[],
  file: string,
): readonly string[] {
  if (known === undefined) {
    return [`${file} has no line for it. Review it, and ${WRITE_IT}: "${formatRow(row)}"`]
  }
  return actors.flatMap((actor, at) => {
    const [before, now] = [known.decisions[at], row.decisions[at]]
    return before === now ? [] : [`${actor}: ${now}, but ${file} says ${before} in "${formatRow(known)}"`]
  })
}
