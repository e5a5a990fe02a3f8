/** Mixed traffic for the soak test: complete exchanges, pipelines, streams, slow readers, and clients that disconnect early. */
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { CORPUS } from './corpus.js'
import { pick, type Random } from './mutator.js'

/** Behavior of a client on its connection. */
type Visit = (socket: Socket, random: Random) => Promise<void>

/** Result of the traffic. */
export interface Traffic {
  visits: number
  /** Number of clients that disconnected before their responses. */
  left: number
  /** Bytes received. */
  bytes: number
}

const LONG = [
  'GET /waiting HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /endless HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /news HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n',
  'GET /big?size=3000000 HTTP/1.1\r\nHost: a\r\n\r\n',
  'POST /uploads HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"half',
] as const

/** Sends requests one after the other, each after the previous response has started. */
const askInTurn: Visit = async (socket, random) => {
  for (let left = 1 + Math.floor(random() * 20); left > 0 && !socket.destroyed; left--) {
    socket.write(pick(random, CORPUS), 'latin1')
    await heard(socket, 2_000)
  }
}

/** Sends many requests without waiting, and reads the responses. */
const pipeline: Visit = async (socket, random) => {
  const requests = Array.from({ length: 2 + Math.floor(random() * 30) }, () => pick(random, CORPUS))
  socket.write(requests.join(''), 'latin1')
  while (await heard(socket, 100));
}

/** Reads a large response slowly, but completely. */
const readSlowly: Visit = async (socket) => {
  socket.write('GET /big?size=1000000 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  while (!socket.destroyed) {
    socket.pause()
    await wait(3)
    socket.resume()
    if (!(await heard(socket, 2_000))) break
  }
}

/** Sends a long request, sometimes with a pipeline after it, and disconnects. */
const leave: Visit = async (socket, random) => {
  const behind = random() < 0.5 ? 'GET /alive HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1 + Math.floor(random() * 50)) : ''
  socket.write(pick(random, LONG) + behind, 'latin1')
  if (random() < 0.5) await heard(socket, 20)
  else await wait(random() * 30)
  if (random() < 0.5) socket.resetAndDestroy()
}

const VISITS = [
  askInTurn,
  askInTurn,
  askInTurn,
  askInTurn,
  pipeline,
  pipeline,
  pipeline,
  readSlowly,
  readSlowly,
] as const

/** Whether bytes arrive within `ms`. */
function heard(socket: Socket, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    if (socket.destroyed || socket.readableEnded) {
      resolve(false)
      return
    }
    const done = (came: boolean) => (): void => {
      clearTimeout(timer)
      socket.off('data', onData).off('close', onClose)
      resolve(came)
    }
    const onData = done(true)
    const onClose = done(false)
    const timer = setTimeout(done(false), ms)
    socket.once('data', onData).once('close', onClose)
  })
}

/**
 * Sends traffic to a server. One client in ten disconnects before its responses.
 *
 * @param port port of 127.0.0.1
 * @param ms duration in ms
 * @param random seeded generator
 * @param together number of clients at the same time
 */
export async function visit(port: number, ms: number, random: Random, together: number): Promise<Traffic> {
  const traffic: Traffic = { visits: 0, left: 0, bytes: 0 }
  const end = performance.now() + ms
  const visitor = async (): Promise<void> => {
    while (performance.now() < end) {
      const leaves = random() < 0.1
      traffic.visits++
      if (leaves) traffic.left++
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      socket.on('error', () => {}).on('data', (chunk: Buffer) => (traffic.bytes += chunk.length))
      await (leaves ? leave : pick(random, VISITS))(socket, random)
      socket.destroy()
      await wait(random() * 10)
    }
  }
  await Promise.all(Array.from({ length: together }, visitor))
  return traffic
}
