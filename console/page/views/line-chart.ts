/** Line and area charts of the last two minutes. */
import { gridLine, paintEmpty, timeAxis } from '../dom/chart.js'
import { s } from '../dom/h.js'
import {
  areaBelow,
  areaBetween,
  clamp,
  linear,
  pathThrough,
  timeLabels,
  type Point,
  type Scale,
} from '../pure/geometry.js'
import { MAX_POINTS } from '../pure/state.js'

const LABEL_HEIGHT = 12
const MIN_POINTS = 10

/** A line, or an area from one line to another. */
export interface Line {
  readonly values: readonly (number | null)[]
  /** Lower line of an area; missing for a line. */
  readonly base?: readonly number[]
  /** Name of a custom property. */
  readonly color: string
  /** Whether the area below a line is tinted. */
  readonly isFilled?: boolean
  /** Text at the end of the line. */
  readonly label?: string
}

export interface Axes {
  readonly width: number
  readonly height: number
  /** Creates the vertical scale between two coordinates. */
  readonly scale: (bottom: number, top: number) => Scale
  readonly ticks: readonly (readonly [value: number, text: string])[]
  /** Width of the margin on the right, for labels. */
  readonly right: number
}

/** Scales and bounds of the area inside of the axes. */
interface Plot {
  readonly x: (index: number, count: number) => number
  readonly y: Scale
  readonly x1: number
  readonly x2: number
  readonly bottom: number
}

/** Draws grid, axes and lines. */
export function paintLines(svg: SVGSVGElement, lines: readonly Line[], axes: Axes): Plot {
  const { width, height } = axes
  const [x1, x2, bottom] = [44, width - axes.right, height - 18]
  const y = axes.scale(bottom, 8)
  // The seconds of a new process use the whole width.
  const span = clamp(Math.max(...lines.map(({ values }) => values.length)), MIN_POINTS, MAX_POINTS)
  const position = linear([0, span - 1], [x1, x2])
  const x = (index: number, count: number) => position(index + span - count)
  for (const [value, text] of axes.ticks) svg.append(...gridLine({ x1, x2, y: y(value) }, text))
  svg.append(...timeAxis({ x1, x2, y: height - 4 }, timeLabels(span)))
  for (const line of lines) paintLine(svg, line, { x, y, x1, x2, bottom })
  paintLabels(svg, lines, { x, y, x1, x2, bottom })
  if (lines.every(({ values }) => values.every((value) => value === null))) paintEmpty(svg, width, height)
  return { x, y, x1, x2, bottom }
}

function paintLine(svg: SVGSVGElement, line: Line, plot: Plot): void {
  const count = line.values.length
  const toPoint = (value: number, index: number): Point => [plot.x(index, count), plot.y(value)]
  const points = line.values.map((value, index) => (value === null ? null : toPoint(value, index)))
  const solid = points.filter((point) => point !== null)
  const fill = `var(${line.color})`
  if (line.base !== undefined) {
    svg.append(s('path', { d: areaBetween(solid, line.base.map(toPoint)), fill, opacity: 0.85 }))
    return
  }
  if (solid.length === 0) return
  if (line.isFilled === true) svg.append(s('path', { d: areaBelow(solid, plot.bottom), fill, opacity: 0.13 }))
  const stroke = { fill: 'none', stroke: fill, 'stroke-width': 1.6, 'stroke-linejoin': 'round' }
  // A filled area does not have gaps, so its line must not have gaps either.
  svg.append(s('path', { d: pathThrough(line.isFilled === true ? solid : points), ...stroke }))
}

/** Draws the labels at the ends of the lines. If ends are close, the labels are one below the other. */
function paintLabels(svg: SVGSVGElement, lines: readonly Line[], plot: Plot): void {
  const labels = lines.flatMap(({ label, values }) => {
    const lastValue = values.findLast((value) => value !== null)
    return label === undefined || typeof lastValue !== 'number' ? [] : [{ label, y: plot.y(lastValue) }]
  })
  let minY = Number.NEGATIVE_INFINITY
  for (const { label, y } of labels.toSorted((a, b) => a.y - b.y)) {
    const labelY = Math.max(y, minY)
    minY = labelY + LABEL_HEIGHT
    svg.append(s('text', { class: 'axis strong', x: plot.x2 + 6, y: labelY + 3.5 }, label))
  }
}
