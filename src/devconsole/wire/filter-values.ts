/** The values that keys of a filter take: numbers with units, versions, paths with `*`, times of the day. */
import type { RequestSummary } from './request-types.js'

/** `logText` are its log lines in lower case; left out where they are not at hand. */
export type FilterTest = (target: { readonly summary: RequestSummary; readonly logText?: string }) => boolean

type Units = ReadonlyMap<string, number>

/** How much a unit stands for; the empty one is a number without any. */
export const UNITS: { readonly none: Units; readonly time: Units; readonly size: Units } = {
  none: new Map([['', 1]]),
  time: new Map(Object.entries({ '': 1, ms: 1, s: 1_000 })),
  size: new Map(Object.entries({ '': 1, b: 1, kb: 1_000, mb: 1_000_000 })),
}

const MAX_PATTERN_LENGTH = 200
/** Parts of a version, and of a date. */
const MAX_PARTS = 3

type Compare = (value: number, bound: number) => boolean

/** The longer ones first; without an operator, values are rounded and must be the same. */
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

/** Makes a test of a number. Returns `null` when it is no such value. */
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

/** Makes a test of the version that was asked for. Returns `null` when it is no such value. */
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

/** Below 0 when the first is the lower one; a part that is not named is 0. */
function compareParts(one: readonly number[], other: readonly number[], depth: number): number {
  for (let at = 0; at < depth; at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** Whole numbers; `NaN` for what is none, or has more digits. */
function parseNumbers(texts: readonly string[], digits: number): number[] {
  return texts.map((text) => (text.length <= digits && /^\d+$/.test(text) ? Number(text) : NaN))
}

/** Makes a test of a text that begins so, or that is so where the pattern has a `*`. */
export function prefixTest(pattern: string, read: (summary: RequestSummary) => string): FilterTest | null {
  return globTest(pattern.includes('*') ? pattern : `${pattern}*`, read)
}

export function globTest(pattern: string, read: (summary: RequestSummary) => string): FilterTest | null {
  if (pattern.length > MAX_PATTERN_LENGTH) return null
  const matches = compileGlob(pattern.toLowerCase())
  return ({ summary }) => matches(read(summary).toLowerCase())
}

/** A pattern in which `*` stands for anything: each part is taken at its first place, so no pattern takes longer than its text. */
export function compileGlob(pattern: string): (text: string) => boolean {
  const [head = '', ...inner] = pattern.split('*')
  const tail = inner.pop()
  if (tail === undefined) return (text) => text === head
  return (text) => {
    if (!text.startsWith(head) || !text.endsWith(tail)) return false
    let from = head.length
    for (const piece of inner) {
      const at = text.indexOf(piece, from)
      if (at === -1) return false
      from = at + piece.length
    }
    return from <= text.length - tail.length
  }
}

/** Makes a test of the time of a request: the newest time of that name that is not in the future. */
export function clockTest(value: string, holds: (time: number, at: number) => boolean): FilterTest | null {
  const parts = parseNumbers(value.split(':'), 2)
  const [hours = NaN, minutes = NaN, seconds = 0] = parts
  if (parts.length > 3 || !(hours < 24 && minutes < 60 && seconds < 60)) return null
  const at = new Date()
  if (at.setHours(hours, minutes, seconds, 0) > Date.now()) at.setDate(at.getDate() - 1)
  const boundTime = at.getTime()
  return ({ summary }) => holds(summary.time, boundTime)
}
