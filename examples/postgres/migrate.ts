/** Migrations: files of plain SQL, each run once, in the order of their names. */
import { readdir, readFile } from 'node:fs/promises'
import type { Pool } from 'pg'
import { begin, type Transaction } from './transaction.js'

const FOLDER = new URL('migrations/', import.meta.url)

/** Any number, the same in all processes that migrate. */
const LOCK = 7_205_759

/**
 * Brings the database up to date. All of it is one transaction, so that a migration that fails leaves nothing behind; a second
 * process that starts meanwhile waits and then finds nothing to do.
 */
export async function migrate(pool: Pool, folder: URL = FOLDER): Promise<string[]> {
  const tx = await begin(pool)
  try {
    await tx.query('set local statement_timeout = 0')
    await tx.query('select pg_advisory_xact_lock($1)', [LOCK])
    const names = await missing(tx, folder)
    for (const name of names) {
      await tx.query(await readFile(new URL(name, folder), 'utf8'))
      await tx.query('insert into migrations (name) values ($1)', [name])
    }
    await tx.commit()
    return names
  } catch (error) {
    await tx.rollback()
    throw error
  }
}

async function missing(tx: Transaction, folder: URL): Promise<string[]> {
  await tx.query('create table if not exists migrations (name text primary key, at timestamptz not null default now())')
  const { rows } = await tx.query<{ name: string }>('select name from migrations')
  const made = new Set(rows.map(({ name }) => name))
  const files = await readdir(folder)
  return files.filter((name) => name.endsWith('.sql') && !made.has(name)).toSorted()
}
