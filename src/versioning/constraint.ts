/** Version constraints of endpoints, such as `>=1.2.0 <2 || ^3.1`. */
import { SetupError } from '../errors/setup-error.js'
import { contains, toInterval, intersect, uniteIntervals, type Intervals } from './interval.js'
import { MIN_VERSION, parseVersion, versionBehind, type Version, type VersionKind } from './version.js'

export interface Constraint {
  readonly text: string
  readonly kind: VersionKind
  /** At least one. */
  readonly intervals: Intervals
}

type ConstraintPart = Pick<Constraint, 'kind' | 'intervals'>

/** Parses a constraint: an npm range, with full dates (`2026-01-31`) as an alternative to numbers. Throws for syntax that npm guesses. */
export function parseConstraint(text: string): Constraint {
  const parts = String(text)
    .split('||')
    .map((alternative) => readAlternative(text, alternative.trim()))
  const { kind, intervals } = intersectAll(text, parts, (all) => uniteIntervals(all.flat()))
  if (intervals.length > 0) return { text, kind, intervals }
  throw constraintError(
    text,
    'no version satisfies it. Widen it; a missing part matches any number, so ">1" means ">=2.0.0"',
  )
}

export function satisfies({ kind, intervals }: Constraint, version: Version): boolean {
  return kind === version.kind && contains(intervals, version)
}

function constraintError(text: unknown, why: string): SetupError {
  return new SetupError('VERSION_CONSTRAINT', `Cannot use the version constraint "${String(text)}": ${why}`)
}

function intersectAll(
  text: string,
  parts: readonly ConstraintPart[],
  join: (all: readonly Intervals[]) => Intervals,
): ConstraintPart {
  const kinds = new Set(parts.map(({ kind }) => kind))
  if (kinds.size > 1) throw constraintError(text, 'it mixes numbers and dates. Use only numbers or only dates')
  const kind = kinds.has('date') ? 'date' : 'number'
  return { kind, intervals: join(parts.map(({ intervals }) => intervals)) }
}

const HYPHEN = /^(\S+)\s+-\s+(\S+)$/
const COMPARATOR = /([<>]=?|[=^~])?\s*([^\s<>=^~]+)(?:\s+|$)/y

function readAlternative(text: string, alternative: string): ConstraintPart {
  if (alternative === '') {
    const state = text.trim() === '' ? 'it is empty' : 'one side of "||" is empty'
    throw constraintError(text, `${state}. Write "*" for all versions`)
  }
  const [hyphened, first = '', last = ''] = HYPHEN.exec(alternative) ?? []
  const parts =
    hyphened === undefined
      ? readComparators(text, alternative)
      : [comparator(text, '>=', first), comparator(text, '<=', last)]
  return intersectAll(text, parts, (all) => all.reduce(intersect))
}

function readComparators(text: string, alternative: string): ConstraintPart[] {
  const parts: ConstraintPart[] = []
  for (COMPARATOR.lastIndex = 0; COMPARATOR.lastIndex < alternative.length;) {
    const from = COMPARATOR.lastIndex
    const match = COMPARATOR.exec(alternative)
    if (match === null)
      throw constraintError(text, `"${alternative.slice(from)}" cannot be parsed. ${CONSTRAINT_FORMS}`)
    const [, operator = '=', operand = ''] = match
    parts.push(comparator(text, operator, operand))
  }
  return parts
}

function comparator(text: string, operator: string, operandText: string): ConstraintPart {
  const operand = readOperand(operandText)
  if (typeof operand === 'string') throw constraintError(text, operand)
  const { kind } = operand.from
  if (kind === 'date' && (operator === '^' || operator === '~')) {
    throw constraintError(text, `"${operator}" does not support dates. Write ">=${operandText}" or "<${operandText}"`)
  }
  return { kind, intervals: OPERATOR_MEANINGS.get(operator)?.(operand) ?? toInterval(operand.from, operand.to) }
}

const OPERATOR_MEANINGS: ReadonlyMap<string, (operand: Operand) => Intervals> = new Map([
  ['>=', ({ from }) => toInterval(from, null)],
  ['>', ({ to }) => (to === null ? [] : toInterval(to, null))],
  ['<', ({ from }) => toInterval(MIN_VERSION[from.kind], from)],
  ['<=', ({ from, to }) => toInterval(MIN_VERSION[from.kind], to)],
  ['~', ({ from, to, size }) => toInterval(from, size === 3 ? versionBehind(from, 1) : to)],
  ['^', (operand) => toInterval(operand.from, behindCaret(operand))],
])

/** Returns the upper end of a caret range. It keeps the first part that is not 0, or the last part that is not omitted. */
function behindCaret({ from, to, size }: Operand): Version | null {
  const place = from.parts.findIndex((part) => part > 0)
  return size === 0 ? to : versionBehind(from, place === -1 ? size - 1 : place)
}

/** Range of the versions that an operand such as `1.4`, `1.x`, `*` or `2026-01-31` matches. */
interface Operand {
  readonly from: Version
  /** First version above the range; `null` without an upper end. */
  readonly to: Version | null
  /** Number of parts before a wildcard or the end, from 0 to 3; always 3 for a date. */
  readonly size: number
}

const WILDCARD = /^[xX*]$/
const PARTIAL = /^(?:[0-9]+|[xX*])(?:\.(?:[0-9]+|[xX*])){0,2}$/

/** Returns an error message if the text is invalid. */
function readOperand(text: string): Operand | string {
  const wrong = findOperandError(text)
  if (wrong !== undefined) return wrong
  const numbers = PARTIAL.test(text) ? text.split('.').filter((part) => !WILDCARD.test(part)) : [text]
  const from = numbers.length === 0 ? MIN_VERSION.number : parseVersion(numbers.join('.'))
  if (from === undefined) return `"${text}" is not a version. ${CONSTRAINT_FORMS}`
  const size = from.kind === 'date' ? 3 : numbers.length
  return { from, to: size === 0 ? null : versionBehind(from, size - 1), size }
}

const CONSTRAINT_FORMS =
  'Write a constraint such as ">=1.2.0 <2", "^1.4", "1.x || 2.x", "1.2 - 2.3", or with dates ">=2026-01-01 <2026-07-01"'

function findOperandError(text: string): string | undefined {
  if (/^[vV][0-9]/.test(text)) return `"${text}" must not start with a letter. Write "${text.slice(1)}"`
  if (/[,;&]/.test(text)) return 'only a space means "and". Write ">=1.2.0 <2.0.0"'
  if (/^[0-9]{4}-/.test(text) && parseVersion(text) === undefined) {
    return `"${text}" is not a calendar date. Write a date such as "2026-01-31"`
  }
  if (/^[0-9]+(?:\.[0-9]+){2}[-+]/.test(text)) {
    const plain = text.replace(/[-+].*/, '')
    return `"${text}" is a prerelease or has build metadata, which clients cannot request. Write "${plain}"`
  }
  if (!PARTIAL.test(text) || !/[xX*]\.[0-9]/.test(text)) return undefined
  return `"${text}" has a number after the wildcard. Write "${text.replace(/[xX*].*/, 'x')}"`
}
