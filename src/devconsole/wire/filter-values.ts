/** Values in a filter: numbers with units, versions, paths with `*`, and times of day. */
import type { RequestRecord, RequestSummary } from './request-types.js'

interface FilterTarget {
  readonly summary: RequestSummary
  /** Log messages in lower case; missing if they are not available. */
  readonly logText?: string
  /** Missing in the page, which requests the results of filters that need it from the app. */
  readonly record?: RequestRecord
}

export type FilterTest = (target: FilterTarget) => boolean

type Units = ReadonlyMap<string, number>

/** Factor of each unit. The key of numbers without a unit is empty. */
export const UNITS: { readonly none: Units; readonly time: Units; readonly size: Units } = {
  none: new Map([['', 1]]),
  time: new Map(Object.entries({ '': 1, ms: 1, s: 1_000 })),
  size: new Map(Object.entries({ '': 1, b: 1, kb: 1_000, mb: 1_000_000 })),
}

const MAX_PATTERN_LENGTH = 200
/** Maximum number of parts in a version or a date. */
const MAX_PARTS = 3

type Compare = (value: number, bound: number) => boolean

/** Longer operators first. Without an operator, rounded values must be equal. */
const OPERATORS: readonly (readonly [sign: string, compare: Compare])[] = [
  ['>=', (value, bound) => value >= bound],
  ['<=', (value, bound) => value <= bound],
  ['>', (value, bound) => value > bound],
  ['<', (value, bound) => value < bound],
]
const SAME: readonly [sign: string, compare: Compare] = ['', (value, bound) => Math.round(value) === Math.round(bound)]

function findOperator(value: string): readonly [sign: string, compare: Compare] {
  return OPERATORS.find(([sign]) => value.startsWith(sign)) ?? SAME
}

/** Creates a test of a number. Returns `null` if the value is invalid. */
export function numberTest(value: string, units: Units, read: (summary: RequestSummary) => number): FilterTest | null {
  const range = value.indexOf('..')
  if (range > 0) {
    const low = parseAmount(value.slice(0, range), units)
    const high = parseAmount(value.slice(range + 2), units)
    return low === null || high === null ? null : ({ summary }) => read(summary) >= low && read(summary) <= high
  }
  const [sign, compare] = findOperator(value)
  const amount = parseAmount(value.slice(sign.length), units)
  return amount === null ? null : ({ summary }) => compare(read(summary), amount)
}

function parseAmount(text: string, units: Units): number | null {
  const [, digits = '', unit = ''] = /^([\d.]+)(.*)$/s.exec(text) ?? []
  const amount = Number(digits || NaN) * (units.get(unit.toLowerCase()) ?? NaN)
  return Number.isFinite(amount) ? amount : null
}

/** Creates a test of the requested version. Returns `null` if the value is invalid. */
export function versionTest(value: string): FilterTest | null {
  const [sign, compare] = findOperator(value)
  const wantedVersion = parseFilterVersion(value.slice(sign.length))
  if (wantedVersion === null) return null
  const depth = sign === '' ? wantedVersion.parts.length : MAX_PARTS
  return ({ summary }) => {
    const wantedVersions = parseFilterVersion(summary['dev.version']?.asked ?? '')
    if (wantedVersions === null || wantedVersions.isDate !== wantedVersion.isDate) return false
    return compare(compareParts(wantedVersions.parts, wantedVersion.parts, depth), 0)
  }
}

function parseFilterVersion(text: string): { readonly isDate: boolean; readonly parts: readonly number[] } | null {
  const isDate = text.includes('-')
  const parts = parseNumbers(text.split(isDate ? '-' : '.'), 15)
  return parts.length > MAX_PARTS || parts.some(Number.isNaN) ? null : { isDate, parts }
}

/** Returns a negative number if the first version is lower. Missing parts are 0. */
function compareParts(one: readonly number[], other: readonly number[], depth: number): number {
  for (let index = 0; index < depth; index++) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** Parses integers. Returns `NaN` for other strings and for integers with more digits. */
function parseNumbers(texts: readonly string[], digits: number): number[] {
  return texts.map((text) => (text.length <= digits && /^\d+$/.test(text) ? Number(text) : NaN))
}

/** Creates a test of a prefix. If the pattern contains `*`, the whole string must match. */
export function prefixTest(pattern: string, read: (summary: RequestSummary) => string): FilterTest | null {
  return globTest(pattern.includes('*') ? pattern : `${pattern}*`, read)
}

export function globTest(pattern: string, read: (summary: RequestSummary) => string): FilterTest | null {
  if (pattern.length > MAX_PATTERN_LENGTH) return null
  const matches = compileGlob(pattern.toLowerCase())
  return ({ summary }) => matches(read(summary).toLowerCase())
}

/** Compiles a pattern in which `*` matches any characters. Each part matches at its first position, so matching takes linear time. */
export function compileGlob(pattern: string): (text: string) => boolean {
  const [head = '', ...inner] = pattern.split('*')
  const tail = inner.pop()
  if (tail === undefined) return (text) => text === head
  return (text) => {
    if (!text.startsWith(head) || !text.endsWith(tail)) return false
    let from = head.length
    for (const piece of inner) {
      const index = text.indexOf(piece, from)
      if (index === -1) return false
      from = index + piece.length
    }
    return from <= text.length - tail.length
  }
}

/** A time of the day that is at most this far ahead is today's, because a cell of the heat map ends after its newest request. */
const MAX_AHEAD_MS = 60_000

/** The time of day of a person. */
export interface LocalClock {
  /** In ms since 1970. */
  readonly now: number
  /** From the time of day to UTC, in ms. */
  readonly zone: number
}

/** Creates a test of the time of a request. The time of day is the most recent one that is not in the future. */
export function clockTest(value: string, { now, zone }: LocalClock, compare: Compare): FilterTest | null {
  const parts = parseNumbers(value.split(':'), 2)
  const [hours = NaN, minutes = NaN, seconds = 0] = parts
  if (parts.length > 3 || !(hours < 24 && minutes < 60 && seconds < 60)) return null
  const today = new Date(now - zone).setUTCHours(hours, minutes, seconds, 0) + zone
  const boundTime = today > now + MAX_AHEAD_MS ? today - DAY_MS : today
  return ({ summary }) => compare(summary.time, boundTime)
}

const DAY_MS = 24 * 3_600_000
