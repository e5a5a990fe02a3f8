/**
 * The filter of the list of requests: terms that must all hold. The page and the HAR export read the same text.
 *
 *     status:5xx  -method:GET  dur:>200ms  path:/users/*  is:slow  "not found"
 *
 * Every part works in time that is linear in the text, whoever wrote it: there is no regular expression made of it.
 */
import { FILTER_KEYS } from './filter-keys.js'
import type { FilterTest } from './filter-values.js'
import type { RequestSummary } from './request-types.js'

/** A term that does not count, and why. */
export interface FilterError {
  readonly term: string
  readonly message: string
}

export interface Filter {
  /** Terms that do not count; the others do. */
  readonly errors: readonly FilterError[]
  /** Whether it lets everything through. */
  readonly isEmpty: boolean
  readonly matches: FilterTest
}

export const LONGEST_FILTER = 1_000

interface Term {
  readonly source: string
  readonly negated: boolean
  readonly key: string | null
  readonly value: string
}

/** Reads a filter. It never throws: what it cannot read stands in `errors`. */
export function parseFilter(text: string): Filter {
  const errors: FilterError[] = []
  const tests: FilterTest[] = []
  if (text.length > LONGEST_FILTER) {
    errors.push({ term: '', message: `Only the first ${LONGEST_FILTER} characters of a filter are read` })
  }
  for (const term of termsOf(text.slice(0, LONGEST_FILTER))) {
    const test = testOf(term)
    if (typeof test === 'string') errors.push({ term: term.source, message: test })
    else tests.push(term.negated ? (target) => !test(target) : test)
  }
  return { errors, isEmpty: tests.length === 0, matches: (target) => tests.every((test) => test(target)) }
}

/** Splits at spaces outside of quotes. */
function* termsOf(text: string): Generator<Term> {
  let start = 0
  while (start < text.length) {
    if (isSpace(text, start)) {
      start++
      continue
    }
    const end = endOfTerm(text, start)
    yield termOf(text.slice(start, end))
    start = end
  }
}

function endOfTerm(text: string, start: number): number {
  let isQuoted = false
  for (let at = start; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted
    else if (!isQuoted && isSpace(text, at)) return at
  }
  return text.length
}

function isSpace(text: string, at: number): boolean {
  return text.charCodeAt(at) <= 32
}

function termOf(source: string): Term {
  const negated = source.startsWith('-') && source.length > 1
  const rest = negated ? source.slice(1) : source
  const colon = rest.startsWith('"') ? -1 : rest.indexOf(':')
  const value = rest.slice(colon + 1).replaceAll('"', '')
  return { source, negated, value, key: colon > 0 && isKey(rest, colon) ? rest.slice(0, colon).toLowerCase() : null }
}

/** A colon after anything but letters is part of a text, as in `14:03`. */
function isKey(text: string, end: number): boolean {
  for (let at = 0; at < end; at++) {
    const code = text.charCodeAt(at) | 32
    if (code < 97 || code > 122) return false
  }
  return true
}

function testOf(term: Term): FilterTest | string {
  if (term.key === null) return textTest(term)
  const key = FILTER_KEYS.get(term.key)
  if (key === undefined) return `Unknown key "${term.key}". Keys are ${[...FILTER_KEYS.keys()].join(', ')}`
  if (term.value === '') return `"${term.key}:" needs a value: ${key.hint}`
  return key.test(term.value) ?? `"${term.key}:" takes ${key.hint}`
}

function textTest(term: Term): FilterTest {
  const source = term.negated ? term.source.slice(1) : term.source
  const text = source.replaceAll('"', '').toLowerCase()
  return ({ summary, logText = '' }) => searchable(summary).includes(text) || logText.includes(text)
}

function searchable(summary: RequestSummary): string {
  const query = summary['url.query'] === '' ? '' : `?${summary['url.query']}`
  const handler = summary['code.function.name'] ?? ''
  return `${summary['http.request.method']} ${summary['url.path']}${query} ${handler} ${summary.id}`.toLowerCase()
}
