/** What is read when it is looked at: records, routes and the OpenAPI document. */
import type { RouteList, ShownRecord } from '../../wire/view-types.js'
import type { JsonRecord } from '../../wire/json-schema.js'
import { api, ApiError } from './api.js'
import { isOfFile } from '../pure/runs.js'
import type { State } from '../pure/state.js'
import type { Keeper } from './keeper.js'
import type { Store } from './store.js'

/** What became of something that was read. */
type LoadedRecords<Value> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly value: Value }
  | { readonly kind: 'failed'; readonly error: ApiError }

/** Records that are kept. */
const MAX_RECORDS = 60

const LOADING = { kind: 'loading' } as const

/** What is read when it is looked at, and kept. */
export class Shelf {
  readonly #store: Store
  readonly #keeper: Keeper
  readonly #records = new Map<string, LoadedRecords<ShownRecord>>()
  /** Records of the file that is open. */
  #opened: ReadonlyMap<string, LoadedRecords<ShownRecord>> = new Map()
  #routes: LoadedRecords<RouteList> | null = null
  #openapi: LoadedRecords<JsonRecord> | null = null
  #seen: State

  constructor(store: Store, keeper: Keeper) {
    this.#store = store
    this.#keeper = keeper
    this.#seen = store.state
    store.subscribe((state) => this.#look(state))
  }

  #look(state: State): void {
    const { routesRead, boot, link } = this.#seen
    this.#seen = state
    if (link !== 'live' && state.link === 'live') this.#retryAll()
    const isRestarted = boot !== '' && state.boot !== boot
    if (isRestarted || state.routesRead !== routesRead) this.#rereadRoutes()
  }

  /** Until the new ones are there, the old ones stay. */
  #rereadRoutes(): void {
    if (this.#routes !== null) void this.#load(api.routes, (loaded) => (this.#routes = loaded))
    if (this.#openapi !== null) void this.#load(api.openapi, (loaded) => (this.#openapi = loaded))
  }

  /** Gives a record, and reads it when it is not there. */
  record(id: string): LoadedRecords<ShownRecord> {
    const record = this.#opened.get(id) ?? this.#records.get(id)
    if (record !== undefined) return record
    this.#keep(id, LOADING)
    void this.#load(
      () => this.#read(id),
      (loaded) => this.#keep(id, loaded),
    )
    return LOADING
  }

  /** Reads a request again if it could not be read. */
  retry(id: string): void {
    if (this.#records.get(id)?.kind === 'failed') this.#records.delete(id)
  }

  /** Waits for a record. */
  async wanted(id: string): Promise<ShownRecord> {
    const record = this.#opened.get(id) ?? this.#records.get(id)
    if (record?.kind === 'ready') return record.value
    const value = await this.#read(id)
    this.#keep(id, { kind: 'ready', value })
    return value
  }

  /** Returns a request of the open file; `undefined` for any other. */
  ofFile(id: string): ShownRecord | undefined {
    const record = this.#opened.get(id)
    return record?.kind === 'ready' ? record.value : undefined
  }

  /** Replaces the requests of the open file. */
  open(records: readonly ShownRecord[]): void {
    this.#opened = new Map(records.map((value) => [value.id, { kind: 'ready', value }]))
  }

  /** The app has the requests of its run, and the browser has the requests of earlier runs. */
  async #read(id: string): Promise<ShownRecord> {
    const { records, boot } = this.#store.state
    if (isOfFile({ boot: id })) throw new ApiError({ status: 404, detail: 'The file is not open' })
    const listed = records.find((record) => record.id === id)
    const isEarlier = listed !== undefined && listed.boot !== boot && !isOfFile(listed)
    const kept = isEarlier ? await this.#keeper.find(id) : null
    if (kept !== null) return kept
    try {
      return await api.record(id)
    } catch (error) {
      const found = await this.#keeper.find(id)
      if (found === null) throw error
      return found
    }
  }

  /** The routes, read when they are not there. */
  routes(): LoadedRecords<RouteList> {
    if (this.#routes !== null) return this.#routes
    this.#routes = LOADING
    void this.#load(api.routes, (loaded) => (this.#routes = loaded))
    return LOADING
  }

  /** The OpenAPI document, read when it is not there. */
  openapi(): LoadedRecords<JsonRecord> {
    if (this.#openapi !== null) return this.#openapi
    this.#openapi = LOADING
    void this.#load(api.openapi, (loaded) => (this.#openapi = loaded))
    return LOADING
  }

  /** Forgets what could not be read, so that it is tried again. */
  #retryAll(): void {
    for (const [id, loaded] of this.#records) if (loaded.kind === 'failed') this.#records.delete(id)
    if (this.#routes?.kind === 'failed') this.#routes = null
    if (this.#openapi?.kind === 'failed') this.#openapi = null
  }

  #keep(id: string, loaded: LoadedRecords<ShownRecord>): void {
    this.#records.delete(id)
    this.#records.set(id, loaded)
    const [oldest] = this.#records.keys()
    if (this.#records.size > MAX_RECORDS && oldest !== undefined) this.#records.delete(oldest)
  }

  async #load<Value>(read: () => Promise<Value>, keep: (loaded: LoadedRecords<Value>) => void): Promise<void> {
    try {
      keep({ kind: 'ready', value: await read() })
    } catch (error) {
      if (error instanceof ApiError) keep({ kind: 'failed', error })
    }
    this.#store.touch()
  }
}
