/** Searches headers and bodies, which only the app has. New requests start a new search, at most twice a second. */
import type { RequestSummary } from '../../wire/request-types.js'
import { api } from './api.js'
import type { Store } from './store.js'

const PAUSE_MS = 500

export class RecordSearch {
  readonly #store: Store
  #q = ''
  #ids: ReadonlySet<string> = new Set()
  #searched: readonly RequestSummary[] | null = null
  #isSearching = false

  constructor(store: Store) {
    this.#store = store
  }

  /** Returns the ids of matching records. The set is empty until the app has responded; then the views are drawn again. */
  ids(q: string, records: readonly RequestSummary[]): ReadonlySet<string> {
    if (q !== this.#q) {
      this.#q = q
      this.#ids = new Set()
      this.#searched = null
    }
    if (records !== this.#searched && !this.#isSearching) void this.#search(q, records)
    return this.#ids
  }

  async #search(q: string, records: readonly RequestSummary[]): Promise<void> {
    this.#isSearching = true
    this.#searched = records
    const page = await api.search(q).catch(() => null)
    if (page !== null && q === this.#q) this.#ids = new Set(page.items.map(({ id }) => id))
    setTimeout(() => {
      this.#isSearching = false
      this.#store.touch()
    }, PAUSE_MS)
    this.#store.touch()
  }
}
