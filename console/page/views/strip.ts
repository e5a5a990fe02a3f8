/** Strip above the list: the requests of the last minute by duration, on a log scale. */
import type { RequestSummary } from '../../../src/devconsole/wire/request-types.js'
import { chart, gridLine, timeAxis, type Chart } from '../dom/chart.js'
import { s } from '../dom/h.js'
import { describeRequest } from '../pure/format.js'
import { linear, logarithmic, tickLabel, type Scale, clamp } from '../pure/geometry.js'

const SPAN_MS = 60_000
const LABELS = ['−60 s', '−45 s', '−30 s', '−15 s', 'now']
/** Width of half a mark at both ends, so that marks do not cover labels. */
const MARGIN = 5
const COLORS = ['--g-none', '--g-ok', '--g-ok', '--g-info', '--g-warn', '--g-bad']

export interface StripData {
  readonly records: readonly RequestSummary[]
  /** Ids of the records that match the filter. */
  readonly matching: ReadonlySet<string>
  readonly selected: string | null
  /** End of the minute, in ms since 1970. */
  readonly now: number
}

export function stripChart(data: () => StripData, open: (id: string) => void): Chart {
  const label = () => {
    const visibleCount = data().records.filter((record) => record.time > data().now - SPAN_MS).length
    return `${visibleCount} requests of the last minute by duration; the list has them in words`
  }
  const strip = chart('strip', label, (svg, width, height) => paintStrip(svg, { ...data(), width, height }))
  strip.element.addEventListener('click', (event) => {
    const mark = event.target instanceof Element ? event.target.closest('[data-id]') : null
    const id = mark?.getAttribute('data-id') ?? null
    if (id !== null) open(id)
  })
  return strip
}

function paintStrip(svg: SVGSVGElement, data: StripData & { readonly width: number; readonly height: number }): void {
  const { width, height, now, selected } = data
  const [x1, x2] = [46, width - 14]
  const y = logarithmic([0.4, 4_000], [height - 24, 9])
  const x = linear([now - SPAN_MS, now], [x1 + MARGIN, x2 - MARGIN])
  for (const tick of [1, 30, 1_000]) svg.append(...gridLine({ x1, x2, y: y(tick) }, tickLabel(tick)))
  svg.append(...timeAxis({ x1, x2, y: height - 4 }, LABELS))
  for (const record of data.records) {
    if (record.time < now - SPAN_MS) continue
    svg.append(requestMark(record, { x, y }, data.matching.has(record.id)))
    if (record.id !== selected) continue
    const center = { cx: x(record.time), cy: y(record['dev.duration']) }
    svg.append(s('circle', { ...center, r: 7.5, fill: 'none', stroke: 'var(--accent)', 'stroke-width': 1.8 }))
  }
}

function requestMark(
  record: RequestSummary,
  scale: { readonly x: Scale; readonly y: Scale },
  isOn: boolean,
): SVGElement {
  const kind = clamp(Math.floor(record['http.response.status_code'] / 100), 0, 5)
  const [x, y] = [scale.x(record.time), scale.y(record['dev.duration'])]
  const strength = kind >= 4 ? 0.95 : 0.65
  const look = {
    class: 'mark',
    'data-id': record.id,
    fill: `var(${COLORS[kind] ?? '--g-none'})`,
    opacity: isOn ? strength : 0.12,
  }
  const title = s('title', null, describeRequest(record))
  if (kind === 5) return s('path', { ...look, d: `M${x} ${y - 4.6}l4.4 7.8h-8.8z` }, title)
  if (kind === 4) return s('rect', { ...look, x: x - 2.8, y: y - 2.8, width: 5.6, height: 5.6 }, title)
  return s('circle', { ...look, cx: x, cy: y, r: 2.7 }, title)
}
