/** Icons. Each is one path in a square of 16. */
import { isViewName, VIEW_FACTS, type ViewName } from '../pure/views.js'
import { s } from './h.js'

const PATHS = {
  search: 'M3 7a4 4 0 1 0 8 0a4 4 0 1 0-8 0M10 10l3 3',
  pause: 'M5 3v10M11 3v10',
  play: 'M5 3l8 5-8 5z',
  light: 'M5 8a3 3 0 1 0 6 0a3 3 0 1 0-6 0M8 1v1M8 14v1M1 8h1M14 8h1M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  dark: 'M13 9.6A5.5 5.5 0 0 1 6.4 3 5.5 5.5 0 1 0 13 9.6z',
  system: 'M2.5 3.5h11v7h-11zM6 13h4M8 11v2',
  close: 'M4 4l8 8M12 4l-8 8',
  back: 'M10 4L6 8l4 4',
  replay: 'M13 8a5 5 0 1 1-2-4M13 2v3h-3',
  edit: 'M3 13h2l8-8-2-2-8 8z',
  copy: 'M5.5 5.5h7v7h-7zM3.5 10.5v-7h7',
  pin: 'M6 2h4v4l2 3H4l2-3zM8 9v5',
  trash: 'M3 4.5h10M6 4V2.5h4V4M4 4.5l1 9h6l1-9',
  folder: 'M2 4h4l1.5 2H14v7H2z',
  download: 'M8 2v8M5 7l3 3 3-3M3 13h10',
  down: 'M4 6l4 4 4-4',
  up: 'M8 13V3M4 7l4-4 4 4',
  command: 'M3 4l4 4-4 4M8 12h5',
  database: 'M3 4a5 2 0 1 0 10 0a5 2 0 1 0-10 0v8a5 2 0 0 0 10 0V4M3 8a5 2 0 0 0 10 0',
  clock: 'M2 8a6 6 0 1 0 12 0a6 6 0 1 0-12 0M8 5v3l2 2',
  check: 'M3 8l4 4 6-8',
  send: 'M2 8l12-5-4 11-3-4z',
} as const

export type IconName = keyof typeof PATHS | ViewName

/** Draws an icon, which screen readers skip. */
export function icon(name: IconName): SVGSVGElement {
  const path = isViewName(name) ? VIEW_FACTS[name].icon : PATHS[name]
  return s('svg', { class: 'i', viewBox: '0 0 16 16', 'aria-hidden': 'true' }, s('path', { d: path }))
}
