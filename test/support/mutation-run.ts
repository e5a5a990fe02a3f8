/** Sends mutated requests to an app, and checks the responses. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { CORPUS } from './corpus.js'
import { mutate, createRandom, type Random } from './mutator.js'
import { parseAnswers, type StrictAnswer } from './strict-parser.js'

/** Time in ms without a byte after which no further response is expected, if those received are complete. */
const SILENCE = 60

export interface MutationRun {
  /** Port of 127.0.0.1, or the path of a Unix socket. */
  readonly place: { readonly port: number } | { readonly path: string }
  readonly seed: number
  readonly count: number
  /** Number of connections at the same time. */
  readonly together: number
  /** Maximum number of requests on a connection; default 1. */
  readonly most?: number
  /** Maximum time of a connection in ms, longer for busy machines; default 10,000. */
  readonly patience?: number
  /** Called with the number of sent requests, every 1,000 requests. */
  readonly progress?: (sent: number) => void
}

/**
 * Sends mutated requests. Fails if a response is a 500, incomplete or late; the error contains the packets of that connection.
 *
 * @returns number of responses by status
 */
export async function runMutations(run: MutationRun): Promise<ReadonlyMap<number, number>> {
  const { count, together, most = 1, progress } = run
  const random = createRandom(run.seed)
  const statuses = new Map<number, number>()
  let sent = 0
  const work = async (): Promise<void> => {
    while (sent < count) {
      const requests = 1 + Math.floor(random() * most)
      if (Math.floor(sent / 1_000) < Math.floor((sent + requests) / 1_000)) progress?.(sent)
      sent += requests
      for (const { status } of await converseOnce(run, requests, random)) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
  }
  await Promise.all(Array.from({ length: together }, work))
  return statuses
}

async function converseOnce(
  { place, seed, patience = 10_000 }: MutationRun,
  requests: number,
  random: Random,
): Promise<StrictAnswer[]> {
  const packets = Array.from({ length: requests }, () => mutate(random, CORPUS)).flat()
  const waits = random() < 0.05
  try {
    const answers = parseAnswers(await converse(place, packets, { waits, patience }), isHead)
    for (const { status } of answers) assert.notEqual(status, 500)
    return answers
  } catch (error) {
    throw new Error(`seed ${seed}: ${JSON.stringify(packets)}`, { cause: error })
  }
}

const isHead = (_: number, headers: StrictAnswer['headers']): boolean => headers.get('x-method')?.[0] === 'HEAD'

function isWhole(bytes: Buffer): boolean {
  try {
    return parseAnswers(bytes, isHead).length > 0
  } catch {
    return false
  }
}

/** Behavior of a client. */
interface Manner {
  /** Whether it waits for the server to end the connection. */
  readonly waits: boolean
  readonly patience: number
}

/** Returns all bytes until the server ends the connection, or until it is silent after complete responses. */
function converse(
  place: MutationRun['place'],
  packets: readonly string[],
  { waits, patience }: Manner,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let isConnected = false
    const socket = connect({ host: '127.0.0.1', ...place, allowHalfOpen: true, noDelay: true })
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`The connection hangs after ${JSON.stringify(Buffer.concat(chunks).toString('latin1'))}`))
    }, patience)
    const finish = (): void => {
      clearTimeout(timer)
      clearTimeout(silence)
      socket.destroy()
      resolve(Buffer.concat(chunks))
    }
    const silence = setTimeout(() => {
      if (!waits && isWhole(Buffer.concat(chunks))) finish()
    }, SILENCE)
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      silence.refresh()
    })
    socket
      .on('end', finish)
      .on('close', finish)
      .on('error', (error) => {
        // A reset ends the connection normally. A failed connect is an error.
        if (!isConnected) reject(error)
      })
    socket.on('connect', () => {
      isConnected = true
      void writeAll(socket, packets)
    })
  })
}

async function writeAll(socket: Socket, packets: readonly string[]): Promise<void> {
  for (const packet of packets) {
    if (socket.destroyed) return
    socket.write(packet, 'latin1')
    if (packets.length > 1) await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
