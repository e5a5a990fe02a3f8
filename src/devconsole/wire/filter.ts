/**
 * The filter of the request list: terms that must all match. The page and the HAR export use the same syntax.
 *
 *     status:5xx  -method:GET  dur:>200ms  path:/users/*  is:slow  "not found"
 *
 * Parsing takes time linear in the length of the filter, and each test takes time linear in the length of the value.
 */
import {
  type FilterTest,
  type LocalClock,
  clockTest,
  globTest,
  numberTest,
  prefixTest,
  UNITS,
  versionTest,
} from './filter-values.js'
import type { Message, RequestRecord, RequestSummary } from './request-types.js'

export interface FilterError {
  readonly term: string
  readonly message: string
}

export interface Filter {
  readonly errors: readonly FilterError[]
  readonly isEmpty: boolean
  /** Whether a term searches headers or bodies, which only the app has. */
  readonly needsRecord: boolean
  readonly matches: FilterTest
  /** Whether a request matches, with its log, headers and bodies. */
  readonly matchesRecord: (summary: RequestSummary, record: RequestRecord) => boolean
}

export const MAX_FILTER_LENGTH = 1_000

interface Term {
  readonly source: string
  readonly negated: boolean
  readonly key: string | null
  readonly value: string
}

/**
 * Parses a filter. Never throws: invalid terms are in `errors`. Times of the day refer to the 24 hours before `now`.
 *
 * @param minutes time zone, as `getTimezoneOffset` returns it
 */
export function parseFilter(
  text: string,
  now: number = Date.now(),
  minutes: number = new Date(now).getTimezoneOffset(),
): Filter {
  const clock = { now, zone: minutes * 60_000 }
  const errors: FilterError[] = []
  const tests: FilterTest[] = []
  let needsRecord = false
  if (text.length > MAX_FILTER_LENGTH) {
    errors.push({ term: '', message: `Only the first ${MAX_FILTER_LENGTH} characters of a filter are read` })
  }
  for (const [source] of text.slice(0, MAX_FILTER_LENGTH).matchAll(TERMS)) {
    const term = parseTerm(source)
    const test = compileTerm(term, clock)
    needsRecord ||= OF_RECORD.has(term.key ?? '') && term.value !== ''
    if (typeof test === 'string') errors.push({ term: term.source, message: test })
    else tests.push(term.negated ? (target) => !test(target) : test)
  }
  const matches: FilterTest = (target) => tests.every((test) => test(target))
  const matchesRecord: Filter['matchesRecord'] = (summary, record) => {
    const logText = record.logs.map(({ message }) => message.toLowerCase()).join('\n')
    return matches({ summary, logText, record })
  }
  return { errors, isEmpty: tests.length === 0, needsRecord, matches, matchesRecord }
}

/** A term ends at a space outside of quotes. Every character below `!` counts as a space. */
const TERMS = /(?:"[^"]*"?|[!#-\uffff])+/g

function parseTerm(source: string): Term {
  const negated = source.startsWith('-') && source.length > 1
  const text = negated ? source.slice(1) : source
  // Only letters before a colon are a key. In `14:03`, the colon is a part of the value.
  const [prefix = '', key = null] = /^([a-z]+):/i.exec(text) ?? []
  return { source, negated, key: key && key.toLowerCase(), value: text.slice(prefix.length).replaceAll('"', '') }
}

function compileTerm(term: Term, clock: LocalClock): FilterTest | string {
  if (term.key === null) return textTest(term.value)
  const key = FILTER_KEYS.get(term.key)
  if (key === undefined) return `Unknown key "${term.key}". Keys are ${[...FILTER_KEYS.keys()].join(', ')}`
  if (term.value === '') return `"${term.key}:" needs a value: ${key.hint}`
  return key.test(term.value, clock) ?? `"${term.key}:" takes ${key.hint}`
}

function textTest(value: string): FilterTest {
  const text = value.toLowerCase()
  return ({ summary, logText = '' }) => recordSearchText(summary).includes(text) || logText.includes(text)
}

function recordSearchText(summary: RequestSummary): string {
  const query = summary['url.query'] === '' ? '' : `?${summary['url.query']}`
  const parts = [
    summary['http.request.method'],
    summary['url.path'] + query,
    handlerName(summary),
    summary.id,
    summary['dev.requestId'],
  ]
  return parts.join(' ').toLowerCase()
}

interface FilterKey {
  /** Description of the valid values, worded to follow "takes". */
  readonly hint: string
  /** Creates the test of a value; `null` if the value is invalid. */
  readonly test: (value: string, clock: LocalClock) => FilterTest | null
}

const NUMBER = 'a number, >5 or 2..5'

type Words = ReadonlyMap<string, FilterPredicate>
type FilterPredicate = (summary: RequestSummary) => boolean

const FLAGS: Words = new Map<string, FilterPredicate>([
  ['slow', flagPredicate('slow')],
  ['error', isFailure],
  ['invalid', (it) => it['dev.issues'] > 0],
  ['n+1', flagPredicate('n+1')],
  ['pinned', (it) => it['dev.pinned']],
  ['replayed', (it) => it['dev.replayOf'] !== null],
  ['inflight', flagPredicate('inflight')],
  ['aborted', flagPredicate('aborted')],
])

const PARTS: Words = new Map<string, FilterPredicate>([
  ['logs', (it) => it['dev.logs'] > 0],
  ['body', (it) => it['http.request.body.size'] > 0],
  ['error', (it) => it['error.type'] !== null],
  ['db', (it) => it['dev.db'] > 0],
  ['queries', (it) => it['dev.queries'] > 0],
])

/** All keys, in the order in which error messages list them. */
const FILTER_KEYS: ReadonlyMap<string, FilterKey> = new Map<string, FilterKey>([
  ['status', { hint: 'a status, 5xx, 400..499 or >=400', test: statusTest }],
  ['method', { hint: 'methods, GET,POST', test: methodTest }],
  ['path', { hint: 'a path, /users/*', test: (value) => prefixTest(value, (it) => it['url.path']) }],
  ['template', { hint: 'a path template', test: (value) => globTest(value, (it) => it['http.route'] ?? '') }],
  ['handler', { hint: 'a handler, Users.get', test: (value) => prefixTest(value, handlerName) }],
  ['dur', { hint: 'a duration, >200ms or 1s..3s', test: keyFilter(UNITS.time, (it) => it['dev.duration']) }],
  ['size', { hint: 'a size, >10kb', test: keyFilter(UNITS.size, (it) => it['http.response.body.size']) }],
  ['db', { hint: NUMBER, test: keyFilter(UNITS.none, (it) => it['dev.db']) }],
  ['queries', { hint: NUMBER, test: keyFilter(UNITS.none, (it) => it['dev.queries']) }],
  ['pid', { hint: NUMBER, test: keyFilter(UNITS.none, (it) => it['process.pid']) }],
  ['client', { hint: 'an address, 10.0.0.*', test: (value) => prefixTest(value, (it) => it['client.address'] ?? '') }],
  ['version', { hint: 'a version, 2, >=2.1 or 2026-01-31', test: versionTest }],
  ['id', { hint: 'the id of a record or a request', test: idTest }],
  ['header', { hint: 'a header or name=value, x-tenant=acme', test: headerTest }],
  ['body', { hint: 'text of a body', test: bodyTest }],
  ['is', wordFilter(FLAGS)],
  ['has', wordFilter(PARTS)],
  [
    'after',
    {
      hint: 'a time of the day, 14:03:20',
      test: (value, clock) => clockTest(value, clock, (time, bound) => time >= bound),
    },
  ],
  [
    'before',
    {
      hint: 'a time of the day, 14:03:20',
      test: (value, clock) => clockTest(value, clock, (time, bound) => time < bound),
    },
  ],
])

function idTest(value: string): FilterTest | null {
  const isRecord = prefixTest(value, (it) => it.id)
  const isRequest = prefixTest(value, (it) => it['dev.requestId'] ?? '')
  return isRecord && isRequest && ((target) => isRecord(target) || isRequest(target))
}

/** Keys with a description of their values, for suggestions. */
export const FILTER_HINTS: readonly (readonly [key: string, hint: string])[] = [...FILTER_KEYS].map(
  ([key, { hint }]) => [key, hint],
)

const OF_RECORD: ReadonlySet<string> = new Set(['header', 'body'])

/** Matches headers of request and response: names from their start, values at any place. A name can end with `=` or `:`. */
function headerTest(value: string): FilterTest {
  const text = value.toLowerCase()
  const [, name = '', wanted = ''] = /^([^=:]+)[=:]\s*(.*)$/s.exec(text) ?? []
  const isMatch = (key: string, content: string) =>
    content.includes(text) || (name === '' ? key.startsWith(text) : key === name && content.includes(wanted))
  return ({ record }) =>
    listMessages(record).some(({ headers }) =>
      headers.some(([key, content]) => isMatch(toSearchText(key), toSearchText(content))),
    )
}

function bodyTest(value: string): FilterTest {
  const text = value.toLowerCase()
  return ({ record }) => listMessages(record).some(({ body }) => toSearchText(body?.text ?? '').includes(text))
}

/** Removes quotes, as the parser of filters does, so that `body:"name":"tea"` finds `{"name":"tea"}`. */
function toSearchText(text: string): string {
  return text.replaceAll('"', '').toLowerCase()
}

function listMessages(record: RequestRecord | undefined): readonly Message[] {
  return record === undefined ? [] : [record.request, record.response]
}

function statusTest(value: string): FilterTest | null {
  const readStatus = (summary: RequestSummary) => summary['http.response.status_code']
  const isClass = value.length === 3 && value.slice(1).toLowerCase() === 'xx' && '12345'.includes(value.charAt(0))
  if (!isClass) return numberTest(value, UNITS.none, readStatus)
  const first = Number(value.charAt(0))
  return ({ summary }) => Math.floor(readStatus(summary) / 100) === first
}

function methodTest(value: string): FilterTest {
  const methods = new Set(value.toUpperCase().split(','))
  return ({ summary }) => methods.has(summary['http.request.method'].toUpperCase())
}

function handlerName(summary: RequestSummary): string {
  return summary['code.function.name'] ?? ''
}

function keyFilter(units: ReadonlyMap<string, number>, read: (summary: RequestSummary) => number): FilterKey['test'] {
  return (value) => numberTest(value, units, read)
}

function wordFilter(words: Words): FilterKey {
  const test = (value: string): FilterTest | null => {
    const predicate = words.get(value.toLowerCase())
    return predicate === undefined ? null : ({ summary }) => predicate(summary)
  }
  return { hint: `one of ${[...words.keys()].join(', ')}`, test }
}

function flagPredicate(flag: string): FilterPredicate {
  return (summary) => summary['dev.flags'].includes(flag)
}

function isFailure(summary: RequestSummary): boolean {
  return summary['http.response.status_code'] >= 500 || summary['error.type'] !== null
}
