// own process: it publishes to channels, whose subscribers are all consoles of the process
import '#test/development.js'
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { createServer, type Connection } from 'mysql2'
import { createConnection, createPool } from 'mysql2/promise'
import { createApp, Route } from 'verbena'
import { newestRecord } from '#test/console.js'

const COLUMN = { catalog: 'def', schema: 'shop', table: 'books', orgTable: 'books', name: 'id', orgName: 'id' }
const ID = { ...COLUMN, characterSet: 63, columnLength: 11, columnType: 3, flags: 0, decimals: 0 }

/** Answers statements as a MySQL server does; it has no prepared statements. */
function serve(peer: Connection): void {
  // All capabilities except TLS.
  const capabilityFlags = 0xff_f7_ff
  peer.serverHandshake({
    ...{ protocolVersion: 10, serverVersion: '8.0.0', connectionId: 1, statusFlags: 2, characterSet: 8 },
    capabilityFlags,
  })
  peer.on('error', () => {})
  peer.on('query', (sql: string) => {
    if (sql.startsWith('select id')) Reflect.apply(peer.writeTextResult, peer, [[{ id: 7 }, { id: 8 }], [ID]])
    else if (sql.startsWith('update')) peer.writeOk({ affectedRows: 3 })
    else peer.writeError({ code: 1064, message: 'You have an error in your SQL syntax' })
  })
  peer.on('stmt_prepare', () => peer.writeError({ code: 1295, message: 'Not supported' }))
}

describe('channels of mysql2', () => {
  it(
    'reports queries, pools and prepared statements with rows, errors and call site',
    { timeout: 20_000 },
    async (t) => {
      const server = createServer(serve)
      // The library warns about the numbers of packets to its own server.
      t.mock.method(console, 'error', () => {})
      await new Promise((resolve) => void Reflect.apply(server.listen, server, [0, '127.0.0.1', resolve]))
      // Proof: the server listens on a port.
      const { port } = Reflect.get(server, '_server').address() as AddressInfo
      const settings = { host: '127.0.0.1', port, user: 'ada', database: 'shop' }
      const connection = await createConnection(settings)
      const pool = createPool(settings)
      t.after(async () => {
        connection.destroy()
        await pool.end()
        Reflect.get(server, '_server').close()
      })
      class Books extends Route {
        async get() {
          const [rows] = await connection.query('select id from books where price > ?', [5])
          assert.equal(Object(rows).length, 2)
          await pool.query('update books set password = ? where id = ?', ['tiger', 7])
          await assert.rejects(connection.query('selec'), /syntax/)
          await assert.rejects(connection.execute('select ?', [1]), /Not supported/)
          return 'done'
        }
      }
      await using app = createApp({ routes: { Books }, logger: false, devConsole: true })
      const { url } = await app.listen()
      assert.equal(await (await fetch(`${url}/books`)).text(), 'done')
      const { queries } = await newestRecord(url, 1)
      assert.deepEqual(
        queries.map(({ text, params, target, rows, error }) => [text, params, target, rows, error]),
        [
          ['select id from books where price > 5', null, 'shop', 2, null],
          ["update books set password = 'redacted' where id = 7", null, 'shop', 3, null],
          ['selec', null, 'shop', null, 'You have an error in your SQL syntax'],
          ['select ?', '1', 'shop', null, 'Not supported'],
        ],
      )
      const here = 'test/conformance/mysql-channels.test.ts'
      // The pool waits for a connection, and the stack does not contain the app then.
      assert.deepEqual(
        queries.map(({ site }) => site?.file),
        [here, undefined, here, here],
      )
      assert.ok(queries.every(({ duration }) => duration !== null))
    },
  )
})
