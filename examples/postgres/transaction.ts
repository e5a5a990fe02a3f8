/** A transaction for each request that asks for one: committed before the answer is sent, rolled back when anything fails. */
import { provide } from 'verbena'
import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg'

/** What runs statements: the pool, or a transaction. */
export interface Queryable {
  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<Row>>
}

/** Statements on one connection, which all count or none does. */
export class Transaction implements Queryable {
  readonly #client: PoolClient
  #last: Promise<unknown> = Promise.resolve()
  #isOver = false

  /** Takes the connection until `commit` has succeeded or `rollback` was called. */
  constructor(client: PoolClient) {
    this.#client = client
    // A connection may break between two statements. The next one fails of it; unheard it would end the process.
    client.on('error', ignore)
  }

  /** Statements that come after the end, such as those of work that the method has not awaited, must not run outside of the transaction. */
  query<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<Row>> {
    if (this.#isOver) return Promise.reject(new Error('Cannot query: the transaction is over'))
    const result = this.#last.then(() => this.#client.query<Row>(text, values))
    this.#last = result.catch(ignore)
    return result
  }

  /** After a statement that failed, PostgreSQL answers a commit by rolling back, and calls that no error. */
  async commit(): Promise<void> {
    const { command } = await this.#end('commit')
    if (command !== 'COMMIT') throw new Error('Cannot commit: a statement has failed')
    this.#release(false)
  }

  /** Never fails: a connection that cannot roll back is closed, and PostgreSQL rolls back then. */
  async rollback(): Promise<void> {
    const isBroken = await this.#end('rollback').then(
      () => false,
      () => true,
    )
    this.#release(isBroken)
  }

  async #end(statement: 'commit' | 'rollback'): Promise<QueryResult> {
    this.#isOver = true
    await this.#last
    return this.#client.query(statement)
  }

  #release(isBroken: boolean): void {
    this.#client.off('error', ignore)
    this.#client.release(isBroken)
  }
}

/** Begins a transaction on a connection of its own. */
export async function begin(pool: Pool): Promise<Transaction> {
  const tx = new Transaction(await pool.connect())
  try {
    await tx.query('begin')
    return tx
  } catch (error) {
    await tx.rollback()
    throw error
  }
}

/** The transaction of a request. */
export const transaction = provide({}, async function* (_input, { db }: { db: Pool }) {
  const tx = await begin(db)
  const statements: Queryable = tx
  try {
    yield statements
    await tx.commit()
  } catch (error) {
    await tx.rollback()
    throw error
  }
})

function ignore(): void {}
