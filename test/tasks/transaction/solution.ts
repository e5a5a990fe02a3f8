import { createApp, HttpError, provide, Route, type Input, type Result } from 'verbena'
import * as z from 'zod'

interface Transaction {
  read(account: string): Promise<number | undefined>
  write(account: string, cents: number): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
}
interface Database {
  begin(): Promise<Transaction>
}

const transaction = provide({}, async function* (_input, { db }: { db: Database }) {
  const tx = await db.begin()
  try {
    yield tx
    await tx.commit()
  } catch (error) {
    await tx.rollback()
    throw error
  }
})

class Transfers extends Route<{ db: Database }> {
  static readonly post = this.contract({
    uses: { tx: transaction },
    body: z.object({ from: z.string(), to: z.string(), cents: z.int().positive() }),
    returns: z.object({ from: z.int(), to: z.int() }),
    errors: [404, 409],
  })
  async post({ body: { from, to, cents }, tx }: Input<typeof Transfers.post>): Result<typeof Transfers.post> {
    const [source, target] = [await tx.read(from), await tx.read(to)]
    if (source === undefined || target === undefined) throw new HttpError(404, 'This account does not exist')
    if (source < cents) throw new HttpError(409, 'There is too little money')
    await tx.write(from, source - cents)
    await tx.write(to, target + cents)
    return { from: source - cents, to: target + cents }
  }
}

export const createBank = (db: Database) => createApp({ services: { db }, routes: { Transfers } })
