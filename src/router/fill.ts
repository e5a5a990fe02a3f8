/** Reverse routing: the path that a template has for given values. */
import type { Segment, Template } from './template.js'

/**
 * Fills a template with values. Matching the result gives the same values back, unless another template has a literal
 * that is equal to one of them.
 */
export function fillTemplate(template: Template, params: Readonly<Record<string, string>>): string {
  return `/${template.segments.map((segment) => fillSegment(segment, template, params)).join('/')}`
}

function fillSegment(segment: Segment, template: Template, params: Readonly<Record<string, string>>): string {
  if (segment.kind === 'literal') return segment.text
  const value = Object.hasOwn(params, segment.name) ? params[segment.name] : undefined
  if (typeof value !== 'string') throw unfit(template, segment.name, 'it has no text as its value')
  const parts = segment.kind === 'wildcard' ? value.split('/') : [value]
  const isSplit = segment.kind === 'wildcard' && value.includes('\\')
  const flaw = isSplit ? 'requests with a backslash in a wildcard are refused' : parts.map(partFlaw).find(Boolean)
  if (flaw !== undefined) throw unfit(template, segment.name, flaw)
  return parts.map(encodeURIComponent).join('/')
}

function partFlaw(part: string): string | undefined {
  if (part === '') return 'it would leave a segment empty'
  if (part === '.' || part === '..') return `clients remove the segment "${part}"`
  return /\p{Cs}/u.test(part) ? 'it has half a surrogate pair' : undefined
}

function unfit(template: Template, name: string, state: string): Error {
  return new Error(`Cannot fill "${name}" of the path "${template.text}": ${state}. Give another value for "${name}"`)
}
