/** Path templates: `/users/{id}`, `/files/{path...}`. */
import { SetupError } from '../errors/setup-error.js'
import { findFlaw } from './flaw.js'

export interface Template {
  readonly text: string
  readonly segments: readonly Segment[]
  readonly names: readonly string[]
}

/** What stands between two slashes. A parameter is one segment of the path, a wildcard one or more; no segment is empty. */
export type Segment =
  /** In the form that requests are compared with: NFC, percent-encoded with upper-case digits (RFC 3986 section 2.1). */
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'parameter' | 'wildcard'; readonly name: string }

export function parseTemplate(text: string, owner: string): Template {
  const flaw = findFlaw(text)
  if (flaw !== undefined) {
    // A control character in the message would reach the terminal of whoever reads it.
    const path = text.replace(/[\p{Cc}\p{Cs}]/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    throw new SetupError('TEMPLATE_INVALID', `Cannot use the path "${path}" of "${owner}": ${flaw}`)
  }
  const segments = text === '/' ? [] : text.slice(1).split('/').map(readSegment)
  const names = segments.flatMap((segment) => (segment.kind === 'literal' ? [] : segment.name))
  return { text, segments, names }
}

/** The spelling of a literal that counts (RFC 3986 section 3.3). What `encodeURI` would leave wrongly is a flaw of a template. */
export function plainForm(text: string): string {
  return encodeURI(text.normalize('NFC'))
}

function readSegment(text: string): Segment {
  if (!text.startsWith('{')) return { kind: 'literal', text: plainForm(text) }
  if (text.endsWith('...}')) return { kind: 'wildcard', name: text.slice(1, -4) }
  return { kind: 'parameter', name: text.slice(1, -1) }
}

/** Fills a template with values: a match of the result gives them back, unless another template has one of them as a literal. */
export function fillTemplate(template: Template, params: Readonly<Record<string, string>>): string {
  return `/${template.segments.map((segment) => fillSegment(segment, template, params)).join('/')}`
}

function fillSegment(segment: Segment, template: Template, params: Readonly<Record<string, string>>): string {
  if (segment.kind === 'literal') return segment.text
  const value = Object.hasOwn(params, segment.name) ? params[segment.name] : undefined
  if (typeof value !== 'string') throw templateError(template, segment.name, 'it has no text as its value')
  const parts = segment.kind === 'wildcard' ? value.split('/') : [value]
  const isSplit = segment.kind === 'wildcard' && value.includes('\\')
  const flaw = isSplit ? 'requests with a backslash in a wildcard are refused' : parts.map(partFlaw).find(Boolean)
  if (flaw !== undefined) throw templateError(template, segment.name, flaw)
  return parts.map(encodeURIComponent).join('/')
}

function partFlaw(part: string): string | undefined {
  if (part === '') return 'it would leave a segment empty'
  if (part === '.' || part === '..') return `clients remove the segment "${part}"`
  return /\p{Cs}/u.test(part) ? 'it has half a surrogate pair' : undefined
}

function templateError(template: Template, name: string, state: string): Error {
  return new Error(`Cannot fill "${name}" of the path "${template.text}": ${state}. Give another value for "${name}"`)
}

/**
 * What the parameters of a template look like to its endpoints: one string for each name. A template that is not a
 * literal type (its `static path` is not `readonly`) gives a type whose only key says so; anything but a string none.
 */
export type ParamsOf<Path> = Path extends string ? ParamsOfText<Path> : Record<never, string>

type ParamsOfText<Path extends string> = string extends Path
  ? { 'declare it `static readonly`': never }
  : { [Name in NamesIn<Path>]: string }

type NamesIn<Path extends string, Found extends string = never> = Path extends `${string}{${infer Text}}${infer Rest}`
  ? NamesIn<Rest, Found | WithoutDots<Text>>
  : Found

type WithoutDots<Text extends string> = Text extends `${infer Name}...` ? Name : Text
