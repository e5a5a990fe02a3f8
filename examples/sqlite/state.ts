/** The connection of the stores as a service, to a file that contains nothing else. */
import Database from 'better-sqlite3'
import { service, type Service } from 'verbena'
import { useWal } from './wal.js'

/** Creates the service of the connection. */
export function openState(path: string): Service<Database.Database> {
  return service(
    () => {
      const database = new Database(path, { timeout: 1_000 })
      // A payment must not be repeated after a power failure, so each write waits for the disk.
      useWal(database)
      database.exec('pragma synchronous = full')
      return database
    },
    { close: (database) => void database.close(), check: (database) => database.exec('select 1') },
  )
}
