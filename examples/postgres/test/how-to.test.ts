/** Task pages with PostgreSQL, on a real server. */
import { join } from 'node:path'
import { EXAMPLE_PAGES } from '../../../test/support/how-to.js'
import { testPages, type UsedServer } from '../../../test/support/how-to-tests.js'
import { PostgresServer } from './postgres-server.js'

async function startServer(): Promise<UsedServer> {
  const server = new PostgresServer()
  await server.start()
  const { username, password, port } = new URL(server.url)
  // The pages use postgres://shop:secret@127.0.0.1:5432/postgres.
  return { words: { shop: username, secret: password, 5432: port }, close: () => server.remove() }
}

testPages(EXAMPLE_PAGES.postgres, {
  folder: join('.cache', 'how-to'),
  project: 'tsconfig.json',
  servers: Object.fromEntries(EXAMPLE_PAGES.postgres.map((name) => [name, startServer])),
})
