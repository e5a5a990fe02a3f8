/** Rows of the waterfall below the handler: service calls, and the queries that each call sent. */
import type { Query, RequestRecord, RecordedServiceCall } from '../../../src/devconsole/wire/request-types.js'
import { groupBy } from '../../../src/devconsole/wire/group-by.js'
import type { Span } from '../../../src/devconsole/wire/spans.js'
import { sum } from './geometry.js'
import { queryLabel, querySpan } from './queries.js'

/** A row for a service call or a query, or for several with the same name. */
export interface CallRow {
  /** Identifies the row within its request. */
  readonly key: string
  readonly name: string
  readonly kind: 'call' | 'query'
  readonly pieces: readonly Span[]
  /** In ms; `null` for a query that has not ended. */
  readonly duration: number | null
  /** Share of the duration of the request, 0 to 1. */
  readonly share: number
  readonly hasError: boolean
  /** `null` for several calls, and for queries. */
  readonly call: RecordedServiceCall | null
  /** `null` for several queries, and for service calls. */
  readonly query: Query | null
  /** Rows of the single calls or queries; empty if the row has only one. */
  readonly members: readonly CallRow[]
  /** Rows of the queries that the call sent. */
  readonly queries: readonly CallRow[]
}

export interface NestedRow {
  readonly row: CallRow
  /** Depth below the handler. */
  readonly depth: number
}

type Calls = Pick<RequestRecord, 'calls' | 'queries'>

/** Maximum number of rows for single calls. */
const MAX_CALLS = 200

/**
 * Builds the rows in the order of their starts. With `isFull`, each call and each query has a row. Otherwise all with the same name share
 * a row.
 */
export function buildCallRows({ calls, queries }: Calls, total: number, isFull: boolean): readonly CallRow[] {
  const queryRows = queries.map((query, index) => queryRow(query, index, total))
  const queriesByCall = groupBy(queryRows, ({ query }) =>
    typeof query?.call === 'number' && query.call < calls.length ? query.call : -1,
  )
  const group = (rows: readonly CallRow[]) => (isFull ? rows : groupRows(rows, isFull))
  const callRows = calls.map((call, index) =>
    callRow(call, index, { total, queries: group(queriesByCall.get(index) ?? []) }),
  )
  const otherRows = isFull ? callRows.slice(MAX_CALLS) : []
  const listed = isFull ? callRows.slice(0, MAX_CALLS) : groupRows(callRows, isFull)
  const rows = [...listed, ...group(queriesByCall.get(-1) ?? [])].toSorted((a, b) => startTime(a) - startTime(b))
  return otherRows.length === 0 ? rows : [...rows, severalRow('others', otherRows, isFull)]
}

function startTime({ pieces }: CallRow): number {
  return pieces[0]?.start ?? 0
}

function callRow(
  call: RecordedServiceCall,
  index: number,
  { total, queries }: { readonly total: number; readonly queries: readonly CallRow[] },
): CallRow {
  return {
    key: `c${index}`,
    name: call.name,
    kind: 'call',
    pieces: [{ start: call.start / total, length: call.duration / total }],
    duration: call.duration,
    share: call.duration / total,
    hasError: call.error !== null,
    call,
    query: null,
    members: [],
    queries,
  }
}

function queryRow(query: Query, index: number, total: number): CallRow {
  const span = querySpan(query, total)
  return {
    key: `q${index}`,
    name: queryLabel(query),
    kind: 'query',
    pieces: [span],
    duration: query.duration,
    share: span.length,
    hasError: query.error !== null,
    call: null,
    query,
    members: [],
    queries: [],
  }
}

/** Puts service calls of the same method, and queries of the same shape, into one row. */
function groupRows(rows: readonly CallRow[], isFull: boolean): readonly CallRow[] {
  const groups = groupBy(rows, ({ name, query }) => (query === null ? name : query.shape))
  return Array.from(groups.values(), (group) =>
    group.length === 1 ? group[0] : severalRow(group[0].name, group, isFull),
  )
}

function severalRow(name: string, members: readonly CallRow[], isFull: boolean): CallRow {
  const queries = members.flatMap((row) =>
    row.queries.flatMap((query) => (query.members.length > 0 ? query.members : query)),
  )
  return {
    key: `${members[0]?.key}+`,
    name: `${name} ×${members.length}`,
    kind: members[0]?.kind ?? 'call',
    pieces: members.flatMap(({ pieces }) => pieces),
    duration: sum(members.map(({ duration }) => duration ?? 0)),
    share: sum(members.map(({ share }) => share)),
    hasError: members.some(({ hasError }) => hasError),
    call: null,
    query: null,
    members,
    queries: isFull ? queries : groupRows(queries, isFull),
  }
}

/** Lists the visible rows. An open row of several calls shows its members instead of their queries. */
export function listCallRows(
  rows: readonly CallRow[],
  open: ReadonlySet<string>,
  depth: number = 0,
): readonly NestedRow[] {
  return rows.flatMap((row) => {
    const below = open.has(row.key) && row.members.length > 0 ? row.members : row.queries
    return [{ row, depth }, ...listCallRows(below, open, depth + 1)]
  })
}
