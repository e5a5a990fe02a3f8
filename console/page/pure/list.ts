/** Items of the list: running requests, recorded requests, and dividers between processes. */
import type { FilterTest } from '../../../src/devconsole/wire/filter-values.js'
import type { LogLine, RequestSummary } from '../../../src/devconsole/wire/request-types.js'
import type { OpenCall } from '../../../src/devconsole/wire/feed-types.js'
import { EMPTY_SUMMARY } from '../../../src/devconsole/wire/summary.js'
import { clock } from './format.js'
import { isOfFile } from './runs.js'
import type { State } from './state.js'
import { serverNow } from './server-clock.js'

export type ListItem =
  | { readonly kind: 'record'; readonly key: string; readonly record: RequestSummary; readonly isOld: boolean }
  | { readonly kind: 'divider'; readonly key: string; readonly text: string }

/** Quick filters: label, filter, class of the label. */
export const QUICK_FILTERS: readonly (readonly [label: string, q: string, className: string])[] = [
  ['All', '', ''],
  ['2xx', 'status:2xx', ''],
  ['4xx', 'status:4xx', 's4'],
  ['5xx', 'status:5xx', 's5'],
  ['Slow', 'is:slow', ''],
  ['Invalid', 'is:invalid', ''],
]

/** Returns the requests that match a filter. Running requests come first. */
export function filterRequests(state: State, matches: FilterTest, isEmpty: boolean): readonly RequestSummary[] {
  const requests = [...state.open.map((call) => summarizeOpenCall(call, state.boot)), ...state.records]
  if (isEmpty) return requests
  const logText = logTexts(state.logs)
  return requests.filter((summary) => matches({ summary, logText: logText.get(summary.id) ?? '' }))
}

function logTexts(logs: readonly LogLine[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const { request, message } of logs) {
    if (request !== null) texts.set(request, `${texts.get(request) ?? ''} ${message.toLowerCase()}`)
  }
  return texts
}

function summarizeOpenCall(call: OpenCall, boot: string): RequestSummary {
  return {
    ...EMPTY_SUMMARY,
    id: call.id,
    seq: Infinity,
    boot,
    time: call.since,
    'http.request.method': call.method,
    'url.path': call.route,
    'dev.duration': Math.max(0, serverNow() - call.since),
    'dev.flags': ['inflight'],
  }
}

/** Whether the request has no response yet. */
export function isRunning(summary: RequestSummary): boolean {
  return summary['dev.flags'].includes('inflight')
}

/** A column of the list. */
export interface SortableColumn {
  readonly label: string
  /** Returns the value that the column shows. The list cannot be sorted by a column without this function. */
  readonly sortValue?: (summary: RequestSummary) => string | number
}

/** Sorts requests by the column with a label, descending after `-`. Returns `null` if there is no such column. */
export function sortRequests(
  records: readonly RequestSummary[],
  sort: string,
  columns: readonly SortableColumn[],
): readonly RequestSummary[] | null {
  const isDescending = sort.startsWith('-')
  const label = isDescending ? sort.slice(1) : sort
  const readValue = columns.find((column) => column.label === label)?.sortValue
  if (readValue === undefined) return null
  const sign = isDescending ? -1 : 1
  return records.toSorted((a, b) => sign * compareValues(readValue(a), readValue(b)))
}

/** Sorts requests of the same process by start, newest first. They arrive in the order of their ends. */
export function newestFirst(records: readonly RequestSummary[]): readonly RequestSummary[] {
  const ranks = new Map<string, number>()
  for (const { boot } of records) if (!ranks.has(boot)) ranks.set(boot, ranks.size)
  const getRank = ({ boot }: RequestSummary): number => ranks.get(boot) ?? 0
  return records.toSorted((a, b) => getRank(a) - getRank(b) || b.time - a.time)
}

function compareValues(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a).localeCompare(String(b))
}

/** Returns the next order of a column: descending, ascending, then the newest first. Columns of strings begin with ascending. */
export function nextSort({ label, sortValue }: SortableColumn, sort: string): string {
  const isText = typeof sortValue?.(EMPTY_SUMMARY) === 'string'
  const orders = isText ? [label, `-${label}`, ''] : [`-${label}`, label, '']
  return orders[orders.indexOf(sort) + 1] ?? orders[0] ?? ''
}

/** Builds the items of the list. Unless it is sorted by a column, dividers separate the requests of different processes. */
export function buildItems(
  records: readonly RequestSummary[],
  state: State,
  isSortedByColumn: boolean = false,
): readonly ListItem[] {
  if (isSortedByColumn) return records.map((record) => recordItem(record, state))
  const items: ListItem[] = []
  let newer = state.boot
  for (const record of records) {
    if (record.boot !== newer && state.boot !== '') items.push(divider(record, newer, state))
    newer = record.boot
    items.push(recordItem(record, state))
  }
  return items
}

function recordItem(record: RequestSummary, { boot }: State): ListItem {
  return { kind: 'record', key: record.id, record, isOld: record.boot !== boot && !isOfFile(record) }
}

function divider(record: RequestSummary, newer: string, state: State): ListItem {
  if (!isOfFile(record)) return bootDivider(newer, state)
  return { kind: 'divider', key: `divider ${record.boot}`, text: `from ${state.file?.name ?? 'a file'}` }
}

function bootDivider(boot: string, state: State): ListItem {
  const started = state.boots.get(boot)
  const text = started === undefined ? 'restarted' : `restarted at ${clock(started)[0]}`
  return { kind: 'divider', key: `divider ${boot}`, text }
}

/** Prefix of the original's id in requests that have no original, because the user wrote them in the form. */
export const TRIAL = 'r_0trial'

/** Returns the id of the request that was replayed; `null` if the request is not a replay. */
export function originalId(summary: RequestSummary): string | null {
  const original = summary['dev.replayOf']
  return original?.startsWith(TRIAL) === true ? null : original
}

interface FlagTag {
  readonly text: string
  readonly className: string
  readonly hint: string
}

/** Returns the tags of a request: its flags, its pin, and whether it is a replay. */
export function flagTags(summary: RequestSummary): readonly FlagTag[] {
  const tags = summary['dev.flags'].map((flag) => flagTag(flag, summary))
  if (summary['dev.pinned']) tags.push({ text: 'pinned', className: '', hint: 'Kept until it is unpinned' })
  const original = originalId(summary)
  if (original !== null) {
    tags.push({ text: 'replay', className: '', hint: `Sent again from the page, after ${original}` })
  }
  return tags
}

/** Text, class and hint of each flag. */
const TAGS: Readonly<Record<string, readonly [text: string, className: string, hint: string]>> = {
  'n+1': ['N+1', 'note', 'Looks like one query per row'],
  slow: ['slow', 'warn', 'Slower than the limit'],
  invalid: ['invalid', 'warn', 'Issues of validation'],
  error: ['error', 'bad', 'An error was thrown'],
  version: ['version', 'info', 'No endpoint for the requested version'],
  aborted: ['aborted', 'warn', 'Closed before the response was sent'],
  inflight: ['running', 'info', 'Has no response yet'],
  mismatch: ['mismatch', 'bad', 'The response did not fit its schema'],
}

function flagTag(flag: string, summary: RequestSummary): FlagTag {
  const [name, className, hint] = TAGS[flag] ?? [flag, '', flag]
  const text = flag === 'invalid' ? `${summary['dev.issues']} invalid` : name
  return { text: flag === 'error' ? (summary['error.type'] ?? name) : text, className, hint }
}
