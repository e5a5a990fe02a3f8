/** Queries and other outgoing calls of one request. The first ones are stored, and all are counted by shape. */
import { toMicros } from '../../observe/histogram.js'
import type { CallOutcome, OutgoingCall } from '../../observe/outgoing-call.js'
import { REDACTED } from '../../secrets/secret-forms.js'
import { isRecord, type UnknownRecord } from '../../values/objects.js'
import { valueOr } from '../../values/value-or.js'
import { cut, cutToLength, shorten } from '../redact/cut.js'
import type { RequestRedactor } from '../redact/request-redactor.js'
import { hideSqlSecrets, type SqlSecrets } from '../redact/sql-secrets.js'
import { normalizeCall } from '../store/call-figures.js'
import { groupBy } from '../wire/group-by.js'
import type { Query, RepeatedCall, RecordedServiceCall } from '../wire/request-types.js'
import { querySiteHere, type QuerySite } from './call-site.js'
import { summarizeError } from './error-detail.js'
import { MIN_REPEATED } from './service-calls.js'

const MAX_QUERIES = 200
/** Maximum length of all statements and parameters of a request, in characters. */
const MAX_LENGTH = 200_000
const MAX_TEXT_LENGTH = 4_000
const MAX_PARAMS_LENGTH = 500
const MAX_WORD_LENGTH = 100
const MAX_PARAMS = 50

type StoredQuery = { -readonly [Key in keyof Query]: Query[Key] }

export interface OpenQuery {
  end(outcome: CallOutcome): void
  fail(error: unknown): void
}

export class Queries {
  readonly list: StoredQuery[] = []
  count: number = 0
  readonly #sites = new Map<StoredQuery, QuerySite>()
  /** Index of the first query by its text without values. */
  readonly #shapes = new Map<string, number>()
  #length = 0
  readonly #hider: RequestRedactor
  readonly #began: number

  constructor(began: number, hider: RequestRedactor) {
    this.#began = began
    this.#hider = hider
  }

  /** Records the start of a query; `call` is the index of the service call that sent it. Returns `null` above the limits. */
  open(outgoing: OutgoingCall, call: number | null, isAdapter: boolean): OpenQuery | null {
    this.count++
    if (this.list.length >= MAX_QUERIES || this.#length > MAX_LENGTH) return null
    const start = performance.now()
    const query = this.#store(outgoing, call, start)
    this.#sites.set(query, querySiteHere(isAdapter, outgoing.stack))
    const setDuration = (): void => void (query.duration = toMicros(performance.now() - start))
    return {
      end: ({ rows, status }) => {
        setDuration()
        query.rows = rows ?? query.rows
        query.status = status ?? query.status
      },
      fail: (error) => {
        setDuration()
        query.error = this.#hider.hide(cutToLength(summarizeError(error), MAX_PARAMS_LENGTH))
      },
    }
  }

  #store({ kind, text, params = [], target }: OutgoingCall, call: number | null, start: number): StoredQuery {
    const redacted = this.#redact(kind, cutToLength(text, MAX_TEXT_LENGTH), params.slice(0, MAX_PARAMS))
    const query: StoredQuery = {
      kind: cut(kind, MAX_WORD_LENGTH),
      text: redacted.text,
      params: redacted.params,
      target: target === undefined ? null : this.#hider.known(target, MAX_WORD_LENGTH),
      start: toMicros(start - this.#began),
      duration: null,
      rows: null,
      status: null,
      error: null,
      site: null,
      call,
      shape: this.#findShape(kind, redacted.text),
    }
    this.#length += query.text.length + (query.params?.length ?? 0)
    this.list.push(query)
    return query
  }

  #redact(kind: string, text: string, params: readonly unknown[]): { text: string; params: string | null } {
    const { names } = this.#hider
    const hidden = kind === 'sql' ? hideSqlSecrets(text, (name) => names.isKey(name)) : { text, ...NO_SECRETS }
    let count = 0
    const values = params.map((param) => {
      const isNamed = hidden.names.size > 0 && isRecord(param)
      return isNamed
        ? this.#formatNamedParams(param, hidden.names)
        : this.#formatParam(param, hidden.secretParams.has(count++))
    })
    // A value of a secret column is also hidden in other queries of the request.
    return {
      text: this.#hider.known(hidden.text),
      params: params.length === 0 ? null : shorten(this.#hider.values.hide(values.join(', ')), MAX_PARAMS_LENGTH),
    }
  }

  #formatParam(param: unknown, isSecret: boolean): string {
    return JSON.stringify(this.#hider.value(isSecret ? this.#hideParam(param) : param)) ?? 'undefined'
  }

  /** Parameters that are passed by name, with or without the `:`, `$` or `@` of the name. */
  #formatNamedParams(params: UnknownRecord, names: SqlSecrets['names']): string {
    const copy = (): UnknownRecord =>
      Object.fromEntries(
        Object.entries(Object.getOwnPropertyDescriptors(params)).map(([key, { value }]) => {
          return [key, names.get(key.replace(/^[:$@]/, '')) === true ? this.#hideParam(value) : value]
        }),
      )
    return this.#formatParam(valueOr<unknown>(copy, '[cannot be read]'), false)
  }

  #hideParam(value: unknown): unknown {
    this.#hider.values.add(value)
    return value === null || value === undefined ? value : REDACTED
  }

  /** Returns the index of the first query with the same shape. */
  #findShape(kind: string, text: string): number {
    const key = `${kind} ${normalizeCall(text)}`
    const first = this.#shapes.get(key) ?? this.list.length
    this.#shapes.set(key, first)
    return first
  }

  /** Hides secrets that were found after the queries, such as a token in the response. */
  hideAgain(): void {
    const { values } = this.#hider
    for (const query of this.list) {
      query.text = values.hide(query.text)
      if (query.params !== null) query.params = values.hide(query.params)
      if (query.error !== null) query.error = values.hide(query.error)
    }
  }

  /** Adds the call sites, which take time to find. The service calls already have theirs. */
  complete(root: string, calls: readonly RecordedServiceCall[]): void {
    for (const [query, site] of this.#sites) {
      const sender = query.call === null ? undefined : calls[query.call]
      query.site = site(root, sender?.site ?? null)
    }
  }

  /** Returns the shapes of at least five queries. */
  repeated(): RepeatedCall[] {
    const groups = groupBy(this.list, ({ shape }) => shape)
    const repeatedGroups = [...groups.values()].filter(({ length }) => length >= MIN_REPEATED)
    return repeatedGroups.map((group) => {
      const total = group.reduce((sum, { duration }) => sum + (duration ?? 0), 0)
      const { kind, text, site } = group[0]
      return { kind, name: cut(text, MAX_NAME_LENGTH), count: group.length, total: toMicros(total), site }
    })
  }
}

const NO_SECRETS = { secretParams: new Set<number>(), names: new Map<string, boolean>() }
const MAX_NAME_LENGTH = 300
