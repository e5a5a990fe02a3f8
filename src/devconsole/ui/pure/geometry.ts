/** Geometry of charts: scales, ticks and paths. */

/** A place in a chart. */
export type Point = readonly [x: number, y: number]

/** From a value to a coordinate. */
export type Scale = (value: number) => number

/** A scale whose equal steps are equal differences. */
export function linear(from: Point, to: Point): Scale {
  const factor = (to[1] - to[0]) / (from[1] - from[0] || 1)
  return (value) => to[0] + (value - from[0]) * factor
}

/** A scale whose equal steps are equal ratios; values beyond its ends stand at them. */
export function logarithmic(from: Point, to: Point): Scale {
  const inner = linear([Math.log(from[0]), Math.log(from[1])], to)
  return (value) => inner(Math.log(clamp(value, from[0], from[1])))
}

/** The `d` of a path through points. A gap in the values begins a new piece. */
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

/** The `d` of the area between points and a line below. */
export function areaBetween(points: readonly Point[], base: readonly Point[]): string {
  if (points.length === 0) return ''
  return `${pathThrough([...points, ...base.toReversed()])}Z`
}

/** A round number that is not below any value, and three or four ticks up to it. */
export function niceTicks(greatest: number): readonly number[] {
  const rough = Math.max(greatest, 1e-6) / 3
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  const count = Math.max(1, Math.ceil(greatest / step))
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}

/** Powers of ten of durations that lie in a range. */
export function logTicks(low: number, high: number): readonly number[] {
  return [0.1, 1, 10, 100, 1_000, 10_000, 100_000].filter((tick) => tick >= low && tick <= high)
}

/** A duration at a tick. */
export function tickLabel(value: number): string {
  return value >= 1_000 ? `${value / 1_000} s` : `${value} ms`
}

const LABEL_COUNT = 4
const MAX_SECONDS = 120

/** Labels of a time axis of some seconds that ends now: `−60 s`, `−45 s`, …, `now`, in minutes for longer axes. */
export function timeLabels(seconds: number): readonly string[] {
  const ages = Array.from({ length: LABEL_COUNT }, (_, index) => (seconds * (LABEL_COUNT - index)) / LABEL_COUNT)
  const labels = ages.map((age) =>
    seconds > MAX_SECONDS ? `−${Number((age / 60).toFixed(1))} min` : `−${Math.round(age)} s`,
  )
  return [...labels, 'now']
}

/** How much of a row's bar is filled. */
const MAX_BAR_LENGTH = 10_000

/** The length of a duration on the log scale of the rows' bars. */
export function barLength(duration: number): number {
  return Math.max(2, Math.min(1, Math.log10(1 + duration * 2) / Math.log10(1 + MAX_BAR_LENGTH * 2)) * 100)
}

/** A piece of a bar. */
interface LinePiece {
  /** Index of the phase. */
  readonly index: number
  readonly start: number
  readonly length: number
}

/** The pieces of a bar: each phase takes its share of the length. */
export function barPieces(phases: readonly number[], total: number, length: number): readonly LinePiece[] {
  const totalSpan = Math.max(total, sum(phases), 1e-9)
  const pieces: LinePiece[] = []
  let start = 0
  for (const [index, phase] of phases.entries()) {
    const share = (phase / totalSpan) * length
    if (phase > 0) pieces.push({ index, start, length: share })
    start += share
  }
  return pieces
}

/** Keeps a coordinate inside of two others. */
export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value))
}

/** The outline of the room below a line. */
export function areaBelow(points: readonly Point[], bottom: number): string {
  const ends = [points[0], points.at(-1)].filter((point) => point !== undefined)
  return areaBetween(
    points,
    ends.map(([x]) => [x, bottom]),
  )
}

/** Adds up. */
export function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0)
}

function roundCoordinate(value: number): string {
  return String(Math.round(value * 10) / 10)
}
