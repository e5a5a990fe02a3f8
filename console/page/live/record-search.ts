/**
 * Searches headers and bodies. The app searches the requests of its run, again after new requests and at most twice a second. The
 * browser searches requests of earlier runs.
 */
import type { FilterTest } from '../../../src/devconsole/wire/filter-values.js'
import type { RequestSummary } from '../../../src/devconsole/wire/request-types.js'
import { api } from './api.js'
import type { Shelf } from './shelf.js'
import type { Store } from './store.js'

const PAUSE_MS = 500

export class RecordSearch {
  readonly #store: Store
  readonly #shelf: Shelf
  #key = ''
  #ids: readonly string[] = []
  #storedIds: readonly string[] = []
  #searched: readonly RequestSummary[] | null = null
  #isSearching = false

  constructor(store: Store, shelf: Shelf) {
    this.#store = store
    this.#shelf = shelf
  }

  /** Returns the ids of matching records, at first an empty set. Draws the views again when ids are found. */
  ids(q: string, matches: FilterTest): ReadonlySet<string> {
    const { app, boot, records } = this.#store.state
    const key = `${app?.name} ${boot} ${q}`
    if (key !== this.#key) {
      this.#key = key
      this.#ids = []
      this.#storedIds = []
      this.#searched = null
      void this.#searchStored(key, matches)
    }
    if (records !== this.#searched && !this.#isSearching) void this.#search(q, records)
    return new Set([...this.#ids, ...this.#storedIds])
  }

  async #search(q: string, records: readonly RequestSummary[]): Promise<void> {
    const key = this.#key
    this.#isSearching = true
    this.#searched = records
    const found = await api.search(q).catch(() => null)
    if (found !== null && key === this.#key) this.#ids = found.items.map(({ id }) => id)
    setTimeout(() => {
      this.#isSearching = false
      this.#store.touch()
    }, PAUSE_MS)
    this.#store.touch()
  }

  async #searchStored(key: string, matches: FilterTest): Promise<void> {
    const stored = await this.#shelf.stored()
    if (key !== this.#key) return
    this.#storedIds = stored.filter((record) => matches({ summary: record, record })).map(({ id }) => id)
    this.#store.touch()
  }
}
