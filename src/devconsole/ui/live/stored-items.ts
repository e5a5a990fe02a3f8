/**
 * Strings in the browser that survive a restart of the app (IndexedDB). If the browser refuses (private window, no space left), they are
 * in memory and last as long as the page.
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

/** Limits of all apps of an origin together. Items beyond the limits are deleted, the oldest first. */
const LIMITS: Readonly<Record<TableName, { readonly most: number; readonly bytes: number }>> = {
  records: { most: 500, bytes: 8 * 1024 * 1024 },
  runs: { most: 20, bytes: 1024 * 1024 },
}

/** Index by time and size, so that the limits can be checked without reading the items. */
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
    const found = await this.#use('readonly', (table) => table.get(id))
    // Proof: pages of the origin can write any value, so the text is parsed like a file.
    return (found?.result as StoredItem | undefined) ?? this.#memory.get(id) ?? null
  }

  /** Returns the items of an app, newest first. */
  async all(app: string): Promise<readonly StoredItem[]> {
    const found = await this.#use('readonly', (table) => table.getAll())
    // Proof: as above.
    const items = [...((found?.result ?? []) as StoredItem[]), ...this.#memory.values()]
    return items.filter((item) => item.app === app).toSorted((a, b) => b.time - a.time)
  }

  /** Deletes the items of an app, except the given ids. */
  async clear(app: string, except: ReadonlySet<string>): Promise<void> {
    const ids = (await this.all(app)).map(({ id }) => id).filter((id) => !except.has(id))
    for (const id of ids) this.#memory.delete(id)
    await this.#use('readwrite', (table) => {
      for (const id of ids) table.delete(id)
    })
  }

  #putInMemory(item: StoredItem): void {
    const { most, bytes } = LIMITS[this.#table]
    this.#memory.delete(item.id)
    this.#memory.set(item.id, item)
    let total = [...this.#memory.values()].reduce((sum, each) => sum + each.bytes, 0)
    for (const [id, each] of this.#memory) {
      if (this.#memory.size <= most && total <= bytes) return
      total -= each.bytes
      this.#memory.delete(id)
    }
  }

  /** Returns the value of the function after its transaction; `null` if the browser refuses. */
  async #use<Made>(mode: IDBTransactionMode, run: (table: IDBObjectStore) => Made): Promise<Made | null> {
    const database = await this.#database
    if (database === null) return null
    try {
      const transaction = database.transaction(this.#table, mode)
      const made = run(transaction.objectStore(this.#table))
      return await new Promise((resolve) => {
        transaction.addEventListener('complete', () => resolve(made))
        transaction.addEventListener('abort', () => resolve(null))
      })
    } catch {
      return null
    }
  }
}

function dropOldest(table: IDBObjectStore, limits: { readonly most: number; readonly bytes: number }): void {
  let [count, bytes] = [0, 0]
  const walk = table.index(BY_SIZE).openKeyCursor(null, 'prev')
  walk.onsuccess = () => {
    const cursor = walk.result
    if (cursor === null) return
    const [, size] = Array.isArray(cursor.key) ? cursor.key : []
    count++
    bytes += Number(size)
    if (count > limits.most || bytes > limits.bytes) table.delete(cursor.primaryKey)
    cursor.continue()
  }
}

/** Opens the database of this origin. Returns `null` if the browser refuses. */
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
        // Without it, a tab with a newer page could not open its version of the database.
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
