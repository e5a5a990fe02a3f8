/** Formats of numbers, times and paths. */
import type { RequestSummary } from '../../../src/devconsole/wire/request-types.js'
import { clamp } from './geometry.js'

/** Formats a duration with three digits and its unit. */
export function ms(value: number): string {
  if (value >= 60_000) return `${(value / 60_000).toFixed(1)} min`
  if (value >= 999.5) return `${(value / 1_000).toFixed(2)} s`
  if (value >= 99.95) return `${value.toFixed(0)} ms`
  return value >= 9.995 ? `${value.toFixed(1)} ms` : `${value.toFixed(2)} ms`
}

/** Formats a size in bytes with its unit. */
export function formatBytes(value: number): string {
  if (value < 1_000) return `${value} B`
  return value < 1e6 ? `${(value / 1e3).toFixed(1)} kB` : `${(value / 1e6).toFixed(1)} MB`
}

/** Formats an integer with commas. */
export function int(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

/** Formats a share as a percentage without decimals. */
export function percent(value: number): string {
  return value > 0 && value < 0.005 ? '<1%' : `${(value * 100).toFixed(0)}%`
}

/** Formats a share as a percentage, with one decimal below 10 %. */
export function rate(value: number): string {
  if (value === 0) return '0%'
  return `${(value * 100).toFixed(value < 0.1 ? 1 : 0)}%`
}

/** Formats the time of day in the local time zone. */
export function clock(time: number): readonly [seconds: string, fraction: string] {
  const date = new Date(time)
  return [date.toTimeString().slice(0, 8), `.${String(date.getMilliseconds()).padStart(3, '0')}`]
}

/** Formats a count with its noun. */
export function formatCount(count: number, noun: string): string {
  return `${int(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** Returns the CSS class of a status, `s0` to `s5`, for its color and shape. */
export function statusClass(status: number): string {
  return `s${clamp(Math.floor(status / 100), 0, 5)}`
}

interface PathPart {
  readonly text: string
  /** Whether the part is the value of a parameter. */
  readonly isValue: boolean
}

/** Splits a path into literal text and values of parameters. */
export function pathParts(path: string, template: string | null): readonly PathPart[] {
  if (template === null) return [{ text: path, isValue: false }]
  const names = template.split('/')
  const parts: PathPart[] = []
  for (const [index, segment] of path.split('/').entries()) {
    const isValue = names[index]?.startsWith('{') === true || isBeyondWildcard(names, index)
    if (index > 0) appendPart(parts, { text: '/', isValue: false })
    appendPart(parts, { text: segment, isValue })
  }
  return parts
}

function isBeyondWildcard(names: readonly string[], index: number): boolean {
  return index >= names.length && names.at(-1)?.startsWith('{') === true
}

function appendPart(parts: PathPart[], part: PathPart): void {
  const previous = parts.at(-1)
  if (part.text === '') return
  if (previous?.isValue === part.isValue) parts[parts.length - 1] = { ...previous, text: previous.text + part.text }
  else parts.push(part)
}

/** Describes a request for titles and screen readers. */
export function describeRequest(summary: RequestSummary): string {
  const status = summary['http.response.status_code']
  const outcome = status === 0 ? 'no response' : String(status)
  return `${summary['http.request.method']} ${summary['url.path']}, ${outcome}, ${ms(summary['dev.duration'])}`
}
