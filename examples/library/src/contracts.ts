/** Schemas that several contracts share. Their ids are the names in the OpenAPI document. */
import * as z from 'zod'

export const NewBook = z
  .object({ title: z.string().min(1).max(200), author: z.string().min(1) })
  .meta({ id: 'NewBook' })
export const Book = NewBook.extend({ id: z.string() }).meta({ id: 'Book' })
export const NewLoan = z.object({ member: z.string() }).meta({ id: 'NewLoan' })
export const Loan = NewLoan.extend({ id: z.string(), book: z.string(), since: z.iso.date() }).meta({ id: 'Loan' })
export const Member = z.object({ id: z.string(), name: z.string() }).meta({ id: 'Member' })

export type NewBook = z.output<typeof NewBook>
export type Book = z.output<typeof Book>
export type Loan = z.output<typeof Loan>
export type Member = z.output<typeof Member>

/** Query of all lists. */
export const Page = z.object({ limit: z.int().min(1).max(100).default(20) })

/** Parts of a contract, to be spread into it. */
export const oneBook = { returns: Book, errors: [404] } as const
export const oneLoan = { returns: Loan, errors: [404] } as const
