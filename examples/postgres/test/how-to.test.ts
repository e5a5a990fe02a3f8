/** Task pages with PostgreSQL, on a real server. */
import { join } from 'node:path'
import { EXAMPLE_PAGES } from '../../../test/support/how-to.js'
import { testPages } from '../../../test/support/how-to-tests.js'
import { startPageServer } from './page-server.js'

testPages(EXAMPLE_PAGES.postgres, {
  folder: join('.cache', 'how-to'),
  project: 'tsconfig.json',
  servers: Object.fromEntries(EXAMPLE_PAGES.postgres.map((name) => [name, startPageServer])),
})
