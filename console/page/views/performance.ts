/** Performance view: seven figures, the heat map, charts, and tables of endpoints, statements and service methods. */
import type { Chart } from '../dom/chart.js'
import { fill, h, type Child } from '../dom/h.js'
import { card, pageElement } from '../dom/parts.js'
import { formatCount, ms, rate } from '../pure/format.js'
import { computeFigures, countHeatColumns, heatColumns, summarizePoints, worstEpisode } from '../pure/performance.js'
import { isSame } from '../pure/same.js'
import type { State } from '../pure/state.js'
import type { ViewContext, View } from './context.js'
import { CallTables } from './call-tables.js'
import { EndpointTable } from './endpoint-table.js'
import { heatMap } from './heat-map.js'
import { heapChart, loopChart, percentileChart, rateChart } from './performance-charts.js'
import { sparkline } from './sparkline.js'
import { sum } from '../pure/geometry.js'
import { serverNow } from '../pure/server-clock.js'

const REFRESH_MS = 3_000
const LEGEND: readonly (readonly [color: string, label: string])[] = [
  ['--g-ok', '2xx'],
  ['--g-info', '3xx'],
  ['--g-warn', '4xx'],
  ['--g-bad', '5xx'],
]

export class PerformanceView implements View {
  readonly element: HTMLElement
  readonly #kpis: HTMLElement = h('dl', { class: 'kpis' })
  readonly #table: EndpointTable = new EndpointTable()
  readonly #calls: CallTables
  readonly #note: HTMLElement = h('p', null)
  readonly #charts: readonly Chart[]
  readonly #timer: ReturnType<typeof setInterval>
  #shown: readonly unknown[] = []

  constructor(context: ViewContext) {
    const { store, feed } = context
    this.#calls = new CallTables(() => store.state.paused)
    const points = () => store.state.points
    const heat = heatMap(
      () => {
        const { slices } = store.state
        const now = serverNow()
        const columns = heatColumns(slices, now, countHeatColumns(slices, now))
        return { columns, episode: worstEpisode(slices, columns) }
      },
      (q) => context.go({ q }),
    )
    const [percentiles, rate, heap] = [percentileChart(points), rateChart(points), heapChart(points)]
    const loop = loopChart(points, () => store.state.settings.stall)
    this.#charts = [heat, percentiles, rate, loop, heap]
    const cards = h(
      'div',
      { class: 'cards' },
      card('w8', 'Latency heat map', 'stronger colour is more calls, select a cell to list them', heat.element),
      card('w4', 'Percentiles', 'of the last 5 s, log scale', percentiles.element),
      card('w4', 'Requests per second', legend(), rate.element),
      card('w4', 'Event loop delay', 'p99 per second', loop.element),
      card('w4', 'Heap', 'triangles are collections', heap.element),
      card('w12', 'Endpoints', this.#note, this.#table.element),
      this.#calls.elements,
    )
    this.element = pageElement('Performance', this.#kpis, cards)
    this.#timer = setInterval(() => void feed.refreshMetrics(), REFRESH_MS)
    void feed.refreshMetrics()
  }

  update(state: State): void {
    const next = [state.points, state.slices, state.endpoints]
    if (isSame(next, this.#shown)) return
    this.#shown = next
    fill(this.#kpis, kpis(state))
    const calls = sum(state.endpoints.map((endpoint) => endpoint.calls))
    this.#note.textContent = `${formatCount(calls, 'call')} since the start or the last clearing`
    this.#table.update(state.endpoints, state.settings.slow)
    for (const { draw } of this.#charts) draw()
  }

  dispose(): void {
    clearInterval(this.#timer)
    this.#calls.dispose()
  }
}

function legend(): HTMLElement {
  const items = LEGEND.map(([color, text]) =>
    h('span', { class: 'lgd' }, h('i', { css: { '--c': `var(${color})` } }), text),
  )
  return h('p', null, items)
}

function kpis(state: State): Child {
  const { points } = state
  const now = summarizePoints(points)
  const figures = computeFigures(points)
  const heap = `${now.heap.toFixed(now.heap < 100 ? 1 : 0)} MB`
  return [
    kpi('Throughput', `${now.rate.toFixed(1)} req/s`, sparkline(figures.rate, '--accent')),
    kpi('Error rate', rate(now.errorRate).replace('%', ' %'), sparkline(figures.errors, '--g-bad')),
    kpi('Median', formatDuration(now.p50), sparkline(figures.p50, '--text-3')),
    kpi('p99', formatDuration(now.p99), sparkline(figures.p99, '--text-3')),
    kpi('In flight', String(now.inFlight), sparkline(figures.inFlight, '--text-3')),
    kpi('Event loop p99', formatDuration(now.loopDelay), sparkline(figures.loopDelay, '--g-warn')),
    kpi('Heap used', heap, sparkline(figures.heap, '--text-3')),
  ]
}

function formatDuration(value: number | null): string {
  return value === null ? '–' : ms(value)
}

function kpi(name: string, text: string, line: SVGSVGElement): HTMLElement {
  const [value = '', unit = ''] = text.split(' ')
  return h('div', { class: 'kpi' }, h('dt', null, name), h('dd', null, value, h('small', null, unit), line))
}
