/** Charts of the performance view, except the heat map. */
import type { MetricsPoint } from '../../../src/devconsole/wire/feed-types.js'
import { chart, type Chart } from '../dom/chart.js'
import { s } from '../dom/h.js'
import { linear, logarithmic, logTicks, niceTicks, tickLabel, sum } from '../pure/geometry.js'
import { computeFigures } from '../pure/performance.js'
import { paintLines, type Axes, type Line } from './line-chart.js'

/** Returns the current points. Charts call it at each draw. */
type Points = () => readonly MetricsPoint[]

export function percentileChart(points: Points): Chart {
  return chart(
    'chart tall',
    () => 'Percentiles of durations, on a log scale',
    (svg, width, height) => {
      const { p50, p95, p99 } = computeFigures(points())
      const lines: readonly Line[] = [
        { values: p99, color: '--g-bad', label: 'p99' },
        { values: p95, color: '--g-warn', label: 'p95' },
        { values: p50, color: '--accent', label: 'p50' },
      ]
      const present = [...p50, ...p99].filter((value) => value !== null)
      const low = Math.min(1, ...present.map((value) => value * 0.8))
      const high = Math.max(1_000, ...present.map((value) => value * 1.2))
      const ticks = logTicks(low, high).map((tick) => [tick, tickLabel(tick)] as const)
      const scale = (bottom: number, top: number) => logarithmic([Math.max(low, 0.01), high], [bottom, top])
      paintLines(svg, lines, { width, height, scale, ticks, right: 34 })
    },
  )
}

/** Creates the chart of requests per second by status class, as stacked areas. */
export function rateChart(points: Points): Chart {
  return chart(
    'chart',
    () => 'Requests per second by class of status',
    (svg, width, height) => {
      const rows = points().map(({ classes }) => classes)
      const upTo = (last: number) => rows.map((row) => sum(row.slice(0, last + 1)))
      const zero = rows.map(() => 0)
      const lines: readonly Line[] = [
        { values: upTo(2), base: zero, color: '--g-ok' },
        { values: upTo(3), base: upTo(2), color: '--g-info' },
        { values: upTo(4), base: upTo(3), color: '--g-warn' },
        { values: upTo(5), base: upTo(4), color: '--g-bad' },
      ]
      paintLines(svg, lines, { width, height, right: 12, ...linearAxis(Math.max(4, ...upTo(5)), '') })
    },
  )
}

/** Creates the chart of the event loop delay, with a line at the limit of a stall. */
export function loopChart(points: Points, limit: () => number): Chart {
  return chart(
    'chart',
    () => `Event loop delay, p99 of each second; a stall is ${limit()} ms`,
    (svg, width, height) => {
      const { loopDelay } = computeFigures(points())
      const highest = Math.max(limit() * 1.2, ...loopDelay.map((value) => value ?? 0))
      const axes = { width, height, right: 12, ...linearAxis(highest, ' ms') }
      const plot = paintLines(svg, [{ values: loopDelay, color: '--g-warn', isFilled: true }], axes)
      const y = plot.y(limit())
      svg.append(
        s('line', { x1: plot.x1, x2: plot.x2, y1: y, y2: y, stroke: 'var(--g-bad)', 'stroke-dasharray': '4 3' }),
      )
    },
  )
}

/** Creates the chart of the used heap. Triangles mark garbage collections. */
export function heapChart(points: Points): Chart {
  return chart(
    'chart',
    () => 'Heap used, collections marked',
    (svg, width, height) => {
      const { heap } = computeFigures(points())
      const axes = { width, height, right: 12, ...linearAxis(Math.max(1, ...heap) * 1.1, ' MB') }
      const plot = paintLines(svg, [{ values: heap, color: '--accent', isFilled: true }], axes)
      for (const [index, { gc }] of points().entries()) {
        const d = `M${plot.x(index, points().length)} ${plot.bottom}l3.5 5h-7z`
        if (gc > 0) svg.append(s('path', { d, fill: 'var(--text-3)' }))
      }
    },
  )
}

function linearAxis(greatest: number, unit: string): Pick<Axes, 'scale' | 'ticks'> {
  const values = niceTicks(greatest)
  const top = values.at(-1) ?? 1
  const label = (value: number, index: number) =>
    `${Number(value.toPrecision(3))}${index === values.length - 1 ? unit : ''}`
  return {
    scale: (bottom, end) => linear([0, top], [bottom, end]),
    ticks: values.map((value, index) => [value, label(value, index)]),
  }
}
