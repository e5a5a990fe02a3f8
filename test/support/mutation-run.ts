/** A run of mutated requests against an app: what they must never do, and what came back. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { CORPUS } from './corpus.js'
import { mutate, createRandom, type Random } from './mutator.js'
import { parseAnswers, type StrictAnswer } from './strict-parser.js'

/** ms without a byte after which whole answers are taken for all that comes. */
const SILENCE = 60

/** A run. */
export interface MutationRun {
  /** Port of the loopback, or the path of a Unix socket. */
  readonly place: { readonly port: number } | { readonly path: string }
  readonly seed: number
  readonly count: number
  /** Connections at once. */
  readonly together: number
  /** How many requests a connection has at most; 1 unless given. */
  readonly most?: number
  /** ms that a connection may take; longer where the machine is busy with other things. */
  readonly patience?: number
  /** Told how many were sent, at each thousand. */
  readonly progress?: (sent: number) => void
}

/**
 * Sends mutated requests; fails with the packets of the first one that gets a 500, half an answer, or none in time.
 *
 * @param run which and how many
 * @returns how often each status came
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

/** How a client behaves. */
interface Manner {
  /** Whether it waits until the server ends the connection. */
  readonly waits: boolean
  readonly patience: number
}

/** All that comes back until the server ends the connection, or falls silent behind whole answers. */
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
        // A reset is an end like any other; a server that cannot be reached is a fault.
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
