/** Small line charts without axes. */
import { s } from '../dom/h.js'
import { areaBelow, pathThrough, type Point } from '../pure/geometry.js'

const WIDTH = 120
const HEIGHT = 22

/** Creates a line chart that screen readers skip, because its value is beside it. */
export function sparkline(values: readonly (number | null)[], color: string): SVGSVGElement {
  const highest = Math.max(...values.map((value) => value ?? 0), 1e-9) * 1.08
  const step = WIDTH / Math.max(1, values.length - 1)
  const points = values.flatMap((value, index): Point[] =>
    value === null ? [] : [[index * step, HEIGHT - 1.5 - (value / highest) * (HEIGHT - 3)]],
  )
  const line = { fill: 'none', stroke: `var(${color})`, 'stroke-width': 1.4, 'vector-effect': 'non-scaling-stroke' }
  return s(
    'svg',
    { class: 'spark', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    s('path', { d: areaBelow(points, HEIGHT), fill: `var(${color})`, opacity: 0.13 }),
    s('path', { d: pathThrough(points), ...line }),
  )
}
