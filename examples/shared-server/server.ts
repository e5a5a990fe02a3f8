/** A server that an app shares with socket.io: `/rooms` is a route, and `/socket.io/` belongs to socket.io. */
import { createServer, type Server as HttpServer } from 'node:http'
import { Server } from 'socket.io'
import { createApp, Route, type App } from 'verbena'

interface Rooms {
  readonly names: Set<string>
}

class RoomList extends Route<{ rooms: Rooms }> {
  static readonly path = '/rooms'
  get() {
    return { rooms: [...this.rooms.names] }
  }
}

export interface SharedServer {
  readonly app: App
  readonly server: HttpServer
  readonly io: Server
}

export function createSharedServer(): SharedServer {
  const rooms: Rooms = { names: new Set() }
  const app = createApp({ routes: { RoomList }, services: { rooms }, signals: false })
  const server = createServer()
  // First the app: socket.io takes over the `request` listeners that it finds, and passes requests for other paths on.
  app.attach(server)
  const io = new Server(server)
  io.on('connection', (socket) => {
    socket.on('join', (room: unknown, done: unknown) => {
      rooms.names.add(String(room))
      void socket.join(String(room))
      if (typeof done === 'function') done(rooms.names.size)
    })
  })
  return { app, server, io }
}
