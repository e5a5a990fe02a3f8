/**
 * Session store in memory.
 *
 * @see docs/decisions/0034-sessions-in-memory.md
 */
import { RecencyMap } from './recency-map.js'
import type { SessionStore } from '../session-store.js'

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
