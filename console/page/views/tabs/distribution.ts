/** Distribution of the durations of an endpoint, with the position of one request. */
import type { RequestSummary } from '../../../../src/devconsole/wire/request-types.js'
import { chart } from '../../dom/chart.js'
import { s, type Child } from '../../dom/h.js'
import { emptyMessage, section } from '../../dom/parts.js'
import { isSameEndpoint, isSuccess } from '../../pure/compare.js'
import { formatCount, ms } from '../../pure/format.js'
import { clamp, logarithmic } from '../../pure/geometry.js'
import { isOfFile } from '../../pure/runs.js'

const BINS = 36
const MIN_DURATIONS = 4

/** Draws the distribution. Returns `null` for a request without an endpoint. */
export function distribution(summary: RequestSummary, records: readonly RequestSummary[]): Child {
  const durations = records
    .filter((record) => isSameEndpoint(record, summary) && isSuccess(record) && isOfFile(record) === isOfFile(summary))
    .map((record) => record['dev.duration'])
    .toSorted((a, b) => a - b)
  if (summary['code.function.name'] === null) return null
  if (durations.length < MIN_DURATIONS)
    return section('Against this endpoint', null, emptyMessage('Too few calls to compare with yet.'))
  const ownDuration = summary['dev.duration']
  const slower = durations.filter((duration) => duration < ownDuration).length / durations.length
  const text = `this call, slower than ${shareText(slower)}`
  const label = `Durations of ${durations.length} calls of this endpoint; ${text}`
  const chartView = chart(
    'ctx',
    () => label,
    (svg, width) => paintDistribution(svg, { durations, own: ownDuration, text, width }),
  )
  return section('Against this endpoint', formatCount(durations.length, 'successful call'), chartView.element)
}

function shareText(share: number): string {
  if (share === 0) return 'none'
  return share === 1 ? 'all' : `${clamp(Math.round(share * 100), 1, 99)}%`
}

interface DistributionView {
  readonly durations: readonly number[]
  readonly own: number
  readonly text: string
  readonly width: number
}

function paintDistribution(svg: SVGSVGElement, { durations, own, text, width }: DistributionView): void {
  const low = Math.max(1e-3, Math.min(durations[0] ?? own, own) * 0.8)
  const high = Math.max(durations.at(-1) ?? own, own, low * 2) * 1.25
  const x = logarithmic([low, high], [4, width - 4])
  const size = (width - 8) / BINS
  const bins = Array.from<number>({ length: BINS }).fill(0)
  for (const duration of durations) {
    const bin = clamp(Math.floor((x(duration) - 4) / size), 0, BINS - 1)
    bins[bin] = (bins[bin] ?? 0) + 1
  }
  const highest = Math.max(...bins)
  for (const [bin, count] of bins.entries()) {
    const height = (count / highest) * 28
    const look = { width: size - 1, height, rx: 1, fill: 'var(--line-2)' }
    if (count > 0) svg.append(s('rect', { x: 4 + bin * size + 0.5, y: 44 - height, ...look }))
  }
  svg.append(s('line', { class: 'grid-l', x1: 4, x2: width - 4, y1: 44.5, y2: 44.5 }))
  paintQuantiles(svg, { durations, x, width })
  const ownX = x(own)
  const anchor = { class: 'axis strong', x: clamp(ownX, 82, width - 82), y: 10, 'text-anchor': 'middle' }
  svg.append(s('line', { x1: ownX, x2: ownX, y1: 14, y2: 44, stroke: 'var(--accent)', 'stroke-width': 2 }))
  svg.append(s('text', anchor, text))
}

function paintQuantiles(
  svg: SVGSVGElement,
  { durations, x, width }: { durations: readonly number[]; x: (value: number) => number; width: number },
): void {
  let lastX = -Infinity
  for (const share of [0.5, 0.9, 0.99]) {
    const value = durations[Math.min(durations.length - 1, Math.floor(share * durations.length))] ?? 0
    const valueX = x(value)
    if (valueX - lastX < 78) continue
    lastX = valueX
    const text = `p${share * 100} ${ms(value)}`
    svg.append(s('line', { x1: valueX, x2: valueX, y1: 40, y2: 48, stroke: 'var(--text-3)' }))
    svg.append(s('text', { class: 'axis', x: clamp(valueX, 34, width - 34), y: 59, 'text-anchor': 'middle' }, text))
  }
}
