/** Task pages with a transaction for each request, on a real server. */
import { join } from 'node:path'
import { EXAMPLE_PAGES } from '../../../test/support/how-to.js'
import { testPages } from '../../../test/support/how-to-tests.js'
import { startPageServer } from '../../postgres/test/page-server.js'

testPages(EXAMPLE_PAGES.transactions, {
  folder: join('.cache', 'how-to'),
  project: 'tsconfig.json',
  servers: Object.fromEntries(EXAMPLE_PAGES.transactions.map((name) => [name, startPageServer])),
})
