/** Queries of a request: groups of equal statements, their share of the time, and their parameters. */
import type { Query, RepeatedCall, RequestRecord, RequestSummary } from '../../../src/devconsole/wire/request-types.js'
import { groupBy, type ListGroup } from '../../../src/devconsole/wire/group-by.js'
import { coveredTime, type Span } from '../../../src/devconsole/wire/spans.js'
import { clamp, sum } from './geometry.js'
import { formatCount, ms, percent } from './format.js'
import { compactSql, type ShownToken } from './sql.js'

/** A query and its position among the queries of the request. */
export interface NumberedQuery {
  readonly index: number
  readonly query: Query
}

/** Queries that differ only in their values. */
export interface QueryGroup {
  readonly first: Query
  /** Position of the first query. */
  readonly index: number
  readonly members: readonly NumberedQuery[]
  /** Sum of the durations in ms. */
  readonly total: number
  /** Sum of the rows; `null` if no query has a number of rows. */
  readonly rows: number | null
  readonly errors: number
  /** Distinct parameters, in the order of their first query. */
  readonly params: readonly string[]
  /** Whether the app reports the group as one query per row of another query (N+1). */
  readonly isRepeated: boolean
}

/** Column by which groups are sorted. */
export type QuerySort = 'order' | 'query' | 'rows' | 'time'

/** Groups queries by their shape, in the order of the first query of each group. */
export function groupQueries(queries: readonly Query[], repeated: readonly RepeatedCall[] = []): readonly QueryGroup[] {
  const numbered = queries.map((query, index) => ({ index, query }))
  const shapes = groupBy(numbered, ({ query }) => query.shape)
  return Array.from(shapes.values(), (members) => buildGroup(members, repeated))
}

function buildGroup(members: Readonly<ListGroup<NumberedQuery>>, repeated: readonly RepeatedCall[]): QueryGroup {
  const [first] = members
  const { kind, text } = first.query
  const rows = members.flatMap(({ query }) => (query.rows === null ? [] : [query.rows]))
  return {
    first: first.query,
    index: first.index,
    members,
    total: sum(members.map(({ query }) => query.duration ?? 0)),
    rows: rows.length === 0 ? null : sum(rows),
    errors: members.filter(({ query }) => query.error !== null).length,
    params: [...new Set(members.flatMap(({ query }) => query.params ?? []))],
    isRepeated: repeated.some(
      ({ kind: of, name, count }) => of === kind && count === members.length && text.startsWith(name),
    ),
  }
}

/** Sorts groups: text and order ascending, numbers descending. `isReversed` reverses the order. */
export function sortGroups(
  groups: readonly QueryGroup[],
  sort: QuerySort,
  isReversed: boolean = false,
): readonly QueryGroup[] {
  const sign = isReversed ? -1 : 1
  return groups.toSorted((a, b) => sign * compareGroups(a, b, sort) || a.index - b.index)
}

function compareGroups(a: QueryGroup, b: QueryGroup, sort: QuerySort): number {
  if (sort === 'query') return a.first.text.localeCompare(b.first.text)
  if (sort === 'rows') return (b.rows ?? -1) - (a.rows ?? -1)
  return sort === 'time' ? b.total - a.total : a.index - b.index
}

/** Returns start and length of a query as shares of the request. A query without an end ran until the end of the request. */
export function querySpan(query: Query, total: number): Span {
  const start = clamp(query.start / total, 0, 1)
  const end = query.duration === null ? 1 : clamp((query.start + query.duration) / total, start, 1)
  return { start, length: end - start }
}

/** Returns the share of a request in which at least one query ran, 0 to 1. Parallel queries count once. */
export function busyShare(queries: readonly Query[], total: number): number {
  return coveredTime(queries.map((query) => querySpan(query, total)))
}

/** Summarizes the queries of a request: `14 queries, 62% of the time`. */
export function summarizeQueries(
  summary: RequestSummary,
  record: Pick<RequestRecord, 'queries' | 'queriesMore'>,
): string {
  const { queries, queriesMore } = record
  const count = `${queries.length + queriesMore} ${queries.length + queriesMore === 1 ? 'query' : 'queries'}`
  if (queries.length === 0) return count
  const share = busyShare(queries, Math.max(summary['dev.duration'], 1e-6))
  return `${count}, ${queriesMore > 0 ? 'at least ' : ''}${percent(share)} of the time`
}

/** Splits parameters at the commas between JSON values. */
export function splitParams(params: string): readonly string[] {
  const values: string[] = []
  let depth = 0
  let start = 0
  for (const { 0: text, index } of params.matchAll(/"(?:[^"\\]|\\[^])*"?|[[\]{},]/g)) {
    if (text === '[' || text === '{') depth++
    else if (text === ']' || text === '}') depth--
    else if (text === ',' && depth === 0) {
      values.push(params.slice(start, index).trim())
      start = index + 1
    }
  }
  return [...values, params.slice(start).trim()]
}

/** Maximum length of a label. The details have the whole text. */
const MAX_LABEL_LENGTH = 240

/** Returns the text of a query on one line, with at most 240 characters. */
export function queryLabel({ kind, text }: Pick<Query, 'kind' | 'text'>): string {
  const line = compactQuery(kind, text)
    .map((token) => token.text)
    .join('')
  return line.length > MAX_LABEL_LENGTH ? `${line.slice(0, MAX_LABEL_LENGTH)}…` : line
}

/** Returns the text of a query on one line, as tokens. Only SQL has more than one. */
export function compactQuery(kind: string, text: string): readonly ShownToken[] {
  return kind === 'sql' ? compactSql(text) : [{ kind: 'plain', text: text.replaceAll(/\s+/g, ' ').trim() }]
}

/** Describes the outcome of a query: rows or status. Returns an empty string without either. */
export function outcomeText({ rows, status }: Pick<Query, 'rows' | 'status'>): string {
  if (status !== null) return String(status)
  return rows === null ? '' : formatCount(rows, 'row')
}

/** Formats the duration of a query that may still be running. */
export function durationText({ duration }: Pick<Query, 'duration'>): string {
  return duration === null ? 'still running' : ms(duration)
}
