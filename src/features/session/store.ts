/**
 * Session stores: the interface, the in-memory store, and calls to stores that can fail.
 *
 * @see docs/decisions/0034-sessions-in-memory.md
 */
import { frameworkError } from '../../errors/http-error.js'
import { STORE_TIMES, storeTimeout, withTimeout } from '../../values/with-timeout.js'
import { RecencyMap } from '../stores/recency-map.js'
import { isThenable } from '../../values/objects.js'
import { describeType } from '../../values/describe-type.js'

/** `new` writes a session with an unused key; `changed` writes only if the key still exists. */
export type SessionWrite = 'new' | 'changed'

/**
 * Stores sessions as strings. The request fails with 503 if a method throws or does not respond within 5 s, or if an update does not return
 * a boolean. It fails with 500 if `get` returns neither a string nor `undefined` nor `null`.
 *
 * @example
 * ```ts
 * import type { SessionStore } from 'verbena/session'
 *
 * const sessions = new Map<string, { text: string; end: number }>()
 * const find = (key: string) => {
 *   const session = sessions.get(key)
 *   return session !== undefined && session.end > Date.now() ? session : undefined
 * }
 * const store: SessionStore = {
 *   get: (key) => find(key)?.text,
 *   set: (key, text, end, write) => {
 *     if (write === 'changed' && find(key) === undefined) return false
 *     sessions.set(key, { text, end })
 *     return true
 *   },
 *   delete: (key) => sessions.delete(key),
 *   touch: (key, end) => {
 *     const session = find(key)
 *     if (session === undefined) return false
 *     session.end = end
 *     return true
 *   },
 * }
 * store.touch('a1b2', Date.now() + 60_000) // => false
 * ```
 */
export interface SessionStore {
  /**
   * Returns the string of a session.
   *
   * @param key digest of the session id, which does not reveal the id
   * @returns the string; `undefined` or `null` if it is missing or expired
   */
  get(key: string): Promise<string | null | undefined> | string | null | undefined
  /**
   * Writes a session. Check and write must be atomic, so that an ended session stays ended.
   *
   * @param key as above
   * @param text string to return from `get`, unchanged
   * @param end expiry time, in ms since 1970
   * @param write `changed` writes only if the key exists
   * @returns whether the session was written. If `changed` returns `false`, the browser gets no cookie: another request has ended the
   *   session. The result of `new` is not read
   */
  set(key: string, text: string, end: number, write: SessionWrite): Promise<boolean> | boolean
  /**
   * Deletes a session, if it exists.
   *
   * @param key as above
   */
  delete(key: string): unknown
  /**
   * Changes the expiry time of a session, if it exists.
   *
   * @param key as above
   * @param end expiry time, in ms since 1970
   * @returns whether the session exists. If not, the browser gets no cookie
   */
  touch(key: string, end: number): Promise<boolean> | boolean
}

const MAX_SESSIONS = 100_000
/** Maximum size of all sessions in bytes. */
const MAX_SIZE = 64 * 1024 * 1024

/** Creates a store in the memory of this process. */
export function memorySessions(maxCount: number = MAX_SESSIONS, maxSize: number = MAX_SIZE): SessionStore {
  const sessions = new RecencyMap({ maxCount, maxSize })
  return {
    get: (key) => sessions.get(key),
    set: (key, text, end, write) => {
      if (write === 'changed') return sessions.update(key, text, end)
      sessions.set(key, text, end)
      return true
    },
    delete: (key) => sessions.delete(key),
    touch: (key, end) => sessions.update(key, undefined, end),
  }
}

/** Returns the time until the end of a session in ms. A database receives a duration, because its clock may differ. */
export function remainingLifetime(end: number): number {
  return Math.max(1, end - Date.now())
}

/** Checks the result of `get`. Returns `undefined` for `null`; throws if it is not a string. */
export function storedText(found: unknown): string | undefined {
  if (found === undefined || found === null) return undefined
  if (typeof found === 'string') return found
  throw new TypeError(
    `Cannot read a session: the store returned a value of type ${typeof found}. Return the string that "set" received`,
  )
}

const PATIENCE = storeTimeout(STORE_TIMES.sessions)

/** Calls a store. Throws 503 if the store fails, because Verbena then cannot identify the user. */
export async function queryStore(work: () => unknown): Promise<unknown> {
  try {
    const result = work()
    return isThenable(result) ? await withTimeout(result, PATIENCE) : result
  } catch (error) {
    throw unavailableError(error)
  }
}

/**
 * Updates an existing session. Returns whether it still exists.
 *
 * @param call for the error: `set with "changed"`
 */
export async function updateExisting(call: string, update: () => unknown): Promise<boolean> {
  const result = await queryStore(update)
  if (typeof result === 'boolean') return result
  const fix = 'Return true if the session exists, false if not, or a promise of it'
  throw unavailableError(
    new TypeError(`Cannot use the session store: ${call} returned ${describeType(result)}. ${fix}`),
  )
}

function unavailableError(cause: unknown): Error {
  return frameworkError(503, 'Sessions are temporarily unavailable. Try again later', { cause })
}
