/**
 * Strings in IndexedDB, which survive a restart of the app. If the browser refuses (private window, no space left), the strings are in
 * memory and last as long as the page.
 */
import { BASE } from './api.js'

interface StoredItem {
  readonly id: string
  /** Name of the app. Other apps can use the same origin at other times. */
  readonly app: string
  readonly time: number
  readonly bytes: number
  readonly text: string
}

type TableName = 'records' | 'runs'

/** Limits of all apps of an origin together. Beyond them, the oldest items are deleted. */
const LIMITS: Readonly<Record<TableName, { readonly count: number; readonly bytes: number }>> = {
  records: { count: 500, bytes: 8 * 1024 * 1024 },
  runs: { count: 20, bytes: 1024 * 1024 },
}

/** Index by time and size. It makes the limits checkable without reading the items. */
const BY_SIZE = 'size'

export class StoredItems {
  readonly #table: TableName
  readonly #database: Promise<IDBDatabase | null>
  readonly #memory = new Map<string, StoredItem>()

  constructor(table: TableName, database: Promise<IDBDatabase | null>) {
    this.#table = table
    this.#database = database
  }

  async put(item: StoredItem): Promise<void> {
    const isStored = await this.#use('readwrite', (table) => {
      table.put(item)
      dropOldest(table, LIMITS[this.#table])
    })
    if (isStored !== null) this.#memory.delete(item.id)
    else this.#putInMemory(item)
  }

  async get(id: string): Promise<StoredItem | null> {
    const request = await this.#use('readonly', (table) => table.get(id))
    // Proof: other pages of the origin can write any value, so the text is parsed like a file.
    return (request?.result as StoredItem | undefined) ?? this.#memory.get(id) ?? null
  }

  /** Returns the items of an app, newest first. */
  async all(app: string): Promise<readonly StoredItem[]> {
    const request = await this.#use('readonly', (table) => table.getAll())
    // Proof: as above.
    const items = [...((request?.result ?? []) as StoredItem[]), ...this.#memory.values()]
    return items.filter((item) => item.app === app).toSorted((a, b) => b.time - a.time)
  }

  /** Deletes the items of an app, except the given ids. */
  async clear(app: string, except: ReadonlySet<string>): Promise<void> {
    for (const { id, app: itsApp } of this.#memory.values()) {
      if (itsApp === app && !except.has(id)) this.#memory.delete(id)
    }
    await this.#use('readwrite', (table) => {
      const request = table.openCursor()
      request.onsuccess = () => {
        const cursor = request.result
        if (cursor === null) return
        // Proof: as above.
        const { id, app: itsApp } = cursor.value as StoredItem
        if (itsApp === app && !except.has(id)) cursor.delete()
        cursor.continue()
      }
    })
  }

  #putInMemory(item: StoredItem): void {
    const { count, bytes } = LIMITS[this.#table]
    this.#memory.delete(item.id)
    this.#memory.set(item.id, item)
    let total = [...this.#memory.values()].reduce((sum, stored) => sum + stored.bytes, 0)
    for (const [id, oldest] of this.#memory) {
      if (this.#memory.size <= count && total <= bytes) return
      total -= oldest.bytes
      this.#memory.delete(id)
    }
  }

  /** Returns the result of `run` after its transaction; `null` if the browser refuses. */
  async #use<Result>(mode: IDBTransactionMode, run: (table: IDBObjectStore) => Result): Promise<Result | null> {
    const database = await this.#database
    if (database === null) return null
    try {
      const transaction = database.transaction(this.#table, mode)
      const result = run(transaction.objectStore(this.#table))
      return await new Promise((resolve) => {
        transaction.addEventListener('complete', () => resolve(result))
        transaction.addEventListener('abort', () => resolve(null))
      })
    } catch {
      return null
    }
  }
}

function dropOldest(table: IDBObjectStore, limits: { readonly count: number; readonly bytes: number }): void {
  let [count, bytes] = [0, 0]
  const request = table.index(BY_SIZE).openKeyCursor(null, 'prev')
  request.onsuccess = () => {
    const cursor = request.result
    if (cursor === null) return
    const [, size] = Array.isArray(cursor.key) ? cursor.key : []
    count++
    bytes += Number(size)
    if (count > limits.count || bytes > limits.bytes) table.delete(cursor.primaryKey)
    cursor.continue()
  }
}

/** Opens the database of this origin. Resolves with `null` if the browser refuses. */
export function openDatabase(): Promise<IDBDatabase | null> {
  return new Promise((resolve) => {
    try {
      const opening = indexedDB.open(`dev-console ${BASE}`, 1)
      opening.onupgradeneeded = () => {
        for (const name of Object.keys(LIMITS)) {
          opening.result.createObjectStore(name, { keyPath: 'id' }).createIndex(BY_SIZE, ['time', 'bytes'])
        }
      }
      opening.onsuccess = () => {
        // An open connection would prevent a tab with a newer page from opening its version of the database.
        opening.result.onversionchange = () => opening.result.close()
        resolve(opening.result)
      }
      opening.addEventListener('error', () => resolve(null))
      opening.addEventListener('blocked', () => resolve(null))
    } catch {
      resolve(null)
    }
  })
}
