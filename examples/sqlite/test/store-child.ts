/** A process that creates the tables of all stores, then claims keys and counts requests, and sends back the results. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { sqliteIdempotency, sqliteLimits, sqliteSessions } from 'verbena/sqlite'
import { useWal } from '../wal.js'

const [, , path = ''] = process.argv
const database = new Database(path)
useWal(database)
database.exec('pragma synchronous = normal')
const sessions = sqliteSessions(database, { create: true })
const keys = sqliteIdempotency(database, { create: true })
const limits = sqliteLimits(database, { create: true })

process.send?.('ready')
await once(process, 'message')
const owner = String(process.pid)
let [claimed, allowed] = [0, 0]
for (let number = 0; number < 200; number++) {
  const { state } = await keys.claim({ key: `k${number}`, client: 'c', owner, request: 'r', lease: 60_000 })
  if (state === 'claimed') claimed++
  const charge = await limits.take({ key: 'all', limit: 300, window: 600_000, cost: 1 })
  if (charge.allowed) allowed++
  // Without a pause, a process that waits for the lock could be late each time.
  await sleep(1)
}
const isStored = await sessions.set(owner, 'text', Date.now() + 60_000, 'new')
process.send?.({ claimed, allowed, isStored })
database.close()
process.disconnect()
