/** In-memory store for idempotency keys, with a maximum size in bytes that all clients share. */
import { Heap, type HeapItem } from './heap.js'
import { stringSize } from './string-size.js'
import type { IdempotencyStore, KeyClaim, KeyState } from '../idempotency-store.js'

/** A stored response. The entries of one client are a linked list, oldest first. */
interface StoredEntry {
  readonly key: string
  readonly request: string
  readonly response: string
  /** When it expires, in ms since 1970. */
  readonly end: number
  readonly size: number
  readonly client: ClientResponses
  previous: StoredEntry | null
  next: StoredEntry | null
}

/** A client that has stored responses. */
interface ClientResponses extends HeapItem {
  readonly id: string
  /** Bytes of its entries. */
  size: number
  /** When its oldest entry expires, in ms since 1970. */
  end: number
  oldest: StoredEntry | null
  newest: StoredEntry | null
}

/** Maximum size of all stored responses in bytes. */
export const MAX_STORE_SIZE: number = 64 * 1024 * 1024
/** Bytes that an entry or a client takes besides its strings. */
const OVERHEAD = 100
/** Number of entries to check each time a response is stored. */
const SWEEP_SIZE = 4

/**
 * Stores keys and responses in this process. If it is full, it removes the oldest response of the client whose responses take the most
 * memory. A client that sends many keys only loses its own.
 *
 * Keys of requests in progress have no lease and are never removed. A claim cannot outlive its process, and it takes less memory than its
 * request.
 */
export class MemoryStore implements IdempotencyStore {
  readonly #claims = new Map<string, KeyClaim>()
  readonly #entries = new Map<string, StoredEntry>()
  readonly #clients = new Map<string, ClientResponses>()
  readonly #largest = new Heap<ClientResponses>(isLarger)
  readonly #maxSize: number
  #onFirstEviction: (() => void) | null
  #size = 0
  /** Cycles through all entries. Each sweep continues after the last entry checked. */
  #sweeper: MapIterator<StoredEntry> = this.#entries.values()

  /**
   * @param onFirstEviction called once, when a response is removed before it has expired
   * @param maxSize in bytes
   */
  constructor(onFirstEviction: () => void, maxSize: number = MAX_STORE_SIZE) {
    this.#onFirstEviction = onFirstEviction
    this.#maxSize = maxSize
  }

  /** Bytes of all entries and clients; some of the entries may have expired. */
  get size(): number {
    return this.#size
  }

  async claim(claim: KeyClaim): Promise<KeyState> {
    const { key, owner, request } = claim
    const [claimed, completed] = [this.#claims.get(key), this.#find(key)]
    const entry = claimed ?? completed
    if (entry !== undefined && entry.request !== request) return { state: 'mismatch' }
    if (claimed !== undefined) return { state: claimed.owner === owner ? 'claimed' : 'in-progress' }
    if (completed !== undefined) return { state: 'completed', response: completed.response }
    this.#claims.set(key, claim)
    return { state: 'claimed' }
  }

  async complete({ key, request, owner, client: id }: KeyClaim, response: string, ttl: number): Promise<boolean> {
    if (this.#claims.get(key)?.owner !== owner) return false
    this.#claims.delete(key)
    this.#delete(this.#entries.get(key))
    this.#sweep()
    const client = this.#clients.get(id) ?? newClient(id)
    const size = key.length + request.length + stringSize(response) + OVERHEAD
    this.#reserve(size, client)
    this.#add({
      key,
      request,
      response,
      end: Date.now() + ttl,
      size,
      client,
      previous: client.newest,
      next: null,
    })
    return true
  }

  async release({ key, owner }: KeyClaim): Promise<void> {
    if (this.#claims.get(key)?.owner === owner) this.#claims.delete(key)
  }

  #find(key: string): StoredEntry | undefined {
    const entry = this.#entries.get(key)
    return entry === undefined || entry.end <= Date.now() ? undefined : entry
  }

  /** Removes responses until there is room. The new response counts for its client first, but is never removed itself. */
  #reserve(size: number, client: ClientResponses): void {
    client.size += size
    if (client.index >= 0) this.#largest.set(client)
    const neededSize = (): number => size + (client.index < 0 ? clientSize(client) : 0)
    while (this.#size + neededSize() > this.#maxSize && this.#entries.size > 0) {
      this.#delete(this.#largest.first?.oldest)
      this.#onFirstEviction?.()
      this.#onFirstEviction = null
    }
  }

  #add(entry: StoredEntry): void {
    const { client, previous } = entry
    if (client.index < 0) {
      this.#clients.set(client.id, client)
      this.#size += clientSize(client)
    }
    if (previous === null) setOldest(client, entry)
    else previous.next = entry
    client.newest = entry
    this.#size += entry.size
    this.#entries.set(entry.key, entry)
    this.#largest.set(client)
  }

  #delete(entry: StoredEntry | null | undefined): void {
    if (entry === null || entry === undefined) return
    const { client, previous, next } = entry
    this.#entries.delete(entry.key)
    this.#size -= entry.size
    client.size -= entry.size
    if (next === null) client.newest = previous
    else next.previous = previous
    if (previous !== null) previous.next = next
    else if (next !== null) setOldest(client, next)
    else return this.#deleteClient(client)
    this.#largest.set(client)
  }

  #deleteClient(client: ClientResponses): void {
    client.oldest = null
    this.#largest.delete(client)
    this.#clients.delete(client.id)
    this.#size -= clientSize(client)
  }

  /** Checks the next entries and removes the expired ones. */
  #sweep(): void {
    const now = Date.now()
    for (let count = 0; count < SWEEP_SIZE; count++) {
      const { value } = this.#sweeper.next()
      if (value === undefined) this.#sweeper = this.#entries.values()
      else if (value.end <= now) this.#delete(value)
    }
  }
}

function newClient(id: string): ClientResponses {
  return { id, size: 0, end: 0, oldest: null, newest: null, index: -1 }
}

function setOldest(client: ClientResponses, entry: StoredEntry): void {
  client.oldest = entry
  client.end = entry.end
}

function clientSize({ id }: ClientResponses): number {
  return id.length + OVERHEAD
}

/** Whether a client takes more bytes. For the same size, compares when the oldest response expires; an earlier time counts as larger. */
function isLarger(a: ClientResponses, b: ClientResponses): boolean {
  return a.size === b.size ? a.end < b.end : a.size > b.size
}
