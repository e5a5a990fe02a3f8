/** A process that opens one new file after the other, each at the same moment as other processes. Sends back the errors. */
import Database from 'better-sqlite3'
import { join } from 'node:path'
import { useWal } from '../wal.js'

const [, , folder = '', start = '', rounds = ''] = process.argv
const PAUSE = 30
const errors: string[] = []

for (let round = 0; round < Number(rounds); round++) {
  while (Date.now() < Number(start) + round * PAUSE);
  const database = new Database(join(folder, `${round}.db`), { timeout: 1_000 })
  try {
    useWal(database)
  } catch (error) {
    errors.push(String(error))
  }
  database.close()
}
process.send?.(errors)
process.disconnect()
