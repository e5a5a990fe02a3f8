/** The SQL for accounts and transfers. Amounts are in cents. */
import type { Queryable } from './transaction.js'

export interface StoredAccount {
  readonly id: number
  readonly owner: string
  readonly balance: number
}

const COLUMNS = 'id, owner, balance'

export async function listAccounts(db: Queryable, limit: number): Promise<StoredAccount[]> {
  const { rows } = await db.query<StoredAccount>(`select ${COLUMNS} from accounts order by id limit $1`, [limit])
  return rows
}

export async function findAccount(db: Queryable, id: number): Promise<StoredAccount | undefined> {
  const { rows } = await db.query<StoredAccount>(`select ${COLUMNS} from accounts where id = $1`, [id])
  return rows[0]
}

export async function insertAccount(db: Queryable, owner: string, balance: number): Promise<StoredAccount> {
  const text = `insert into accounts (owner, balance) values ($1, $2) returning ${COLUMNS}`
  const { rows } = await db.query<StoredAccount>(text, [owner, balance])
  const [created] = rows
  if (created === undefined) throw new Error('Cannot insert an account: the database gave nothing back')
  return created
}

/** Locks accounts in the order of their ids, because two transfers in opposite directions could deadlock otherwise. */
export async function lockAccounts(tx: Queryable, ids: number[]): Promise<void> {
  await tx.query('select id from accounts where id = any($1) order by id for update', [ids])
}

/** Adds `change`, which can be negative, to a balance; returns `undefined` if the account does not exist. */
export async function changeBalance(tx: Queryable, id: number, change: number): Promise<StoredAccount | undefined> {
  const text = `update accounts set balance = balance + $2 where id = $1 returning ${COLUMNS}`
  const { rows } = await tx.query<StoredAccount>(text, [id, change])
  return rows[0]
}

export async function insertTransfer(tx: Queryable, source: number, target: number, amount: number): Promise<void> {
  await tx.query('insert into transfers (source, target, amount) values ($1, $2, $3)', [source, target, amount])
}
