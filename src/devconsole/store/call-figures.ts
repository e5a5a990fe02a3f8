/** Times of statements and service methods, over all recorded requests since the start or the last `clear`. */
import { cut } from '../redact/cut.js'
import { groupBy } from '../wire/group-by.js'
import type { Query, RequestRecord, RecordedServiceCall } from '../wire/request-types.js'
import type { CallStats, ServiceStats, StatementStats } from '../wire/view-types.js'

const MAX_STATEMENTS = 300
const MAX_METHODS = 300
const MAX_TEXT_LENGTH = 1_000
const MAX_NORMALIZED = 4_000

type WritableStats<Stats> = { -readonly [Key in keyof Stats]: Stats[Key] }

export class CallFigures {
  readonly #statements = new Map<string, WritableStats<StatementStats>>()
  readonly #methods = new Map<string, WritableStats<ServiceStats>>()
  #dropped = 0

  add({ id, queries, calls }: RequestRecord): void {
    // All queries of a shape have the same text without values.
    for (const group of groupBy(queries, ({ shape }) => shape).values()) {
      const text = cut(normalizeCall(group[0].text), MAX_TEXT_LENGTH)
      for (const query of group) this.#addQuery(query, text, id)
    }
    for (const call of calls) this.#addCall(call)
  }

  #addQuery(query: Query, text: string, request: string): void {
    const duration = query.duration ?? 0
    const stats = this.#statementOf(query, text, request)
    if (stats === null) return
    stats.count++
    stats.total += duration
    if (query.error !== null) stats.errors++
    if (query.rows !== null) stats.rows = (stats.rows ?? 0) + query.rows
    if (duration <= stats.max) return
    stats.max = duration
    stats.slowest = request
  }

  #statementOf({ kind, target }: Query, text: string, slowest: string): WritableStats<StatementStats> | null {
    const key = `${kind} ${target ?? ''} ${text}`
    const before = this.#statements.get(key)
    if (before !== undefined) return before
    if (this.#statements.size >= MAX_STATEMENTS) return this.#drop()
    const created = { kind, text, target, count: 0, errors: 0, total: 0, max: 0, rows: null, slowest }
    this.#statements.set(key, created)
    return created
  }

  #addCall({ name, duration, own, error }: RecordedServiceCall): void {
    const stats = this.#methodOf(name)
    if (stats === null) return
    stats.count++
    stats.total += duration
    stats.own += own
    stats.max = Math.max(stats.max, duration)
    if (error !== null) stats.errors++
  }

  #methodOf(name: string): WritableStats<ServiceStats> | null {
    const before = this.#methods.get(name)
    if (before !== undefined) return before
    if (this.#methods.size >= MAX_METHODS) return this.#drop()
    const created = { name, count: 0, errors: 0, total: 0, own: 0, max: 0 }
    this.#methods.set(name, created)
    return created
  }

  #drop(): null {
    this.#dropped++
    return null
  }

  read(): CallStats {
    return {
      statements: [...this.#statements.values()].toSorted((a, b) => b.total - a.total),
      services: [...this.#methods.values()].toSorted((a, b) => b.total - a.total),
      dropped: this.#dropped,
    }
  }

  clear(): void {
    this.#statements.clear()
    this.#methods.clear()
    this.#dropped = 0
  }
}

/** Method and origin of an HTTP request. The numbers of an address identify the server. */
const HTTP_START = /^[A-Z]{1,20} \w{1,20}:\/\/[^/]*/
/** In a string, a quote is doubled, or it follows a backslash (MySQL). An apostrophe is also matched, so that the time is linear. */
const STRING = /'(?:[^'\\]|''|\\[^])*'?/g
const LIST = /\(\s*\?(?:\s*,\s*\?)+\s*\)/g

/** Replaces the values that differ between calls of the same shape: quoted strings, numbers, ids and lists of values. */
export function normalizeCall(text: string): string {
  const [start = ''] = HTTP_START.exec(text) ?? []
  const short = cut(text.slice(start.length), MAX_NORMALIZED)
  const unquoted = short.replace(STRING, (match) => (/[^]'$/.test(match) ? '?' : match))
  const plain = unquoted.includes('-') ? unquoted.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/gi, '?') : unquoted
  const numberless = plain.replace(/(?<![\p{L}_])\$?\d+(?:\.\d+)?/gu, '?')
  return start + numberless.replace(LIST, '(?, …)').replace(/\s+/g, ' ').trim()
}
