/** Answers its own requests with bodies, one after the other on each of some connections, and ends. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { createApp, Route } from 'verbena'
import * as z from 'zod'

const BODY = JSON.stringify({ name: 'x'.repeat(200) })
const REQUEST = `POST /posts HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`

class Posts extends Route {
  static readonly post = this.contract({ body: z.object({ name: z.string() }) })
  async post() {
    return 'ok'
  }
}

async function ask(port: number, times: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  for (let time = 0; time < times; time++) {
    socket.write(REQUEST)
    await once(socket, 'data')
  }
  socket.destroy()
}

const app = createApp({ routes: { Posts }, logger: false })
const { port } = await app.listen()
const rounds = Array.from({ length: 8 }, () => ask(port, Number(process.argv[2])))
await Promise.all(rounds)
await app.close()
