/** Lines and areas over the last two minutes. */
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
  /** Lower line of an area; left out for a line. */
  readonly base?: readonly number[]
  /** Custom property. */
  readonly colour: string
  /** Whether the room below a line is tinted. */
  readonly isFilled?: boolean
  /** Text at its end. */
  readonly label?: string
}

/** What a chart needs besides its lines. */
export interface Axes {
  readonly width: number
  readonly height: number
  /** Makes the vertical scale of its ends. */
  readonly scale: (bottom: number, top: number) => Scale
  readonly ticks: readonly (readonly [value: number, text: string])[]
  /** Room on the right, for labels. */
  readonly right: number
}

/** The room that was drawn in. */
interface Plot {
  readonly x: (index: number, count: number) => number
  readonly y: Scale
  readonly x1: number
  readonly x2: number
  readonly bottom: number
}

/** Draws grid, axis and lines. */
export function paintLines(svg: SVGSVGElement, lines: readonly Line[], axes: Axes): Plot {
  const { width, height } = axes
  const [x1, x2, bottom] = [44, width - axes.right, height - 18]
  const y = axes.scale(bottom, 8)
  // A young process has fewer seconds, which use the whole width.
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
  const at = (value: number, index: number): Point => [plot.x(index, count), plot.y(value)]
  const points = line.values.map((value, index) => (value === null ? null : at(value, index)))
  const solid = points.filter((point) => point !== null)
  const fill = `var(${line.colour})`
  if (line.base !== undefined) {
    svg.append(s('path', { d: areaBetween(solid, line.base.map(at)), fill, opacity: 0.85 }))
    return
  }
  const last = solid.at(-1)
  if (last === undefined) return
  if (line.isFilled === true) svg.append(s('path', { d: areaBelow(solid, plot.bottom), fill, opacity: 0.13 }))
  const stroke = { fill: 'none', stroke: fill, 'stroke-width': 1.6, 'stroke-linejoin': 'round' }
  // The line above an area must not have gaps, because the area does not.
  svg.append(s('path', { d: pathThrough(line.isFilled === true ? solid : points), ...stroke }))
}

/** Beside the end of each line; where ends are close, one below the other. */
function paintLabels(svg: SVGSVGElement, lines: readonly Line[], plot: Plot): void {
  const labels = lines.flatMap(({ label, values }) => {
    const last = values.findLast((value) => value !== null)
    return label === undefined || last === undefined || last === null ? [] : [{ label, y: plot.y(last) }]
  })
  let free = Number.NEGATIVE_INFINITY
  for (const { label, y } of labels.toSorted((a, b) => a.y - b.y)) {
    const at = Math.max(y, free)
    free = at + LABEL_HEIGHT
    svg.append(s('text', { class: 'axis strong', x: plot.x2 + 6, y: at + 3.5 }, label))
  }
}
