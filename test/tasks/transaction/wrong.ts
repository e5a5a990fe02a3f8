/** The method commits before Verbena validates the response. */
import { createApp, HttpError, Route, type Input, type Result } from 'verbena'
import * as z from 'zod'

interface Transaction {
  read(account: string): Promise<number | undefined>
  write(account: string, cents: number): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
}

class Transfers extends Route<{ db: { begin(): Promise<Transaction> } }> {
  static readonly post = this.contract({
    body: z.object({ from: z.string(), to: z.string(), cents: z.int().positive() }),
    returns: z.object({ from: z.int(), to: z.int() }),
    errors: [404, 409],
  })
  async post({ body: { from, to, cents } }: Input<typeof Transfers.post>): Result<typeof Transfers.post> {
    const tx = await this.db.begin()
    try {
      const [source, target] = [await tx.read(from), await tx.read(to)]
      if (source === undefined || target === undefined) throw new HttpError(404, 'This account does not exist')
      if (source < cents) throw new HttpError(409, 'There is too little money')
      await tx.write(from, source - cents)
      await tx.write(to, target + cents)
      await tx.commit()
      return { from: source - cents, to: target + cents }
    } catch (error) {
      await tx.rollback()
      throw error
    }
  }
}

export const createBank = (db: Transfers['db']) => createApp({ services: { db }, routes: { Transfers } })
