/** The SQL of the shop. */
import type { Queryable } from './database.js'

export interface Concert {
  readonly id: number
  readonly artist: string
  readonly available: number
}

export interface Order {
  readonly id: number
  readonly concert: number
  readonly tickets: number
}

export interface Account {
  readonly id: number
  readonly email: string
  readonly password: string
}

/** Adds an account; returns `undefined` if the address already has one. */
export async function insertAccount(db: Queryable, email: string, password: string): Promise<Account | undefined> {
  const text = 'insert into accounts (email, password) values ($1, $2) on conflict do nothing returning *'
  const { rows } = await db.query<Account>(text, [email, password])
  return rows[0]
}

export async function findAccount(db: Queryable, email: string): Promise<Account | undefined> {
  const { rows } = await db.query<Account>('select * from accounts where email = $1', [email])
  return rows[0]
}

export async function accountById(db: Queryable, id: number): Promise<Account | undefined> {
  const { rows } = await db.query<Account>('select * from accounts where id = $1', [id])
  return rows[0]
}

export async function listConcerts(db: Queryable): Promise<Concert[]> {
  const { rows } = await db.query<Concert>('select * from concerts order by id')
  return rows
}

export async function hasConcert(db: Queryable, id: number): Promise<boolean> {
  const { rowCount } = await db.query('select from concerts where id = $1', [id])
  return rowCount === 1
}

/** Reserves tickets; returns `undefined` if too few are available. Locks the row until the transaction ends. */
export async function takeTickets(tx: Queryable, concert: number, tickets: number): Promise<Concert | undefined> {
  const text = 'update concerts set available = available - $2 where id = $1 and available >= $2 returning *'
  const { rows } = await tx.query<Concert>(text, [concert, tickets])
  return rows[0]
}

export async function insertOrder(tx: Queryable, account: number, concert: number, tickets: number): Promise<Order> {
  const text = 'insert into orders (account, concert, tickets) values ($1, $2, $3) returning *'
  const { rows } = await tx.query<Order>(text, [account, concert, tickets])
  const [order] = rows
  if (order === undefined) throw new Error('Cannot insert an order: the database gave nothing back')
  return order
}

export async function listOrders(db: Queryable, account: number): Promise<Order[]> {
  const { rows } = await db.query<Order>('select * from orders where account = $1 order by id', [account])
  return rows
}
