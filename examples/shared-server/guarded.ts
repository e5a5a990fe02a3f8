/** Socket.io in an `upgrade`, so that guards of the app run before a connection. Clients use WebSockets only. */
import { Server as Engine } from 'engine.io'
import { Server } from 'socket.io'
import { bearer, createApp, type App } from 'verbena'
import { upgrade } from 'verbena/upgrade'

const user = bearer((token) => token === 'token-of-ada' && { name: 'ada' })

/** The client adds a slash to its path, `/socket.io/`, so the app needs another `trailingSlash` than `strict`. */
export function createGuardedSockets(trailingSlash: 'ignore' | 'redirect'): App {
  const engine = new Engine({ transports: ['websocket'] })
  const names = new WeakMap<object, string>()
  const live = upgrade({ uses: { user } }, ({ user, signal }, socket, head, request) => {
    names.set(request, user.name)
    // Proof: engine.io adds the missing properties to the request of Node.js.
    engine.handleUpgrade(request as Parameters<Engine['handleUpgrade']>[0], socket, head)
    signal.addEventListener('abort', () => engine.close())
  })
  const io = new Server()
  io.bind(engine)
  io.on('connection', (socket) => {
    socket.on('name', (done: (name: string | undefined) => void) => done(names.get(socket.request)))
  })
  return createApp({ routes: { '/socket.io': live }, trailingSlash, signals: false, logger: false })
}
