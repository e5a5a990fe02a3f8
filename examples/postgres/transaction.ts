/** A provider of a transaction per request: committed before the response is sent, rolled back if anything fails. */
import { observed, provide } from 'verbena'
import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg'

/** Runs statements: the pool, or a transaction. */
export interface Queryable {
  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<Row>>
}

/** A transaction on one connection of the pool. */
export class Transaction implements Queryable {
  readonly #client: PoolClient
  #last: Promise<unknown> = Promise.resolve()
  #isOver = false

  /** @param client connection, released after a successful `commit` or after `rollback` */
  constructor(client: PoolClient) {
    this.#client = client
    // A connection may break between two statements. The next statement fails then. Without a listener, the process would end.
    client.on('error', ignore)
  }

  /** Rejects statements after the end, such as statements of work that is not awaited. They would run outside of the transaction. */
  query<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<Row>> {
    if (this.#isOver) return Promise.reject(new Error('Cannot query: the transaction is over'))
    const result = this.#last.then(() => this.#client.query<Row>(text, values))
    this.#last = result.catch(ignore)
    return result
  }

  /** After a failed statement, PostgreSQL rolls back instead of committing, and reports no error. */
  async commit(): Promise<void> {
    const { command } = await this.#end('commit')
    if (command !== 'COMMIT') throw new Error('Cannot commit: a statement has failed')
    this.#release(false)
  }

  /** Never throws: a connection that cannot roll back is closed, and PostgreSQL rolls back then. */
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

/** Begins a transaction on a separate connection. */
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

/** Provides the transaction of a request. */
export const transaction = provide({}, async function* (_input, { db }: { db: Pool }) {
  const tx = await begin(db)
  // The console shows its calls, with the line that sends each statement.
  const statements: Queryable = observed('tx', tx)
  try {
    yield statements
    await tx.commit()
  } catch (error) {
    await tx.rollback()
    throw error
  }
})

function ignore(): void {}
