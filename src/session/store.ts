/** Where sessions are kept: what a store does, that of this process, and how one is asked that may be out of reach. */
import { frameworkError } from '../errors/http-error.js'
import { ExpiringMap } from '../stores/expiring-map.js'
import { inTime, type Patience } from '../stores/in-time.js'
import { isThenable } from '../values/objects.js'

/** How a session is written: `new` under a key that was never used, `changed` only where there still is one under the key. */
export type SessionWrite = 'new' | 'changed'

/**
 * Keeps sessions as texts. What a method throws, and what takes longer than 5 s, fails the request with 503.
 *
 * @example
 * ```ts
 * import type { SessionStore } from 'verbena/session'
 *
 * const kept = new Map<string, { text: string; end: number }>()
 * const store: SessionStore = {
 *   get: (key) => kept.get(key)?.text,
 *   set: (key, text, end, write) => {
 *     if (write === 'new' || kept.has(key)) kept.set(key, { text, end })
 *   },
 *   delete: (key) => void kept.delete(key),
 *   touch: (key, end) => {
 *     const found = kept.get(key)
 *     if (found !== undefined) kept.set(key, { ...found, end })
 *   },
 * }
 * store.get('none') // => undefined
 * ```
 */
export interface SessionStore {
  /**
   * Finds the text of a session.
   *
   * @param key a digest of the session's id, which says nothing of the id
   * @returns the text; `undefined` or `null` where there is none, or its end has come
   */
  get(key: string): Promise<string | null | undefined> | string | null | undefined
  /**
   * Keeps a text, in one step: a session that ends at the same moment must not come back.
   *
   * @param key as above
   * @param text to be given back as it is
   * @param end when to forget it, in ms since 1970
   * @param write `changed` does nothing where there is no text under the key
   */
  set(key: string, text: string, end: number, write: SessionWrite): unknown
  /**
   * Forgets a session; one that is not there is no error.
   *
   * @param key as above
   */
  delete(key: string): unknown
  /**
   * Keeps a session longer, if it is there.
   *
   * @param key as above
   * @param end when to forget it, in ms since 1970
   */
  touch(key: string, end: number): unknown
}

/** Sessions that this process keeps; the oldest goes when there are more. */
const MOST_SESSIONS = 100_000

/** In the memory of this process. */
export function memorySessions(limit: number = MOST_SESSIONS): SessionStore {
  const kept = new ExpiringMap<string>(limit)
  const replace = (key: string, text: string | undefined, end: number): void => {
    if (kept.get(key) !== undefined && text !== undefined) kept.set(key, text, end)
  }
  return {
    get: (key) => kept.get(key),
    set: (key, text, end, write) => (write === 'new' ? kept.set(key, text, end) : replace(key, text, end)),
    delete: (key) => kept.delete(key),
    touch: (key, end) => replace(key, kept.get(key), end),
  }
}

/** What a store has found. */
export function textOf(found: unknown): string | undefined {
  if (found === undefined || found === null) return undefined
  if (typeof found === 'string') return found
  throw new TypeError(`Cannot read a session: its store gave ${typeof found}. Let it give the text that it was given`)
}

/** ms after which a store counts as down. */
const LONGEST = 5_000
const PATIENCE: Patience = { ms: LONGEST, error: () => new Error(`The store did not answer within ${LONGEST} ms`) }

/** Asks a store. Without its answer nobody knows who is asking: the request fails. */
export async function asked(work: () => unknown): Promise<unknown> {
  try {
    const made = work()
    return isThenable(made) ? await inTime(made, PATIENCE) : made
  } catch (error) {
    throw frameworkError(503, 'Sessions are out of reach', { cause: error })
  }
}
