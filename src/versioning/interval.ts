/** Sets of versions of one kind, as half-open intervals: their arithmetic. */
import { compareVersions, MIN_VERSION, printVersion, versionBehind, type Version } from './version.js'

interface Interval {
  readonly from: Version
  /** The first version that is not in it; `null` where it has no end. */
  readonly to: Version | null
}

/** A set of versions: intervals in order that neither overlap nor touch. The empty set is the empty list. */
export type Intervals = readonly Interval[]

export function toInterval(from: Version, to: Version | null): Intervals {
  return compareEnds(from, to) < 0 ? [{ from, to }] : []
}

/** No end is behind all versions. */
function compareEnds(one: Version | null, other: Version | null): number {
  return one === null || other === null ? Number(one === null) - Number(other === null) : compareVersions(one, other)
}

function later<End extends Version | null>(one: End, other: End): End {
  return compareEnds(one, other) > 0 ? one : other
}

export function uniteIntervals(intervals: Intervals): Intervals {
  const united: Interval[] = []
  for (const next of intervals.toSorted((one, other) => compareVersions(one.from, other.from))) {
    const last = united.at(-1)
    if (last === undefined || compareEnds(last.to, next.from) < 0) united.push(next)
    else united[united.length - 1] = { from: last.from, to: later(last.to, next.to) }
  }
  return united
}

export function intersect(one: Intervals, other: Intervals): Intervals {
  return one.flatMap((a) =>
    other.flatMap((b) => toInterval(later(a.from, b.from), compareEnds(a.to, b.to) < 0 ? a.to : b.to)),
  )
}

/** What a set leaves out between its first version and its last. */
export function gaps(set: Intervals): Intervals {
  return set.flatMap(({ from }, index) => {
    const end = set[index - 1]?.to ?? null
    return end === null ? [] : [{ from: end, to: from }]
  })
}

export function contains(set: Intervals, version: Version): boolean {
  return set.some(({ from, to }) => compareVersions(from, version) <= 0 && compareEnds(version, to) < 0)
}

/** Writes an interval as the shortest constraint that means it: `>=1.2.0 <2.0.0`, `<2.0.0`, `1.2.3`, or `*` for all. */
export function printInterval({ from, to }: Interval): string {
  const isOpen = compareVersions(from, MIN_VERSION[from.kind]) === 0
  if (to === null) return isOpen && from.kind === 'number' ? '*' : `>=${printVersion(from)}`
  if (compareEnds(versionBehind(from, 2), to) === 0) return printVersion(from)
  return isOpen ? `<${printVersion(to)}` : `>=${printVersion(from)} <${printVersion(to)}`
}
