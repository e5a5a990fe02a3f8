/** Migrations: SQL files, each run once, in the order of their names. */
import { readdir, readFile } from 'node:fs/promises'
import type { Pool } from 'pg'
import { begin, type Transaction } from './transaction.js'

const FOLDER = new URL('migrations/', import.meta.url)

/** Key of the lock: any number, but the same in all processes. */
const LOCK = 7_205_759

/**
 * Runs the missing migrations in one transaction, so that a failure rolls back all of them. A second process that starts at the same
 * time waits, and then finds no missing migrations.
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
