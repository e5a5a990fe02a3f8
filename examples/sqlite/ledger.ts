/** A ledger whose entries and responses are committed in one transaction, in the file of the app. */
import Database from 'better-sqlite3'
import { join } from 'node:path'
import { createApp, provide, Route, service, type Input } from 'verbena'
import { idempotency } from 'verbena/idempotency'
import { sqliteIdempotency, type SqliteDatabase } from 'verbena/sqlite'
import * as z from 'zod'
import { openState } from './state.js'
import { useWal } from './wal.js'

/** Time after which the keys of a process that has died are free again, in ms. */
const LEASE = Number(process.env['LEASE'] ?? 30_000)

/** The connection of the app, whose transactions run one after the other. */
export class Ledger {
  readonly connection: Database.Database
  #lastTurn: Promise<void> = Promise.resolve()

  constructor(path: string) {
    this.connection = new Database(path, { timeout: 5_000 })
    useWal(this.connection)
    this.connection.exec('pragma synchronous = full')
    this.connection.exec('create table if not exists entries (number integer primary key, key text, amount integer)')
  }

  /** Waits until all earlier turns have ended. Returns the function that ends this one. */
  async takeTurn(): Promise<() => void> {
    const earlier = this.#lastTurn
    let end = (): void => {}
    this.#lastTurn = new Promise((resolve) => (end = resolve))
    await earlier
    return end
  }

  /** Commits the transaction. A test replaces it to see what happens between the commit and the response. */
  commit(): void {
    this.connection.exec('commit')
  }
}

interface Services {
  readonly ledger: Ledger
  readonly state: SqliteDatabase
  /** Read-only connection to the file of the ledger, which contains the responses. */
  readonly reader: SqliteDatabase
}

const transaction = provide({}, async function* (_input, { ledger }: Pick<Services, 'ledger'>) {
  const { connection } = ledger
  const endTurn = await ledger.takeTurn()
  try {
    connection.exec('begin immediate')
    try {
      yield connection
      ledger.commit()
    } catch (error) {
      if (connection.inTransaction) connection.exec('rollback')
      throw error
    }
  } finally {
    endTurn()
  }
})

const once = idempotency({
  by: () => 'everybody',
  ttl: 86_400_000,
  lease: LEASE,
  within: transaction,
  store: ({ state, reader }: Pick<Services, 'state' | 'reader'>) =>
    sqliteIdempotency(state, { create: true, responses: reader }),
})

/** The same without `within`: the response is stored after the commit, so a kill between both makes a second entry. */
const usually = idempotency({
  by: () => 'everybody',
  ttl: 86_400_000,
  lease: LEASE,
  store: ({ state }: Pick<Services, 'state'>) => sqliteIdempotency(state, { create: true }),
})

const spec = {
  uses: { transaction },
  body: z.object({ amount: z.number().int() }),
  returns: z.object({ number: z.number() }),
  status: 201,
} as const

/** Adds an entry, and returns its number. */
function addEntry(connection: Database.Database, key: string | undefined, amount: number): { number: number } {
  const { lastInsertRowid } = connection.prepare('insert into entries (key, amount) values (?, ?)').run(key, amount)
  return { number: Number(lastInsertRowid) }
}

export class Entries extends Route {
  static readonly post = this.contract({ ...spec, idempotency: once })
  async post({ transaction, body, request }: Input<typeof Entries.post>) {
    return addEntry(transaction, request.idempotencyKey, body.amount)
  }
}

export class UsualEntries extends Route {
  static readonly post = this.contract({ ...spec, idempotency: usually })
  async post({ transaction, body, request }: Input<typeof UsualEntries.post>) {
    return addEntry(transaction, request.idempotencyKey, body.amount)
  }
}

/** Creates the app. Its data is in `ledger.db`, and the claims of its keys are in `state.db` of the same folder. */
export function ledgerApp(folder: string) {
  const path = join(folder, 'ledger.db')
  return createApp({
    routes: { Entries, UsualEntries },
    services: {
      ledger: service(() => new Ledger(path), { close: ({ connection }) => void connection.close() }),
      state: openState(join(folder, 'state.db')),
      // The ledger creates the file, so it comes first.
      reader: service(({ ledger: _ledger }: { ledger: Ledger }) => new Database(path, { readonly: true }), {
        close: (reader) => void reader.close(),
      }),
    },
  })
}
