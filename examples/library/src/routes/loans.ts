/** `/books/{book}/loans` and `/loans/{loan}`. */
import { HttpError, type Input, type Result } from 'verbena'
import * as z from 'zod'
import { Loan, NewLoan, oneLoan } from '../contracts.js'
import { ApiRoute, BookRoute } from './api-route.js'

export class BookLoans extends BookRoute {
  static readonly path = '/loans'

  static readonly get = this.contract({ returns: z.array(Loan), errors: [404], summary: 'List the loans of a book' })
  async get({ params }: Input<typeof BookLoans.get>): Result<typeof BookLoans.get> {
    return this.catalog.loansOf(this.findBook(params.book).id)
  }

  static readonly post = this.contract({
    body: NewLoan,
    returns: Loan,
    errors: { 404: 'No such book', 409: 'The member does not exist' },
    status: 201,
    summary: 'Lend a book',
  })
  async post({ params, body }: Input<typeof BookLoans.post>): Result<typeof BookLoans.post> {
    const { id } = this.findBook(params.book)
    if (!this.catalog.hasMember(body.member)) throw new HttpError(409, `No member ${body.member}`)
    return this.catalog.lend(id, body.member)
  }
}

export class LoanById extends ApiRoute {
  static readonly path = '/loans/{loan}'

  static readonly get = this.contract({ ...oneLoan, summary: 'Read a loan' })
  async get({ params }: Input<typeof LoanById.get>): Result<typeof LoanById.get> {
    return this.findLoan(params.loan)
  }

  static readonly delete = this.contract({ returns: null, errors: [404], summary: 'Give a book back' })
  async delete({ params }: Input<typeof LoanById.delete>): Result<typeof LoanById.delete> {
    this.catalog.giveBack(this.findLoan(params.loan).id)
  }

  /** Throws 404 if the loan does not exist. */
  findLoan(id: string): Loan {
    const loan = this.catalog.loan(id)
    if (loan === undefined) throw new HttpError(404, `No loan ${id}`)
    return loan
  }
}
