/**
 * Answers its own requests, one after the other on each of some connections, and ends: `garbage-child.ts <kind> <times>`. `post` has
 * bodies; `get` comes after many emitters with two listeners each, which live as long as the process.
 */
import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { createApp, Route } from 'verbena'
import * as z from 'zod'

const BODY = JSON.stringify({ name: 'x'.repeat(200) })
const REQUESTS: Readonly<Record<string, string>> = {
  get: 'GET /posts HTTP/1.1\r\nHost: a\r\n\r\n',
  post: `POST /posts HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
}

class Posts extends Route {
  async get() {
    return { hello: 'world' }
  }
  static readonly post = this.contract({ body: z.object({ name: z.string() }) })
  async post() {
    return 'ok'
  }
}

function listener(): void {}

/** Lists of two listeners that outlive the young garbage: V8 then makes all such lists in old memory. */
function makeLongLists(): EventEmitter[] {
  const emitters = Array.from({ length: 2_000 }, () => new EventEmitter().on('some', listener).on('some', listener))
  for (let time = 0; time < 2; time++) globalThis.gc?.({ type: 'minor' })
  return emitters
}

async function ask(port: number, request: string, times: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  for (let time = 0; time < times; time++) {
    socket.write(request)
    await once(socket, 'data')
  }
  socket.destroy()
}

const [kind = '', times] = process.argv.slice(2)
const emitters = kind === 'get' ? makeLongLists() : []
const app = createApp({ routes: { Posts }, logger: false, devConsole: false })
const { port } = await app.listen()
await Promise.all(Array.from({ length: 8 }, () => ask(port, REQUESTS[kind] ?? '', Number(times))))
await app.close()
for (const emitter of emitters) emitter.removeAllListeners()
