/** Mixed traffic for a server that is watched: whole exchanges, pipelines, streams, slow readers, and clients that leave half way. */
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { CORPUS } from './corpus.js'
import { pick, type Random } from './mutator.js'

/** What a client does with its connection. */
type Visit = (socket: Socket, random: Random) => Promise<void>

/** What came of the traffic. */
export interface Traffic {
  visits: number
  /** Clients that left before their answers. */
  left: number
  /** Bytes of answers. */
  bytes: number
}

const LONG = [
  'GET /waiting HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /endless HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /news HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n',
  'GET /big?size=3000000 HTTP/1.1\r\nHost: a\r\n\r\n',
  'POST /uploads HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"half',
] as const

/** Asks one after the other, each once the answer before it has begun. */
const askInTurn: Visit = async (socket, random) => {
  for (let left = 1 + Math.floor(random() * 20); left > 0 && !socket.destroyed; left--) {
    socket.write(pick(random, CORPUS), 'latin1')
    await heard(socket, 2_000)
  }
}

/** Sends many requests at once, and reads what comes. */
const pipeline: Visit = async (socket, random) => {
  const requests = Array.from({ length: 2 + Math.floor(random() * 30) }, () => pick(random, CORPUS))
  socket.write(requests.join(''), 'latin1')
  while (await heard(socket, 100));
}

/** Reads a large answer in portions, and to its end. */
const readSlowly: Visit = async (socket) => {
  socket.write('GET /big?size=1000000 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  while (!socket.destroyed) {
    socket.pause()
    await wait(3)
    socket.resume()
    if (!(await heard(socket, 2_000))) break
  }
}

/** Begins something long, or a pipeline behind it, and leaves. */
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

/** Whether something came within a time. */
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
 * Visits a server for a while; one visitor in ten leaves before its answers.
 *
 * @param port of the loopback
 * @param ms how long
 * @param random with a seed
 * @param together visitors at once
 * @returns what came of it
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
