/** Interface of session stores. */

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
