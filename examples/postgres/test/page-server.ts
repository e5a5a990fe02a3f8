/** A PostgreSQL server for a task page. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { UsedServer } from '../../../test/support/how-to-tests.js'
import { PostgresServer } from './postgres-server.js'

/** Starts a server for the URL in the pages: postgres://shop:secret@127.0.0.1:5432/postgres. */
export async function startPageServer(): Promise<UsedServer> {
  const server = new PostgresServer()
  await server.start()
  const { username, password, port } = new URL(server.url)
  const restart = async (): Promise<void> => {
    await server.stop('immediate')
    await sleep(1_000)
    await server.start()
  }
  return { words: { shop: username, secret: password, 5432: port }, restart, close: () => server.remove() }
}
