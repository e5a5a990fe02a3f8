/** Charts: SVG drawn at the size it is shown in, again whenever that changes. */
import { h, s } from './h.js'

export interface Chart {
  readonly element: HTMLElement
  /** Draws it anew. */
  readonly draw: () => void
}

/** Draws into an SVG element of this width and height. */
type Draw = (svg: SVGSVGElement, width: number, height: number) => void

/** Size of each chart and how it is drawn; asking the page for a size would lay it out anew. */
const drawings = new WeakMap<Element, (size: DOMRectReadOnly) => void>()

const observer = new ResizeObserver((entries) => {
  for (const entry of entries) drawings.get(entry.target)?.(entry.contentRect)
})

export function chart(className: string, label: () => string, paint: Draw): Chart {
  const svg = s('svg', { role: 'img' })
  const element = h('div', { class: className }, svg)
  let [width, height] = [0, 0]
  const draw = () => {
    if (width < 20 || height < 10) return
    svg.setAttribute('aria-label', label())
    svg.setAttribute('viewBox', `0 0 ${width} ${height}`)
    svg.replaceChildren()
    paint(svg, width, height)
  }
  const resized = (size: DOMRectReadOnly) => {
    width = size.width
    height = size.height
    draw()
  }
  drawings.set(svg, resized)
  observer.observe(svg)
  return { element, draw }
}

/** A line of the grid with its label on the left. */
export function gridLine(
  place: { readonly x1: number; readonly x2: number; readonly y: number },
  text: string,
): Node[] {
  const y = Math.round(place.y) + 0.5
  const label = s('text', { class: 'axis', x: place.x1 - 7, y: place.y + 3.5, 'text-anchor': 'end' }, text)
  return [s('line', { class: 'grid-l', x1: place.x1, x2: place.x2, y1: y, y2: y }), label]
}

/** Labels of a time axis that ends now. */
export function timeAxis(
  place: { readonly x1: number; readonly x2: number; readonly y: number },
  labels: readonly string[],
): Node[] {
  const last = labels.length - 1
  const isNarrow = place.x2 - place.x1 < 300
  return labels.flatMap((text, index) => {
    if (isNarrow && index % 2 === 1) return []
    const x = place.x1 + (index / last) * (place.x2 - place.x1)
    return s('text', { class: 'axis', x, y: place.y, 'text-anchor': textAnchor(index, last) }, text)
  })
}

/** What stands in a chart that has nothing to show. */
export function paintEmpty(svg: SVGSVGElement, width: number, height: number): void {
  svg.append(s('text', { class: 'axis', x: width / 2, y: height / 2, 'text-anchor': 'middle' }, 'no data yet'))
}

function textAnchor(index: number, last: number): string {
  if (index === 0) return 'start'
  return index === last ? 'end' : 'middle'
}
