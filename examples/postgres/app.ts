/** A small bank: accounts and atomic transfers. */
import { createApp, health, HttpError, Route, type CommonOptions, type Input, type Result } from 'verbena'
import pg from 'pg'
import * as z from 'zod'
import { changeBalance, findAccount, insertAccount, insertTransfer, listAccounts, lockAccounts } from './accounts.js'
import { database, type DatabaseOptions } from './database.js'
import { transaction } from './transaction.js'

const Id = z.number().int().min(1).max(2_147_483_647)
const Amount = z.number().int().min(1).max(1_000_000)
const NewAccount = z.object({ owner: z.string().min(1).max(50), balance: z.number().int().min(0).max(1_000_000) })
// The id is the name of the schema in the OpenAPI document.
const Account = z
  .object({ id: Id, owner: z.string().min(1).max(50), balance: z.number().int().min(0) })
  .meta({ id: 'Account' })
const NewTransfer = z
  .object({ from: Id, to: Id, amount: Amount })
  .refine(({ from, to }) => from !== to, { path: ['to'], message: 'Name another account' })
const Transfer = z.object({ from: Account, to: Account, amount: Amount })
const Page = z.object({ limit: z.number().int().min(1).max(100).default(10) })

/** Declares the type of `this.db`: a pool, for single statements. */
abstract class BankRoute extends Route<{ db: pg.Pool }> {
  static readonly tags = ['bank']
}

export class Accounts extends BankRoute {
  static readonly get = this.contract({
    query: Page,
    returns: z.array(Account),
    summary: 'List accounts',
    description: 'In the order in which they were opened.',
  })
  async get({ query }: Input<typeof Accounts.get>): Result<typeof Accounts.get> {
    return listAccounts(this.db, query.limit)
  }

  static readonly post = this.contract({
    body: NewAccount,
    returns: Account,
    status: 201,
    summary: 'Open an account',
    description: 'The header `Location` says where it is.',
  })
  async post({ body, request, response }: Input<typeof Accounts.post>): Result<typeof Accounts.post> {
    const created = await insertAccount(this.db, body.owner, body.balance)
    response.header('location', request.href(AccountById, { id: created.id }))
    return created
  }
}

export class AccountById extends BankRoute {
  static readonly path = '/accounts/{id}'
  static readonly get = this.contract({
    params: z.object({ id: Id }),
    returns: Account,
    errors: [404],
    summary: 'Read an account',
    description: 'With what it holds.',
  })
  async get({ params }: Input<typeof AccountById.get>): Result<typeof AccountById.get> {
    return requireAccount(await findAccount(this.db, params.id), params.id)
  }
}

export class Transfers extends BankRoute {
  static readonly post = this.contract({
    body: NewTransfer,
    uses: { tx: transaction },
    returns: Transfer,
    status: 201,
    errors: [404, 409],
    summary: 'Transfer money',
    description: 'From one account to another: as a whole, or not at all.',
  })
  async post({ body, tx }: Input<typeof Transfers.post>): Result<typeof Transfers.post> {
    const { from, to, amount } = body
    await lockAccounts(tx, [from, to])
    const source = requireAccount(await changeBalance(tx, from, -amount), from)
    const target = requireAccount(await changeBalance(tx, to, amount), to)
    await insertTransfer(tx, from, to, amount)
    return { from: source, to: target, amount }
  }
}

export const routes = { Accounts, AccountById, Transfers, ...health() }

function requireAccount<T>(account: T | undefined, id: number): T {
  if (account === undefined) throw new HttpError(404, `No account ${id}`)
  return account
}

/** Converts the violation of a constraint to a 409. All other errors stay a 500 without details. */
export function mapError(error: unknown): HttpError | undefined {
  if (!(error instanceof pg.DatabaseError) || error.constraint !== 'balance_bounds') return undefined
  return new HttpError(409, 'An account does not hold so much', { cause: error })
}

/** The page of the API, and general information for its OpenAPI document. */
const openapi = {
  page: '/docs',
  info: {
    description: 'Accounts, and transfers between them.',
    contact: { name: 'The bank', email: 'bank@example.com' },
    license: { name: 'MIT', identifier: 'MIT' },
  },
  tags: [{ name: 'bank', description: 'Accounts and transfers.' }],
}

/** Creates the app. */
export function bankApp(options: DatabaseOptions, common: CommonOptions = {}) {
  const services = { db: database(options) }
  return createApp({ name: 'bank', version: '1.0.0', services, routes, mapError, openapi, ...common })
}
