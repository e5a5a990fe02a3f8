/** The keys of a filter: what each takes, and the test it makes of it. */
import type { FilterTest } from './filter-values.js'
import { clockTest, globTest, numberTest, prefixTest, UNITS, versionTest } from './filter-values.js'
import type { RequestSummary } from './request-types.js'

export interface FilterKey {
  /** What it takes, to follow "takes". */
  readonly hint: string
  /** Makes the test of a value; `null` for a value it does not take. */
  readonly test: (value: string) => FilterTest | null
}

const NUMBER = 'a number, >5 or 2..5'

const FLAGS: ReadonlyMap<string, (summary: RequestSummary) => boolean> = new Map([
  ['slow', hasFlag('slow')],
  ['error', (summary: RequestSummary) => isFailure(summary)],
  ['invalid', (summary: RequestSummary) => summary['dev.issues'] > 0],
  ['n+1', hasFlag('n+1')],
  ['pinned', (summary: RequestSummary) => summary['dev.pinned']],
  ['replayed', (summary: RequestSummary) => summary['dev.replayOf'] !== null],
  ['inflight', hasFlag('inflight')],
  ['aborted', hasFlag('aborted')],
])

const PARTS: ReadonlyMap<string, (summary: RequestSummary) => boolean> = new Map([
  ['logs', (summary: RequestSummary) => summary['dev.logs'] > 0],
  ['body', (summary: RequestSummary) => summary['http.request.body.size'] > 0],
  ['error', (summary: RequestSummary) => summary['error.type'] !== null],
  ['db', (summary: RequestSummary) => summary['dev.db'] > 0],
])

/** All keys, in the order in which they are listed. */
export const FILTER_KEYS: ReadonlyMap<string, FilterKey> = new Map<string, FilterKey>([
  ['status', { hint: 'a status, 5xx, 400..499 or >=400', test: statusTest }],
  ['method', { hint: 'methods, GET,POST', test: methodTest }],
  ['path', { hint: 'a path, /users/*', test: (value) => prefixTest(value, (it) => it['url.path']) }],
  ['template', { hint: 'a path template', test: (value) => globTest(value, (it) => it['http.route'] ?? '') }],
  ['handler', { hint: 'a handler, Users.get', test: (value) => prefixTest(value, handlerOf) }],
  ['dur', { hint: 'a duration, >200ms or 1s..3s', test: of(UNITS.time, (it) => it['dev.duration']) }],
  ['size', { hint: 'a size, >10kb', test: of(UNITS.size, (it) => it['http.response.body.size']) }],
  ['db', { hint: NUMBER, test: of(UNITS.none, (it) => it['dev.db']) }],
  ['pid', { hint: NUMBER, test: of(UNITS.none, (it) => it['process.pid']) }],
  ['client', { hint: 'an address, 10.0.0.*', test: (value) => prefixTest(value, (it) => it['client.address'] ?? '') }],
  ['version', { hint: 'a version, 2, >=2.1 or 2026-01-31', test: versionTest }],
  ['id', { hint: 'the id of a record', test: (value) => prefixTest(value, (it) => it.id) }],
  ['is', { hint: wordsOf(FLAGS), test: oneOf(FLAGS) }],
  ['has', { hint: wordsOf(PARTS), test: oneOf(PARTS) }],
  ['after', { hint: 'a time of the day, 14:03:20', test: (value) => clockTest(value, (time, at) => time >= at) }],
  ['before', { hint: 'a time of the day, 14:03:20', test: (value) => clockTest(value, (time, at) => time < at) }],
])

function statusTest(value: string): FilterTest | null {
  const statusOf = (summary: RequestSummary) => summary['http.response.status_code']
  const isClass = value.length === 3 && value.slice(1).toLowerCase() === 'xx' && '12345'.includes(value.charAt(0))
  if (!isClass) return numberTest(value, UNITS.none, statusOf)
  const first = Number(value.charAt(0))
  return ({ summary }) => Math.floor(statusOf(summary) / 100) === first
}

function methodTest(value: string): FilterTest {
  const methods = new Set(value.toUpperCase().split(','))
  return ({ summary }) => methods.has(summary['http.request.method'].toUpperCase())
}

function handlerOf(summary: RequestSummary): string {
  return summary['code.function.name'] ?? ''
}

function of(units: ReadonlyMap<string, number>, read: (summary: RequestSummary) => number): FilterKey['test'] {
  return (value) => numberTest(value, units, read)
}

function oneOf(words: ReadonlyMap<string, (summary: RequestSummary) => boolean>): FilterKey['test'] {
  return (value) => {
    const holds = words.get(value.toLowerCase())
    return holds === undefined ? null : ({ summary }) => holds(summary)
  }
}

function wordsOf(words: ReadonlyMap<string, unknown>): string {
  return `one of ${[...words.keys()].join(', ')}`
}

function hasFlag(flag: string): (summary: RequestSummary) => boolean {
  return (summary) => summary['dev.flags'].includes(flag)
}

function isFailure(summary: RequestSummary): boolean {
  return summary['http.response.status_code'] >= 500 || summary['error.type'] !== null
}
