/** An app with metrics, and requests that succeed, fail, and end early. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp, HttpError, Route, type Input } from 'verbena'
import * as z from 'zod'

class TeaById extends Route {
  static readonly path = '/teas/{id}'
  static readonly get = this.contract({ returns: z.object({ id: z.string() }), errors: [503] })
  async get({ params }: Input<typeof TeaById.get>) {
    if (params.id === '0') throw new HttpError(503)
    return { id: params.id }
  }
}

class Waiting extends Route {
  async get() {
    await sleep(300)
    return 'done'
  }
}

export interface Shop {
  readonly url: string
  /** Sends one request of each kind, and returns the text of the metrics. */
  visit(): Promise<string>
  close(): Promise<void>
}

/** Starts the app. */
export async function startShop(): Promise<Shop> {
  const app = createApp({ routes: { TeaById, Waiting }, metrics: '/metrics', logger: false, signals: false })
  const { port } = await app.listen({ host: '127.0.0.1' })
  const url = `http://127.0.0.1:${port}`
  const read = async (path: string): Promise<string> => (await fetch(`${url}${path}`)).text()
  const visit = async (): Promise<string> => {
    for (const path of ['/teas/1', '/teas/0', '/nothing']) await read(path)
    await disconnect(port)
    return read('/metrics')
  }
  return { url, visit, close: () => app.close() }
}

/** Disconnects before the response. */
async function disconnect(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /waiting HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await sleep(50)
  socket.destroy()
  await once(socket, 'close')
  await sleep(400)
}
