/** API versions: three numbers or a date. */

export type VersionKind = 'number' | 'date'

export interface Version {
  readonly kind: VersionKind
  /** Major, minor and patch; or year, month and day. */
  readonly parts: readonly [number, number, number]
}

export const MIN_VERSION: Readonly<Record<VersionKind, Version>> = {
  number: { kind: 'number', parts: [0, 0, 0] },
  date: { kind: 'date', parts: [0, 1, 1] },
}

const NUMBERS = /^(0|[1-9][0-9]*)(?:\.(0|[1-9][0-9]*))?(?:\.(0|[1-9][0-9]*))?$/
const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/
const DAY = 86_400_000

/**
 * Parses one to three numbers (`1.4` is `1.4.0`), or a date (`2026-01-31`, ISO 8601). Returns `undefined` for any other string,
 * including prereleases, which clients cannot request.
 */
export function parseVersion(text: string): Version | undefined {
  const numbers = NUMBERS.exec(text)
  if (numbers === null) return parseDate(text)
  const [, major = '0', minor = '0', patch = '0'] = numbers
  const parts = [Number(major), Number(minor), Number(patch)] as const
  return parts.every(Number.isSafeInteger) ? { kind: 'number', parts } : undefined
}

function parseDate(text: string): Version | undefined {
  const time = DATE.test(text) ? Date.parse(text) : NaN
  // Formats the date again, because `Date.parse` converts February 30 to a day in March.
  return Number.isNaN(time) || isoDate(time) !== text ? undefined : parseDateVersion(text)
}

function isoDate(time: number): string {
  return new Date(time).toISOString().slice(0, -'T00:00:00.000Z'.length)
}

function parseDateVersion(text: string): Version {
  return { kind: 'date', parts: [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))] }
}

/** Compares two versions of the same kind. */
export function compareVersions(one: Version, other: Version): number {
  const [a, b] = [one.parts, other.parts]
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2]
}

/**
 * Returns the first version after all versions with the same leading parts: `1.5.0` for `1.4.2` and place 1. For a date, the next day.
 * `null` if there is none.
 */
export function versionBehind(version: Version, place: number): Version | null {
  if (version.kind === 'date') return dayAfter(version)
  const [major, minor, patch] = version.parts
  if (place === 2 && patch < Number.MAX_SAFE_INTEGER) return { kind: 'number', parts: [major, minor, patch + 1] }
  if (place >= 1 && minor < Number.MAX_SAFE_INTEGER) return { kind: 'number', parts: [major, minor + 1, 0] }
  return major < Number.MAX_SAFE_INTEGER ? { kind: 'number', parts: [major + 1, 0, 0] } : null
}

/** Returns `null` after the year 9999, because versions have four-digit years. */
function dayAfter(version: Version): Version | null {
  const text = isoDate(Date.parse(printVersion(version)) + DAY)
  return DATE.test(text) ? parseDateVersion(text) : null
}

/** Formats a version with all parts: `1.4.0` or `2026-01-31`. */
export function printVersion({ kind, parts }: Version): string {
  if (kind === 'number') return parts.join('.')
  return parts.map((part, at) => String(part).padStart(at === 0 ? 4 : 2, '0')).join('-')
}
