/** A PostgreSQL server for a task page. */
import type { UsedServer } from '../../../test/support/how-to-tests.js'
import { PostgresServer } from './postgres-server.js'

/** Starts a server for the URL in the pages: postgres://shop:secret@127.0.0.1:5432/postgres. */
export async function startPageServer(): Promise<UsedServer> {
  const server = new PostgresServer()
  await server.start()
  const { username, password, port } = new URL(server.url)
  return { words: { shop: username, secret: password, 5432: port }, close: () => server.remove() }
}
