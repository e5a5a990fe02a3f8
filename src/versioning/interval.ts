/** Sets of versions of one kind, as half-open intervals: their arithmetic. */
import { compareVersions, LEAST, printVersion, versionBehind, type Version } from './version.js'

interface Interval {
  readonly from: Version
  /** The first version that is not in it; `null` where it has no end. */
  readonly to: Version | null
}

/** A set of versions: intervals in order that neither overlap nor touch. The empty set is the empty list. */
export type Intervals = readonly Interval[]

export function intervalOf(from: Version, to: Version | null): Intervals {
  return to !== null && compareVersions(from, to) >= 0 ? [] : [{ from, to }]
}

/** Unites intervals in any order, overlapping or not. */
export function unite(intervals: Intervals): Intervals {
  const united: Interval[] = []
  for (const next of intervals.toSorted((one, other) => compareVersions(one.from, other.from))) {
    const last = united.at(-1)
    if (last === undefined || endsBefore(last.to, next.from)) united.push(next)
    else united[united.length - 1] = { from: last.from, to: laterEnd(last.to, next.to) }
  }
  return united
}

function endsBefore(end: Version | null, version: Version): boolean {
  return end !== null && compareVersions(end, version) < 0
}

function laterEnd(one: Version | null, other: Version | null): Version | null {
  if (one === null || other === null) return null
  return compareVersions(one, other) > 0 ? one : other
}

export function intersect(one: Intervals, other: Intervals): Intervals {
  return one.flatMap((a) => other.flatMap((b) => intervalOf(laterStart(a.from, b.from), earlierEnd(a.to, b.to))))
}

function laterStart(one: Version, other: Version): Version {
  return compareVersions(one, other) > 0 ? one : other
}

function earlierEnd(one: Version | null, other: Version | null): Version | null {
  if (one === null || other === null) return one ?? other
  return compareVersions(one, other) < 0 ? one : other
}

/** What a set leaves out between its first version and its last. */
export function gaps(set: Intervals): Intervals {
  return set.flatMap(({ from }, index) => {
    const end = set[index - 1]?.to ?? null
    return end === null ? [] : [{ from: end, to: from }]
  })
}

export function contains(set: Intervals, version: Version): boolean {
  return set.some(
    ({ from, to }) => compareVersions(from, version) <= 0 && (to === null || compareVersions(version, to) < 0),
  )
}

/** Writes an interval as the shortest constraint that means it: `>=1.2.0 <2.0.0`, `<2.0.0`, `1.2.3`, or `*` for all. */
export function printInterval({ from, to }: Interval): string {
  const least = LEAST[from.kind]
  const isOpen = compareVersions(from, least) === 0
  if (to === null) return isOpen && from.kind === 'number' ? '*' : `>=${printVersion(from)}`
  if (isSame(versionBehind(from, 2), to)) return printVersion(from)
  return isOpen ? `<${printVersion(to)}` : `>=${printVersion(from)} <${printVersion(to)}`
}

function isSame(one: Version | null, other: Version): boolean {
  return one !== null && compareVersions(one, other) === 0
}
