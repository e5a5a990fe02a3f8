/** The app and socket.io on one server, in both orders. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server as HttpServer } from 'node:http'
import { describe, it, type TestContext } from 'node:test'
import { Server } from 'socket.io'
import { io as connect } from 'socket.io-client'
import { createApp, Route, SetupError } from 'verbena'
import { createSharedServer } from '../server.js'
import { listen } from './listen.js'

class Home extends Route {
  get() {
    return 'home'
  }
}

function createHome(t: TestContext) {
  const app = createApp({ routes: { Home }, logger: false, signals: false })
  t.after(() => app.close())
  return app
}

async function closeAll(server: HttpServer, io: Server): Promise<void> {
  server.closeAllConnections()
  await io.close()
}

describe('app.attach() with socket.io', () => {
  for (const transport of ['polling', 'websocket']) {
    it(`shares one server over ${transport}`, async (t) => {
      const { app, server, io } = createSharedServer()
      t.after(async () => {
        await closeAll(server, io)
        await app.close()
      })
      const url = await listen(server)
      const socket = connect(url, { transports: [transport], reconnection: false })
      t.after(() => socket.close())
      assert.equal(await socket.emitWithAck('join', 'tea'), 1)
      assert.deepEqual(await (await fetch(`${url}/rooms`)).json(), { rooms: ['tea'] })
      assert.equal((await fetch(`${url}/none`)).status, 404)
    })
  }

  it('throws a setup error if socket.io is first', async (t) => {
    const server = createServer()
    const io = new Server(server)
    t.after(() => closeAll(server, io))
    assert.throws(
      () => createHome(t).attach(server),
      /"app\.attach\(server\)" first, and then libraries such as socket\.io/,
    )
  })

  it('emits a setup error if a later app, such as Express, listens for requests', async (t) => {
    const server = createServer()
    createHome(t).attach(server)
    server.on('request', (_request, response) => void response.end('theirs'))
    const [error] = await once(server.listen(0, '127.0.0.1'), 'error')
    assert.ok(error instanceof SetupError)
  })
})
