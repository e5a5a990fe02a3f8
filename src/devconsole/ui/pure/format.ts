/** How numbers, times and texts are written. */
import type { RequestSummary } from '../../wire/request-types.js'
import { clamp } from './geometry.js'

/** A duration with its unit, three digits of it. */
export function ms(value: number): string {
  if (value >= 60_000) return `${(value / 60_000).toFixed(1)} min`
  if (value >= 999.5) return `${(value / 1_000).toFixed(2)} s`
  if (value >= 99.95) return `${value.toFixed(0)} ms`
  return value >= 9.995 ? `${value.toFixed(1)} ms` : `${value.toFixed(2)} ms`
}

/** A size with its unit. */
export function formatBytes(value: number): string {
  if (value < 1_000) return `${value} B`
  return value < 1e6 ? `${(value / 1e3).toFixed(1)} kB` : `${(value / 1e6).toFixed(1)} MB`
}

/** A whole number with commas. */
export function int(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

/** A share. */
export function percent(value: number): string {
  return value > 0 && value < 0.005 ? '<1%' : `${(value * 100).toFixed(0)}%`
}

/** A small share, with a digit more. */
export function rate(value: number): string {
  if (value === 0) return '0%'
  return `${(value * 100).toFixed(value < 0.1 ? 1 : 0)}%`
}

/** The time of day in the local time zone. */
export function clock(time: number): readonly [seconds: string, fraction: string] {
  const date = new Date(time)
  return [date.toTimeString().slice(0, 8), `.${String(date.getMilliseconds()).padStart(3, '0')}`]
}

/** A count with its noun. */
export function formatCount(count: number, noun: string): string {
  return `${int(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** The class of a status for style sheets: colour and shape. Returns `s0` to `s5`. */
export function statusClass(status: number): string {
  return `s${clamp(Math.floor(status / 100), 0, 5)}`
}

/** A part of a path: text, and whether it is the value of a parameter. */
interface PathPart {
  readonly text: string
  readonly isValue: boolean
}

/** Splits a path at what the template calls parameters. */
export function pathParts(path: string, template: string | null): readonly PathPart[] {
  if (template === null) return [{ text: path, isValue: false }]
  const names = template.split('/')
  const parts: PathPart[] = []
  for (const [index, segment] of path.split('/').entries()) {
    const isValue = names[index]?.startsWith('{') === true || isBeyondWildcard(names, index)
    if (index > 0) appendUnit(parts, { text: '/', isValue: false })
    appendUnit(parts, { text: segment, isValue })
  }
  return parts
}

function isBeyondWildcard(names: readonly string[], index: number): boolean {
  return index >= names.length && names.at(-1)?.startsWith('{') === true
}

function appendUnit(parts: PathPart[], part: PathPart): void {
  const last = parts.at(-1)
  if (part.text === '') return
  if (last?.isValue === part.isValue) parts[parts.length - 1] = { ...last, text: last.text + part.text }
  else parts.push(part)
}

/** Names a request in words, for titles and screen readers. */
export function describeRequest(summary: RequestSummary): string {
  const status = summary['http.response.status_code']
  const answer = status === 0 ? 'no response' : String(status)
  return `${summary['http.request.method']} ${summary['url.path']}, ${answer}, ${ms(summary['dev.duration'])}`
}
