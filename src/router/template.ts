/**
 * Path templates: `/users/{id}`, `/files/{path...}`.
 *
 * @see docs/decisions/0001-context-reads-router.md
 */
import { SetupError } from '../errors/setup-error.js'
import { UNPRINTABLE, findSyntaxError } from './template-syntax.js'

export interface Template {
  readonly text: string
  readonly segments: readonly Segment[]
  readonly names: readonly string[]
}

/** Segment of a template. A parameter matches one segment of the path, a wildcard one or more. They do not match empty segments. */
export type Segment =
  /** Literal in the form of requests: NFC, percent-encoded with upper-case digits (RFC 3986 section 2.1). */
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'parameter' | 'wildcard'; readonly name: string }

export function parseTemplate(text: string, owner: string): Template {
  const reason = findSyntaxError(text)
  if (reason !== undefined) {
    // Escapes control characters, because a terminal would interpret them.
    const path = text.replace(UNPRINTABLE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    throw new SetupError('TEMPLATE_INVALID', `Cannot use the path "${path}" of "${owner}": ${reason}`)
  }
  const segments = text === '/' ? [] : text.slice(1).split('/').map(readSegment)
  const names = segments.flatMap((segment) => (segment.kind === 'literal' ? [] : segment.name))
  return { text, segments, names }
}

/** Returns the number of literal segments of a template. */
export function countLiterals(text: string): number {
  return text.split('/').filter((segment) => segment !== '' && !segment.startsWith('{')).length
}

/** Joins a prefix and a path. After a prefix, the path `/` is the prefix itself, because templates do not end with a slash. */
export function joinPaths(prefix: string, path: string): string {
  return path === '/' && prefix !== '' ? prefix : prefix + path
}

/** Returns the only valid spelling of a literal (RFC 3986 section 3.3). Templates cannot contain text that `encodeURI` does not handle. */
export function plainForm(text: string): string {
  return encodeURI(text.normalize('NFC'))
}

function readSegment(text: string): Segment {
  if (!text.startsWith('{')) return { kind: 'literal', text: plainForm(text) }
  if (text.endsWith('...}')) return { kind: 'wildcard', name: text.slice(1, -4) }
  return { kind: 'parameter', name: text.slice(1, -1) }
}

/** Values of parameters by name; an array is a list, whose items are separated by commas. */
export type FillValues = Readonly<Record<string, string | readonly string[]>>

/** Fills a template with values. A match of the result returns the same values, unless another template has one of them as a literal. */
export function fillTemplate(template: Template, params: FillValues): string {
  return `/${template.segments.map((segment) => fillSegment(segment, template, params)).join('/')}`
}

function fillSegment(segment: Segment, template: Template, params: FillValues): string {
  if (segment.kind === 'literal') return segment.text
  const { kind, name } = segment
  const value = Object.hasOwn(params, name) ? params[name] : undefined
  if (value === undefined) throw templateError(template, name, 'its value is missing')
  const text = `${value}`
  const items = typeof value === 'string' ? [value] : value
  const parts = kind === 'wildcard' ? text.split('/') : items
  const isSplit = kind === 'wildcard' && text.includes('\\')
  const reason = isSplit
    ? 'requests with a backslash in a wildcard are rejected'
    : (kind === 'wildcard' ? parts : [text]).map(findPartError).find(Boolean)
  if (reason !== undefined) throw templateError(template, name, reason)
  if (parts.includes('')) throw templateError(template, name, 'an item of the list would be empty')
  return parts.map(encodeURIComponent).join(kind === 'wildcard' ? '/' : ',')
}

function findPartError(part: string): string | undefined {
  if (part === '') return 'the segment would be empty'
  if (part === '.' || part === '..') return `clients remove the segment "${part}"`
  return /[\u{d800}-\u{dfff}]/u.test(part) ? 'it has half a surrogate pair' : undefined
}

function templateError(template: Template, name: string, state: string): Error {
  return new Error(`Cannot fill "${name}" of the path "${template.text}": ${state}. Pass another value for "${name}"`)
}

/**
 * Path parameters of a template: a string for each name. If the template is not a literal type, because its `static path` is not
 * `readonly`, or has parameters as in `/users/:id`, the only key is an error message. Types other than strings have no parameters.
 */
export type ParamsOf<Path> = Path extends string ? ParamsOfText<Path> : Record<never, string>

type ParamsOfText<Path extends string> = string extends Path
  ? { 'declare it `static readonly`': never }
  : Path extends `${string}/:${string}`
    ? { 'write `{name}` instead of `:name`': never }
    : { [Name in NamesIn<Path>]: string }

type NamesIn<Path extends string, Found extends string = never> = Path extends `${string}{${infer Text}}${infer Rest}`
  ? NamesIn<Rest, Found | WithoutDots<Text>>
  : Found

type WithoutDots<Text extends string> = Text extends `${infer Name}...` ? Name : Text
