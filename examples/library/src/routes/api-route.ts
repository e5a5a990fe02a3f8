/** Base classes of the routes. */
import { HttpError, Route } from 'verbena'
import type { Book } from '../contracts.js'
import type { Services } from '../services.js'

/** Base class of all routes. `this.catalog` has its type. */
export abstract class ApiRoute extends Route<Services> {}

/** Base class of the routes below one book. `params.book` is its id. */
export abstract class BookRoute extends ApiRoute {
  static readonly prefix = '/books/{book}'

  /** Throws 404 if the book does not exist. */
  findBook(id: string): Book {
    const book = this.catalog.book(id)
    if (book === undefined) throw new HttpError(404, `No book ${id}`)
    return book
  }
}
