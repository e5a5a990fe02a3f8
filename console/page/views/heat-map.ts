/** Heat map of durations over up to ten minutes. Selecting a cell with the mouse or the arrow keys lists its requests. */
import { chart, paintEmpty, timeAxis, type Chart } from '../dom/chart.js'
import { h, s } from '../dom/h.js'
import { span } from '../../../src/devconsole/wire/span.js'
import { say } from '../dom/notice.js'
import { clock, formatCount, ms } from '../pure/format.js'
import { clamp, logarithmic, logTicks, sum, tickLabel, timeLabels } from '../pure/geometry.js'
import { findBand, bandStart } from '../pure/histogram.js'
import { HEAT_BANDS, HEAT_RANGE, type Episode, type HeatColumn } from '../pure/performance.js'

const LEFT = 48
const RIGHT = 12
const TOP = 6
const BOTTOM = 20
const SLICE_MS = 10_000
const SLICE_SECONDS = SLICE_MS / 1_000

interface HeatData {
  readonly columns: readonly HeatColumn[]
  readonly episode: Episode | null
}

interface Cell {
  readonly column: number
  readonly band: number
}

export function heatMap(data: () => HeatData, list: (q: string) => void): Chart {
  let cursor: Cell | null = null
  const label = () => `Heat map of the last ${span(data().columns.length * SLICE_MS)}: ${describeMap(data())}`
  const map = chart('chart tall', label, (svg, width, height) => paintHeatMap(svg, data(), { width, height, cursor }))
  const choose = (cell: Cell) => list(cellQuery(data(), cell))
  map.element.addEventListener('click', (event) => {
    const cell = event.target instanceof Element ? findCell(event.target) : null
    if (cell !== null) choose(cell)
  })
  const keydown = (event: KeyboardEvent) => {
    const next = moveCursor(cursor, event.key, data().columns.length - 1)
    if (event.key === 'Enter' && cursor !== null) choose(cursor)
    if (next === null) return
    event.preventDefault()
    cursor = next
    say(describeCell(data(), next))
    map.draw()
  }
  const blur = () => {
    cursor = null
    map.draw()
  }
  const hint = 'Latency heat map. Arrow keys choose a cell, Enter lists its calls'
  const attributes = { tabindex: '0', role: 'group', 'aria-label': hint, on: { keydown, blur } }
  return { element: h('div', attributes, map.element), draw: map.draw }
}

function findCell(target: Element): Cell | null {
  const [column, band] = (target.getAttribute('data-cell') ?? '').split(' ').map(Number)
  return column === undefined || band === undefined ? null : { column, band }
}

const MOVES: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
}

function moveCursor(cell: Cell | null, key: string, last: number): Cell | null {
  const move = Object.hasOwn(MOVES, key) ? MOVES[key] : undefined
  if (move === undefined) return null
  const from = cell ?? { column: last, band: findBand(10, HEAT_RANGE, HEAT_BANDS) }
  return {
    column: clamp(from.column + move[0], 0, last),
    band: clamp(from.band + move[1], 0, HEAT_BANDS - 1),
  }
}

function cellBounds({ band }: Cell): readonly [low: number, high: number] {
  return [bandStart(band, HEAT_RANGE, HEAT_BANDS), bandStart(band + 1, HEAT_RANGE, HEAT_BANDS)]
}

/** Finds at least the requests of a cell. They are counted when they end, and in buckets that are 9 % wide. */
function cellQuery(data: HeatData, cell: Cell): string {
  const [low, high] = cellBounds(cell)
  const [least, most] = [low * 0.95, high * 1.05].map((bound) => `${Number(bound.toPrecision(3))}ms`)
  const time = data.columns[cell.column]?.time ?? 0
  const before = `before:${clock(time + SLICE_MS)[0]}`
  if (cell.band === HEAT_BANDS - 1) return `dur:>=${least} ${before}`
  return `dur:${least}..${most} after:${clock(time - high * 1.05)[0]} ${before}`
}

function describeCell(data: HeatData, cell: Cell): string {
  const column = data.columns[cell.column]
  const [low, high] = cellBounds(cell)
  const count = column?.bands[cell.band] ?? 0
  return `${formatCount(count, 'call')}, ${ms(low)} to ${ms(high)}, from ${clock(column?.time ?? 0)[0]}`
}

function describeMap({ columns, episode }: HeatData): string {
  const calls = sum(columns.flatMap(({ bands }) => bands))
  const time = episode === null ? '' : `; slowest from ${clock(columns[episode.first]?.time ?? 0)[0]}`
  return `${formatCount(calls, 'call')}${time}. The endpoint table has the figures`
}

interface MapSize {
  readonly width: number
  readonly height: number
  readonly cursor: Cell | null
}

function paintHeatMap(svg: SVGSVGElement, data: HeatData, { width, height, cursor }: MapSize): void {
  const [w, h] = [(width - LEFT - RIGHT) / data.columns.length, (height - TOP - BOTTOM) / HEAT_BANDS]
  const place = (column: number, band: number) => ({
    x: LEFT + column * w + 0.5,
    y: TOP + (HEAT_BANDS - 1 - band) * h + 0.5,
    width: Math.max(0.5, w - 1),
    height: Math.max(0.5, h - 1),
  })
  const highest = Math.max(1, ...data.columns.flatMap(({ bands }) => bands))
  for (const [column, { bands }] of data.columns.entries()) {
    for (const [band, count] of bands.entries()) {
      if (count === 0) continue
      const opacity = (0.1 + 0.9 * (count / highest) ** 0.55).toFixed(2)
      const title = s('title', null, describeCell(data, { column, band }))
      svg.append(
        s('rect', { class: 'cell', 'data-cell': `${column} ${band}`, rx: 1, opacity, ...place(column, band) }, title),
      )
    }
  }
  if (svg.childElementCount === 0) paintEmpty(svg, width, height)
  if (cursor !== null) svg.append(s('rect', { class: 'cursor', rx: 2, ...place(cursor.column, cursor.band) }))
  paintAxes(svg, { width, height }, data.columns.length)
  if (data.episode !== null) paintEpisode(svg, data.episode, { w, height })
}

function paintAxes(svg: SVGSVGElement, { width, height }: Omit<MapSize, 'cursor'>, columnCount: number): void {
  const { low, high } = HEAT_RANGE
  const scale = logarithmic([low, high], [height - BOTTOM + 3, TOP + 3])
  for (const tick of logTicks(low, high)) {
    const y = Math.max(TOP + 8, scale(tick))
    svg.append(s('text', { class: 'axis', x: LEFT - 7, y, 'text-anchor': 'end' }, tickLabel(tick)))
  }
  svg.append(...timeAxis({ x1: LEFT, x2: width - RIGHT, y: height - 5 }, timeLabels(columnCount * SLICE_SECONDS)))
}

function paintEpisode(svg: SVGSVGElement, episode: Episode, { w, height }: { w: number; height: number }): void {
  const x = LEFT + episode.first * w - 2
  const width = (episode.last - episode.first + 1) * w + 4
  const isLeft = x > 180
  const look = { rx: 3, fill: 'none', stroke: 'var(--g-warn)', 'stroke-dasharray': '3 3' }
  svg.append(s('rect', { x, y: TOP, width, height: height - TOP - BOTTOM, ...look }))
  const text = `p99 ${episode.factor.toFixed(1)} times normal`
  const anchor = { x: isLeft ? x - 8 : x + width + 8, y: TOP + 10, 'text-anchor': isLeft ? 'end' : 'start' }
  svg.append(s('text', { class: 'axis strong halo', ...anchor }, text))
}
