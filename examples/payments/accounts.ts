/** The SQL of accounts and payments. Amounts are in cents. */
import { createHash } from 'node:crypto'
import { postgresIdempotency } from 'verbena/postgres'
import type { Queryable } from './database.js'

/** Tables of the payments app. */
export const SCHEMA = `
  create table if not exists accounts (
    id integer primary key generated always as identity,
    token_digest text not null unique,
    balance integer not null,
    constraint balance_bounds check (balance between 0 and 2000000000)
  );
  create table if not exists payments (
    id integer primary key generated always as identity,
    source integer not null references accounts,
    target integer not null references accounts,
    cents integer not null check (cents > 0)
  );
  create table if not exists outbox (
    id text primary key,
    body text not null,
    attempts integer not null default 0,
    next_at timestamptz not null default now()
  );
  create index if not exists outbox_next_at on outbox (next_at);
  ${postgresIdempotency.schema()}
`

export interface User {
  readonly id: number
}

export interface Payment {
  readonly id: number
  readonly source: number
  readonly target: number
  readonly cents: number
}

/** Returns the digest of a token. A leaked table of digests reveals no tokens. */
export function digestToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

export async function findUser(db: Queryable, token: string): Promise<User | undefined> {
  const text = 'select id from accounts where token_digest = $1'
  const { rows } = await db.query<User>(text, [digestToken(token)])
  return rows[0]
}

/**
 * Moves an amount from one account to another; returns `undefined` if the target does not exist. Locks the accounts in the order of their
 * ids, because two payments in opposite directions could deadlock otherwise.
 */
export async function pay(tx: Queryable, { source, target, cents }: Omit<Payment, 'id'>): Promise<Payment | undefined> {
  const { rowCount } = await tx.query('select from accounts where id in ($1, $2) order by id for update', [
    source,
    target,
  ])
  if (rowCount !== 2) return undefined
  await tx.query('update accounts set balance = balance - $2 where id = $1', [source, cents])
  await tx.query('update accounts set balance = balance + $2 where id = $1', [target, cents])
  const insert = 'insert into payments (source, target, cents) values ($1, $2, $3) returning *'
  const { rows } = await tx.query<Payment>(insert, [source, target, cents])
  return rows[0]
}
