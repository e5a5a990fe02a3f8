/** Geometry of charts: scales, ticks and paths. */

export type Point = readonly [x: number, y: number]

/** Converts a value to a coordinate. */
export type Scale = (value: number) => number

/** Creates a linear scale. */
export function linear(from: Point, to: Point): Scale {
  const factor = (to[1] - to[0]) / (from[1] - from[0] || 1)
  return (value) => to[0] + (value - from[0]) * factor
}

/** Creates a logarithmic scale. Values outside of the range are clamped. */
export function logarithmic(from: Point, to: Point): Scale {
  const inner = linear([Math.log(from[0]), Math.log(from[1])], to)
  return (value) => inner(Math.log(clamp(value, from[0], from[1])))
}

/** Returns the `d` of a path through points. `null` interrupts the path. */
export function pathThrough(points: readonly (Point | null)[]): string {
  let isOpen = false
  return points
    .map((point) => {
      if (point === null) isOpen = false
      const text =
        point === null ? '' : `${isOpen ? 'L' : 'M'}${roundCoordinate(point[0])} ${roundCoordinate(point[1])}`
      isOpen = point !== null
      return text
    })
    .join('')
}

/** Returns the `d` of the area between points and a lower line. */
export function areaBetween(points: readonly Point[], base: readonly Point[]): string {
  if (points.length === 0) return ''
  return `${pathThrough([...points, ...base.toReversed()])}Z`
}

/** Returns three or four round ticks from 0. The last one is at least `greatest`. */
export function niceTicks(greatest: number): readonly number[] {
  const rough = Math.max(greatest, 1e-6) / 3
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  const count = Math.max(1, Math.ceil(greatest / step))
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}

/** Returns the powers of ten in a range of durations. */
export function logTicks(low: number, high: number): readonly number[] {
  return [0.1, 1, 10, 100, 1_000, 10_000, 100_000].filter((tick) => tick >= low && tick <= high)
}

/** Formats the duration of a tick. */
export function tickLabel(value: number): string {
  return value >= 1_000 ? `${value / 1_000} s` : `${value} ms`
}

const LABEL_COUNT = 4
const MAX_SECONDS = 120

/** Returns the labels of a time axis that ends now: `−60 s`, `−45 s`, …, `now`, and minutes above two minutes. */
export function timeLabels(seconds: number): readonly string[] {
  const ages = Array.from({ length: LABEL_COUNT }, (_, index) => (seconds * (LABEL_COUNT - index)) / LABEL_COUNT)
  const labels = ages.map((age) =>
    seconds > MAX_SECONDS ? `−${Number((age / 60).toFixed(1))} min` : `−${Math.round(age)} s`,
  )
  return [...labels, 'now']
}

/** Duration of a bar with full length, in ms. */
const MAX_BAR_DURATION = 10_000

/** Returns the length of a row's bar in percent, on a log scale. */
export function barLength(duration: number): number {
  return Math.max(2, Math.min(1, Math.log10(1 + duration * 2) / Math.log10(1 + MAX_BAR_DURATION * 2)) * 100)
}

interface BarPiece {
  /** Index of the phase. */
  readonly index: number
  readonly start: number
  readonly length: number
}

/** Divides a bar by the share of each phase. */
export function barPieces(phases: readonly number[], total: number, length: number): readonly BarPiece[] {
  const totalSpan = Math.max(total, sum(phases), 1e-9)
  const pieces: BarPiece[] = []
  let start = 0
  for (const [index, phase] of phases.entries()) {
    const share = (phase / totalSpan) * length
    if (phase > 0) pieces.push({ index, start, length: share })
    start += share
  }
  return pieces
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value))
}

/** Returns the `d` of the area below a line. */
export function areaBelow(points: readonly Point[], bottom: number): string {
  const ends = [points[0], points.at(-1)].filter((point) => point !== undefined)
  return areaBetween(
    points,
    ends.map(([x]) => [x, bottom]),
  )
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function roundCoordinate(value: number): string {
  return String(Math.round(value * 10) / 10)
}
