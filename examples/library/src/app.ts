/** The app: its services and routes. Importing it starts nothing. */
import { createApp, health } from 'verbena'
import { BookById, Books } from './routes/books.js'
import { BookLoans, LoanById } from './routes/loans.js'
import { Members } from './routes/members.js'
import { createServices } from './services.js'

export function libraryApp() {
  return createApp({
    name: 'library',
    version: '1.0.0',
    services: createServices(),
    routes: {
      '/v1': { books: { Books, BookById }, loans: { BookLoans, LoanById }, Members },
      '/internal': health(),
    },
  })
}
