/** Switches a file to the write-ahead log, also if several processes start at the same time. */
import type Database from 'better-sqlite3'

const ATTEMPTS = 50
/** In ms. */
const PAUSE = 20

/**
 * Switches the file of a connection to the write-ahead log. If another process switches it at the same moment, SQLite fails without waiting
 * for the `timeout` of the connection. Throws after a second.
 */
export function useWal(database: Database.Database): void {
  for (let left = ATTEMPTS; ; left--) {
    try {
      database.pragma('journal_mode = wal')
      return
    } catch (error) {
      if (left === 0) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE)
    }
  }
}
