/** Cache of records, routes and the OpenAPI document. They are read from the app when a view first needs them. */
import type { RouteList, ShownRecord } from '../../../src/devconsole/wire/view-types.js'
import type { JsonRecord } from '../../../src/devconsole/wire/json-schema.js'
import { api, ApiError } from './api.js'
import { isOfFile } from '../pure/runs.js'
import type { State } from '../pure/state.js'
import type { Keeper } from './keeper.js'
import type { Store } from './store.js'

/** State of a value that is read from the app. */
type LoadState<Value> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly value: Value }
  | { readonly kind: 'failed'; readonly error: ApiError }

/** Maximum number of records in the cache. */
const MAX_RECORDS = 60

const LOADING = { kind: 'loading' } as const

export class Shelf {
  readonly #store: Store
  readonly #keeper: Keeper
  readonly #records = new Map<string, LoadState<ShownRecord>>()
  /** Records of the open file. */
  #opened: ReadonlyMap<string, LoadState<ShownRecord>> = new Map()
  #routes: LoadState<RouteList> | null = null
  #openapi: LoadState<JsonRecord> | null = null
  /** Ends when the last request for the routes has ended. */
  #reading: Promise<void> | null = null
  #previous: State

  constructor(store: Store, keeper: Keeper) {
    this.#store = store
    this.#keeper = keeper
    this.#previous = store.state
    store.subscribe((state) => this.#update(state))
  }

  #update(state: State): void {
    const { routesRead, boot, link } = this.#previous
    this.#previous = state
    if (link !== 'live' && state.link === 'live') this.#retryAll()
    const isRestarted = boot !== '' && state.boot !== boot
    if (isRestarted || state.routesRead !== routesRead) this.#rereadRoutes()
  }

  /** The old routes stay until the new ones are read. */
  #rereadRoutes(): void {
    if (this.#routes !== null) this.#readRoutes()
    if (this.#openapi !== null) void this.#load(api.openapi, (loaded) => (this.#openapi = loaded))
  }

  /** Returns a record. Starts to read it if it is not in the cache. */
  record(id: string): LoadState<ShownRecord> {
    const record = this.#opened.get(id) ?? this.#records.get(id)
    if (record !== undefined) return record
    this.#put(id, LOADING)
    void this.#load(
      () => this.#read(id),
      (loaded) => this.#put(id, loaded),
    )
    return LOADING
  }

  /** Reads a request again if it could not be read. */
  retry(id: string): void {
    if (this.#records.get(id)?.kind === 'failed') this.#records.delete(id)
  }

  /** Returns a record after it is read. Throws an `ApiError` if it cannot be read. */
  async load(id: string): Promise<ShownRecord> {
    const record = this.#opened.get(id) ?? this.#records.get(id)
    if (record?.kind === 'ready') return record.value
    const value = await this.#read(id)
    this.#put(id, { kind: 'ready', value })
    return value
  }

  /** Returns a request of the open file; `undefined` for any other. */
  findInFile(id: string): ShownRecord | undefined {
    const record = this.#opened.get(id)
    return record?.kind === 'ready' ? record.value : undefined
  }

  /** Requests that the browser has stored. */
  stored(): Promise<readonly ShownRecord[]> {
    return this.#keeper.records()
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
    const stored = isEarlier ? await this.#keeper.find(id) : null
    if (stored !== null) return stored
    try {
      return await api.record(id)
    } catch (error) {
      const record = await this.#keeper.find(id)
      if (record === null) throw error
      return record
    }
  }

  /** Returns the routes. Starts to read them if they are not in the cache. */
  routes(): LoadState<RouteList> {
    if (this.#routes !== null) return this.#routes
    this.#routes = LOADING
    this.#readRoutes()
    return LOADING
  }

  #readRoutes(): void {
    this.#reading = this.#load(api.routes, (loaded) => (this.#routes = loaded))
  }

  /** Returns the routes of the running app. After a restart, waits until they are read. */
  async newRoutes(): Promise<LoadState<RouteList>> {
    const routes = this.routes()
    await this.#reading
    return this.#routes ?? routes
  }

  /** Returns the OpenAPI document. Starts to read it if it is not in the cache. */
  openapi(): LoadState<JsonRecord> {
    if (this.#openapi !== null) return this.#openapi
    this.#openapi = LOADING
    void this.#load(api.openapi, (loaded) => (this.#openapi = loaded))
    return LOADING
  }

  /** Removes failed reads, so that the next view tries them again. */
  #retryAll(): void {
    for (const [id, loaded] of this.#records) if (loaded.kind === 'failed') this.#records.delete(id)
    if (this.#routes?.kind === 'failed') this.#routes = null
    if (this.#openapi?.kind === 'failed') this.#openapi = null
  }

  #put(id: string, loaded: LoadState<ShownRecord>): void {
    this.#records.delete(id)
    this.#records.set(id, loaded)
    const [oldest] = this.#records.keys()
    if (this.#records.size > MAX_RECORDS && oldest !== undefined) this.#records.delete(oldest)
  }

  async #load<Value>(read: () => Promise<Value>, put: (loaded: LoadState<Value>) => void): Promise<void> {
    try {
      put({ kind: 'ready', value: await read() })
    } catch (error) {
      if (error instanceof ApiError) put({ kind: 'failed', error })
    }
    this.#store.touch()
  }
}
