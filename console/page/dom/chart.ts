/** Charts in SVG. A chart is drawn again when its size changes. */
import { h, s } from './h.js'

export interface Chart {
  readonly element: HTMLElement
  /** Draws the chart again. */
  readonly draw: () => void
}

/** Paints a chart into an empty SVG element of this width and height. */
type Paint = (svg: SVGSVGElement, width: number, height: number) => void

/** Function of each chart that receives its new size. Reading the size from the page at each draw would force a layout. */
const resizeListeners = new WeakMap<Element, (size: DOMRectReadOnly) => void>()

const observer = new ResizeObserver((entries) => {
  for (const entry of entries) resizeListeners.get(entry.target)?.(entry.contentRect)
})

export function chart(className: string, label: () => string, paint: Paint): Chart {
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
  resizeListeners.set(svg, (size) => {
    width = size.width
    height = size.height
    draw()
  })
  observer.observe(svg)
  return { element, draw }
}

/** Returns a line of the grid, with its label to the left. */
export function gridLine(
  place: { readonly x1: number; readonly x2: number; readonly y: number },
  text: string,
): Node[] {
  const y = Math.round(place.y) + 0.5
  const label = s('text', { class: 'axis', x: place.x1 - 7, y: place.y + 3.5, 'text-anchor': 'end' }, text)
  return [s('line', { class: 'grid-l', x1: place.x1, x2: place.x2, y1: y, y2: y }), label]
}

/** Returns the labels of a time axis that ends now. In a narrow chart, every second label is omitted. */
export function timeAxis(
  place: { readonly x1: number; readonly x2: number; readonly y: number },
  labels: readonly string[],
): Node[] {
  const lastIndex = labels.length - 1
  const isNarrow = place.x2 - place.x1 < 300
  return labels.flatMap((text, index) => {
    if (isNarrow && index % 2 === 1) return []
    const x = place.x1 + (index / lastIndex) * (place.x2 - place.x1)
    return s('text', { class: 'axis', x, y: place.y, 'text-anchor': textAnchor(index, lastIndex) }, text)
  })
}

/** Writes "no data yet" into a chart without values. */
export function paintEmpty(svg: SVGSVGElement, width: number, height: number): void {
  svg.append(s('text', { class: 'axis', x: width / 2, y: height / 2, 'text-anchor': 'middle' }, 'no data yet'))
}

function textAnchor(index: number, lastIndex: number): string {
  if (index === 0) return 'start'
  return index === lastIndex ? 'end' : 'middle'
}
