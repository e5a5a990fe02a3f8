/** Icons: one path each, drawn in a square of 16. */
import { s } from './h.js'

const PATHS = {
  requests: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h7',
  routes: 'M3.5 3v10M3.5 5.5h4M3.5 10.5h4M9.5 3.8h3.5v3.4H9.5zM9.5 8.8h3.5v3.4H9.5z',
  performance: 'M2 11.5l3.5-5 3 3 5.5-7M2 14h12',
  logs: 'M3 2.5h10v11H3zM5.5 5.5h5M5.5 8h5M5.5 10.5h3',
  problems: 'M8 2.2l6 11H2zM8 6.5v3M8 11.4v.1',
  health: 'M1.8 8.5h3l1.6-4.2 3 8 1.6-3.8h3.2',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.4 10.4l3.1 3.1',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.2l7.5 4.8L5 12.8z',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1v1M8 14v1M1 8h1M14 8h1M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  moon: 'M13 9.6A5.5 5.5 0 0 1 6.4 3 5.5 5.5 0 1 0 13 9.6z',
  system: 'M2.5 3.5h11v7h-11zM6 13.2h4M8 10.5v2.7',
  close: 'M4 4l8 8M12 4l-8 8',
  back: 'M9.5 3.5L5 8l4.5 4.5',
  replay: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v2.6h-2.6',
  edit: 'M3 13h2.4l7-7-2.4-2.4-7 7z',
  copy: 'M5.5 5.5h7v7h-7zM3.5 10.5v-7h7',
  pin: 'M6 2.5h4l-.5 4 2.3 2.3H4.2L6.5 6.5zM8 8.8v4.7',
  trash: 'M3 4.5h10M6.2 4.5V3h3.6v1.5M4.2 4.5l.6 8.5h6.4l.6-8.5',
  download: 'M8 2.5v7.5M5 7.2l3 3 3-3M3 13h10',
  down: 'M4 6l4 4 4-4',
  up: 'M8 13V3.5M4.2 7L8 3.2 11.8 7',
  command: 'M2.8 4.5L6 8l-3.2 3.5M7.5 11.8h5.5',
  database: 'M3 4.5a5 2 0 1 0 10 0 5 2 0 1 0-10 0v7a5 2 0 0 0 10 0v-7M3 8a5 2 0 0 0 10 0',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.6',
  check: 'M3.5 8.5l3 3 6-7',
  send: 'M2.5 8l11-5-4 11-2.3-4.3z',
} as const

/** Name of an icon. */
export type IconName = keyof typeof PATHS

/**
 * Draws an icon; it says nothing to a screen reader.
 *
 * @param name of the icon
 */
export function icon(name: IconName): SVGSVGElement {
  return s('svg', { class: 'i', viewBox: '0 0 16 16', 'aria-hidden': 'true' }, s('path', { d: PATHS[name] }))
}
