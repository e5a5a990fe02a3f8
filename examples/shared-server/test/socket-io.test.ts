/** The app and socket.io on one server, in both orders. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server as HttpServer } from 'node:http'
import { describe, it, type TestContext } from 'node:test'
import { Server } from 'socket.io'
import { io as connect } from 'socket.io-client'
import { createApp, Route, SetupError } from 'verbena'
import { createGuardedSockets } from '../guarded.js'
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

  for (const trailingSlash of ['ignore', 'redirect'] as const) {
    it(`connects with the default path of clients, trailingSlash '${trailingSlash}'`, async (t) => {
      const app = createGuardedSockets(trailingSlash)
      t.after(() => app.close())
      const { url } = await app.listen({ port: 0, host: '127.0.0.1' })
      const extraHeaders = { authorization: 'Bearer token-of-ada' }
      const socket = connect(url, { transports: ['websocket'], reconnection: false, extraHeaders })
      t.after(() => socket.close())
      assert.equal(await socket.emitWithAck('name'), 'ada')
      const stranger = connect(url, { transports: ['websocket'], reconnection: false, forceNew: true })
      const error = await new Promise<Error>((resolve) => stranger.on('connect_error', resolve))
      assert.equal(error.message, 'websocket error')
      const closed = new Promise<string>((resolve) => socket.on('disconnect', resolve))
      await app.close()
      assert.equal(await closed, 'transport close')
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
