/** `/books` and `/books/{book}`. */
import { HttpError, type Input, type Result } from 'verbena'
import * as z from 'zod'
import { Book, NewBook, oneBook, Page } from '../contracts.js'
import { ApiRoute, BookRoute } from './api-route.js'

export class Books extends ApiRoute {
  static readonly get = this.contract({ query: Page, returns: z.array(Book), summary: 'List books' })
  async get({ query }: Input<typeof Books.get>): Result<typeof Books.get> {
    return this.catalog.books(query.limit)
  }

  static readonly post = this.contract({ body: NewBook, returns: Book, status: 201, summary: 'Add a book' })
  async post({ body, request, response }: Input<typeof Books.post>): Result<typeof Books.post> {
    const book = this.catalog.addBook(body)
    response.header('location', request.href(BookById, { book: book.id }))
    return book
  }
}

export class BookById extends BookRoute {
  static readonly path = '/'

  static readonly get = this.contract({ ...oneBook, summary: 'Read a book' })
  async get({ params }: Input<typeof BookById.get>): Result<typeof BookById.get> {
    return this.findBook(params.book)
  }

  static readonly put = this.contract({ ...oneBook, body: NewBook, summary: 'Change a book' })
  async put({ params, body }: Input<typeof BookById.put>): Result<typeof BookById.put> {
    return this.catalog.putBook(this.findBook(params.book).id, body)
  }

  static readonly delete = this.contract({ returns: null, errors: [404, 409], summary: 'Remove a book' })
  async delete({ params }: Input<typeof BookById.delete>): Result<typeof BookById.delete> {
    const { id } = this.findBook(params.book)
    if (this.catalog.loansOf(id).length > 0) throw new HttpError(409, 'The book is lent')
    this.catalog.removeBook(id)
  }
}
