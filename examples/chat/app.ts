/** A chat room: a page, a session with your name, and a WebSocket for each guest. */
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { createApp, Route, stream, type App, type Input } from 'verbena'
import { sendFile } from 'verbena/files'
import { session, signedIn } from 'verbena/session'
import { upgrade } from 'verbena/upgrade'
import { WebSocketServer, type RawData, type WebSocket } from 'ws'
import * as z from 'zod'

const PAGE = fileURLToPath(new URL('page.html', import.meta.url))
const Guest = z.object({ name: z.string().regex(/^[a-z]{1,20}$/) })

// The key is new at each start, so names are lost when the app ends, like the messages.
const visitor = session({ schema: Guest, keys: [randomBytes(32).toString('base64')] })
const guest = signedIn(visitor, ({ name }) => name)

class Home extends Route {
  static readonly path = '/'
  static readonly get = this.contract({ returns: stream(), public: true })
  get() {
    return sendFile(PAGE)
  }
}

class Guests extends Route {
  static readonly post = this.contract({ body: Guest, uses: { visitor }, returns: null, public: true })
  post({ body, visitor }: Input<typeof Guests.post>) {
    visitor.start(body)
  }
}

/** Sockets of the guests by room. */
const rooms = new Map<string, Set<WebSocket>>()
const server = new WebSocketServer({ noServer: true, maxPayload: 4096 })

function enter(room: string, name: string, talk: WebSocket): void {
  const guests = rooms.get(room) ?? new Set()
  rooms.set(room, guests.add(talk))
  const tell = (from: string | null, text: string): void => {
    for (const each of guests) each.send(JSON.stringify({ from, text }))
  }
  tell(null, `${name} is here`)
  talk.on('message', (text: RawData) => tell(name, String(text)))
  talk.on('close', () => {
    guests.delete(talk)
    if (guests.size === 0) rooms.delete(room)
    tell(null, `${name} has left`)
  })
}

const chat = upgrade({ path: '/{room}', uses: { guest } }, ({ guest, params, signal, log }, socket, head, request) => {
  server.handleUpgrade(request, socket, head, (talk) => {
    talk.on('error', (error) => log.info({ err: error }, 'A guest was cut off'))
    signal.addEventListener('abort', () => talk.close(1001, 'The server is closing'))
    enter(params.room, guest, talk)
  })
})

/** Returns the number of guests in a room, at the path of its WebSocket. */
class Room extends Route {
  static readonly path = '/rooms/{room}'
  static readonly get = this.contract({ returns: z.object({ guests: z.number() }), public: true })
  get({ params }: Input<typeof Room.get>) {
    return { guests: rooms.get(params.room)?.size ?? 0 }
  }
}

/** Creates the app. */
export function chatApp(options: { readonly logger?: false; readonly signals?: boolean } = {}): App {
  return createApp({ name: 'chat', routes: { Home, Guests, Room, '/rooms': chat }, ...options })
}
