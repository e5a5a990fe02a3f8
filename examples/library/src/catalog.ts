/** The data of the library, in memory. Does not depend on HTTP. */
import type { Book, Loan, Member, NewBook } from './contracts.js'

export class Catalog {
  readonly #books = new Map<string, Book>()
  readonly #loans = new Map<string, Loan>()
  readonly #members: ReadonlyMap<string, Member>
  #lastId = 0

  constructor(members: readonly Member[]) {
    this.#members = new Map(members.map((member) => [member.id, member]))
  }

  members(limit: number): Member[] {
    return [...this.#members.values()].slice(0, limit)
  }

  hasMember(id: string): boolean {
    return this.#members.has(id)
  }

  books(limit: number): Book[] {
    return [...this.#books.values()].slice(0, limit)
  }

  book(id: string): Book | undefined {
    return this.#books.get(id)
  }

  addBook(book: NewBook): Book {
    return this.putBook(this.#nextId(), book)
  }

  putBook(id: string, { title, author }: NewBook): Book {
    const book = { id, title, author }
    this.#books.set(id, book)
    return book
  }

  removeBook(id: string): void {
    this.#books.delete(id)
  }

  loan(id: string): Loan | undefined {
    return this.#loans.get(id)
  }

  loansOf(book: string): Loan[] {
    return [...this.#loans.values()].filter((loan) => loan.book === book)
  }

  lend(book: string, member: string): Loan {
    const loan = { id: this.#nextId(), book, member, since: new Date().toISOString().slice(0, 10) }
    this.#loans.set(loan.id, loan)
    return loan
  }

  giveBack(id: string): void {
    this.#loans.delete(id)
  }

  #nextId(): string {
    return String(++this.#lastId)
  }
}
