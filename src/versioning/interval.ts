/** Sets of versions of the same kind, as half-open intervals, with union and intersection. */
import { compareVersions, MIN_VERSION, printVersion, versionBehind, type Version } from './version.js'

interface Interval {
  readonly from: Version
  /** First version after the interval; `null` without an upper end. */
  readonly to: Version | null
}

/** Sorted intervals that neither overlap nor touch. The empty set is an empty array. */
export type Intervals = readonly Interval[]

export function toInterval(from: Version, to: Version | null): Intervals {
  return compareEnds(from, to) < 0 ? [{ from, to }] : []
}

/** Compares upper ends; `null` is greater than all versions. */
function compareEnds(one: Version | null, other: Version | null): number {
  return one === null || other === null ? Number(one === null) - Number(other === null) : compareVersions(one, other)
}

function laterEnd<End extends Version | null>(one: End, other: End): End {
  return compareEnds(one, other) > 0 ? one : other
}

export function uniteIntervals(intervals: Intervals): Intervals {
  const united: Interval[] = []
  for (const next of intervals.toSorted((one, other) => compareVersions(one.from, other.from))) {
    const lastInterval = united.at(-1)
    if (lastInterval === undefined || compareEnds(lastInterval.to, next.from) < 0) united.push(next)
    else united[united.length - 1] = { from: lastInterval.from, to: laterEnd(lastInterval.to, next.to) }
  }
  return united
}

export function intersect(one: Intervals, other: Intervals): Intervals {
  return one.flatMap((a) =>
    other.flatMap((b) => toInterval(laterEnd(a.from, b.from), compareEnds(a.to, b.to) < 0 ? a.to : b.to)),
  )
}

/** Returns the gaps between the intervals of a set. */
export function gaps(set: Intervals): Intervals {
  return set.flatMap(({ from }, index) => {
    const end = set[index - 1]?.to ?? null
    return end === null ? [] : [{ from: end, to: from }]
  })
}

export function contains(set: Intervals, version: Version): boolean {
  return set.some(({ from, to }) => compareVersions(from, version) <= 0 && compareEnds(version, to) < 0)
}

/** Formats an interval as the shortest equivalent constraint: `>=1.2.0 <2.0.0`, `<2.0.0`, `1.2.3`, or `*` for all versions. */
export function printInterval({ from, to }: Interval): string {
  const isOpen = compareVersions(from, MIN_VERSION[from.kind]) === 0
  if (to === null) return isOpen && from.kind === 'number' ? '*' : `>=${printVersion(from)}`
  if (compareEnds(versionBehind(from, 2), to) === 0) return printVersion(from)
  return isOpen ? `<${printVersion(to)}` : `>=${printVersion(from)} <${printVersion(to)}`
}
