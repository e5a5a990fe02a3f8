/**
 * Stores notable records whole in the browser while the process that has them is running. After a restart of the app they can be opened
 * and replayed, and the incidents of the last run are compared with the new one.
 */
import type { RequestSummary } from '../../../src/devconsole/wire/request-types.js'
import { parseRecord } from '../pure/parse-record.js'
import { parseRun } from '../pure/parse-run.js'
import { retentionGroup } from '../../../src/devconsole/wire/retention.js'
import type { EarlierRun } from '../../../src/devconsole/wire/feed-types.js'
import type { ShownRecord } from '../../../src/devconsole/wire/view-types.js'
import { applyStored } from '../pure/reduce.js'
import { isOfFile, summarizeRun } from '../pure/runs.js'
import type { State } from '../pure/state.js'
import { api, ApiError } from './api.js'
import { openDatabase, StoredItems } from './stored-items.js'
import type { Store } from './store.js'

/** Maximum number of records that are read in a burst, and per second, so that many failures do not load the app. */
const BURST = 20
const PER_SECOND = 5
/** Maximum number of records in the queue. */
const MAX_QUEUED = 200
/** Delay before the current run is stored, in ms. */
const RUN_MS = 500
/** Maximum size of a stored record. Larger records are not stored. */
const MAX_BYTES = 2 * 1024 * 1024
/** Maximum number of ids that are remembered as stored. */
const MAX_KNOWN = 5_000

export class Keeper {
  readonly #store: Store
  readonly #isReader: () => boolean
  readonly #records: StoredItems
  readonly #runs: StoredItems
  /** Ids and pins of records that are stored or in the queue. */
  readonly #known = new Set<string>()
  readonly #queue = new Map<string, RequestSummary>()
  /** Number of records that may be read before the next refill. */
  #allowance = BURST
  #isReading = false
  #app = ''
  #previous: State
  #isRunScheduled = false

  /** @param isReader whether this tab reads the feed. The other tabs of the browser store nothing. */
  constructor(store: Store, isReader: () => boolean) {
    const database = openDatabase()
    this.#store = store
    this.#isReader = isReader
    this.#records = new StoredItems('records', database)
    this.#runs = new StoredItems('runs', database)
    this.#previous = store.state
    store.subscribe((state) => this.#update(state))
    setInterval(() => this.#refill(), 1_000)
  }

  /** Returns a stored record; `null` if the record is not stored. */
  async find(id: string): Promise<ShownRecord | null> {
    const item = await this.#records.get(id)
    return item === null || (this.#app !== '' && item.app !== this.#app) ? null : parseText(item.text, parseRecord)
  }

  /** Returns all stored records, newest first. */
  async records(): Promise<readonly ShownRecord[]> {
    const items = await this.#records.all(this.#app)
    return items.flatMap(({ text }) => parseText(text, parseRecord) ?? [])
  }

  #update(state: State): void {
    const before = this.#previous
    this.#previous = state
    const { app, boot } = state
    if (app === null || boot === '') return
    const isFirst = this.#app === ''
    this.#app = app.name
    if (isFirst) void this.#restore()
    if (state.clears !== before.clears) this.#clear(state)
    if (!this.#isReader()) return
    if (before.boot !== boot) this.#saveEnded(state, before.boot)
    if (state.records !== before.records || state.held !== before.held)
      this.#enqueue([...state.held.records, ...state.records])
    if (state.records !== before.records || state.problems !== before.problems) this.#scheduleRun()
  }

  async #restore(): Promise<void> {
    const [records, runs] = await Promise.all([this.records(), this.#runs.all(this.#app)])
    const parsedRuns = runs.flatMap(({ text }) => parseText(text, parseRun) ?? [])
    this.#store.update((state) => applyStored(state, records, parsedRuns))
  }

  #clear({ records }: State): void {
    this.#queue.clear()
    const pinned = new Set(records.filter((record) => record['dev.pinned']).map(({ id }) => id))
    void this.#records.clear(this.#app, pinned)
    void this.#runs.clear(this.#app, new Set())
  }

  /** Stores a run that ended while the page was open. */
  #saveEnded({ runs }: State, boot: string): void {
    const ended = runs.find((run) => run.boot === boot)
    if (ended !== undefined) void this.#saveRun(ended)
  }

  #scheduleRun(): void {
    if (this.#isRunScheduled) return
    this.#isRunScheduled = true
    setTimeout(() => {
      this.#isRunScheduled = false
      void this.#saveRun(summarizeRun(this.#store.state))
    }, RUN_MS)
  }

  async #saveRun(run: EarlierRun): Promise<void> {
    const text = JSON.stringify(run)
    await this.#runs.put({ id: run.boot, app: this.#app, time: run.started, bytes: countBytes(text), text })
  }

  #enqueue(records: readonly RequestSummary[]): void {
    const { boot } = this.#store.state
    if (this.#known.size > MAX_KNOWN) this.#known.clear()
    for (const record of records) {
      const key = `${record.id} ${record['dev.pinned']}`
      if (record.boot !== boot || !isNotable(record) || this.#known.has(key)) continue
      this.#known.add(key)
      if (this.#queue.size < MAX_QUEUED) this.#queue.set(record.id, record)
    }
    void this.#readAll()
  }

  #refill(): void {
    this.#allowance = Math.min(BURST, this.#allowance + PER_SECOND)
    void this.#readAll()
  }

  async #readAll(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    for (const [id, summary] of this.#queue) {
      if (this.#allowance < 1) break
      this.#queue.delete(id)
      await this.#read(summary)
    }
    this.#isReading = false
  }

  async #read(summary: RequestSummary): Promise<void> {
    // Another tab may have stored it.
    const stored = summary['dev.pinned'] ? null : await this.#records.get(summary.id)
    if (stored !== null) return
    this.#allowance--
    const { clears } = this.#store.state
    try {
      const record = await api.record(summary.id)
      // The console was cleared in between.
      if (this.#store.state.clears !== clears && !record['dev.pinned']) return
      await this.#save(record)
    } catch (error) {
      // The process has ended, so it no longer has the records of the queue.
      if (error instanceof ApiError && error.status === 0) this.#queue.clear()
    }
  }

  async #save(record: ShownRecord): Promise<void> {
    const text = JSON.stringify(record)
    const bytes = countBytes(text)
    if (bytes > MAX_BYTES) return
    await this.#records.put({ id: record.id, app: this.#app, time: record.time, bytes, text })
  }
}

function isNotable(record: RequestSummary): boolean {
  const isEnded = !record['dev.flags'].includes('inflight')
  const isBad = record['http.response.status_code'] === 0 || retentionGroup(record) !== 'ordinary'
  return isEnded && !isOfFile(record) && (isBad || record['dev.pinned'])
}

function countBytes(text: string): number {
  return new TextEncoder().encode(text).length
}

function parseText<Parsed>(text: unknown, parse: (value: unknown) => Parsed | null): Parsed | null {
  try {
    return parse(JSON.parse(String(text)))
  } catch {
    return null
  }
}
