/** Sequences of requests around upgrades, CONNECT and unread bodies: sends them in pieces, leaves in several ways, and checks the responses. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import fc from 'fast-check'
import { hail, SWITCHING } from './upgrades.js'

/** Number of connections that are open at the same time. */
const CONCURRENCY = 256
/** Time in ms after which a connection hangs, also on a machine with much other work. The timeouts of the servers are at most 2 s. */
const MAX_TIME = 60_000

/** One request of a sequence, and the statuses that its response may have. */
interface Kind {
  readonly bytes: string
  readonly statuses: readonly number[]
}

const POST = 'POST /unread HTTP/1.1\r\nHost: a\r\n'
const CHUNKS = 'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'
const READ = 'POST /read HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n'

/** An upgrade after a request in progress, and one on a server without upgrades, is a plain request, which gets 426. */
const KINDS = {
  get: { bytes: 'GET /unread HTTP/1.1\r\nHost: a\r\n\r\n', statuses: [200] },
  slow: { bytes: 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n', statuses: [200] },
  stream: { bytes: 'GET /stream HTTP/1.1\r\nHost: a\r\n\r\n', statuses: [200] },
  'post unread': { bytes: `${POST}Content-Length: 3\r\n\r\nabc`, statuses: [200] },
  chunked: { bytes: `${POST}${CHUNKS}`, statuses: [200] },
  'missing path': { bytes: `POST /none HTTP/1.1\r\nHost: a\r\n${CHUNKS}`, statuses: [404] },
  expect: { bytes: `${POST}Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc`, statuses: [200] },
  accepted: { bytes: hail('/live'), statuses: [101, 426] },
  refused: { bytes: hail('/guarded'), statuses: [401, 426] },
  'given back': { bytes: `${READ}Content-Length: 3\r\n\r\nabc`, statuses: [200] },
  malformed: { bytes: 'GET / HTTP/1.1\r\nHost a\r\n\r\n', statuses: [400] },
  connect: { bytes: 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', statuses: [501] },
} satisfies Record<string, Kind>

type Name = keyof typeof KINDS
// Proof: the keys of an object literal are its names.
const NAMES = Object.keys(KINDS) as Name[]

/** Actions of a client after its last byte. A late reset waits for some turns of the event loop, in which the server reads. */
const LEAVES = ['reset', 'late reset', 'end', 'half-close', 'silence'] as const

/** A sequence of requests, and the behavior of the client. */
export interface Sequence {
  readonly items: readonly Name[]
  readonly leave: (typeof LEAVES)[number]
  /** Offsets at which the bytes are cut into pieces. */
  readonly cuts: readonly number[]
  /** Offset after which the client leaves; `null` after all bytes. */
  readonly last: number | null
}

/** Returns all sequences with this number of requests, each in one piece, and with each way to leave. */
export function allSequences(length: number): Sequence[] {
  let all: readonly (readonly Name[])[] = [[]]
  for (let at = 0; at < length; at++) all = all.flatMap((items) => NAMES.map((name) => [...items, name]))
  return all.flatMap((items) => LEAVES.map((leave) => ({ items, leave, cuts: [], last: null })))
}

/** Returns random sequences of up to four requests, which may be cut off anywhere; the same for the same seed. */
export function randomSequences(count: number, seed: number): Sequence[] {
  const sequences = fc.record({
    items: fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 }),
    leave: fc.constantFrom(...LEAVES),
    cuts: fc.array(fc.nat(), { maxLength: 3 }),
    last: fc.option(fc.nat()),
  })
  return fc.sample(sequences, { numRuns: count, seed })
}

/** A port that sequences are sent to. */
export interface Target {
  readonly port: number
  readonly isTls: boolean
  /** Whether Verbena responds to everything. Below a `handler`, Node responds to malformed bytes and to CONNECT. */
  readonly isOwn: boolean
}

/** Sends sequences, many at the same time, and checks each of them. */
export async function checkSequences(target: Target, sequences: readonly Sequence[]): Promise<void> {
  let next = 0
  const work = async (): Promise<void> => {
    for (let each = sequences[next++]; each !== undefined; each = sequences[next++]) await check(target, each)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
}

async function check(target: Target, { items, leave, cuts, last }: Sequence): Promise<void> {
  const whole = items.map((name) => KINDS[name].bytes).join('')
  const bytes = last === null ? whole : whole.slice(0, 1 + (last % whole.length))
  const client = new SequenceClient(target)
  try {
    await client.sendPieces(bytes, cuts)
    if (leave === 'silence') await client.finish(bytes === whole ? items.length : Infinity)
    else await client.leave(leave)
    await client.closed
    checkResponses(client, items, leave === 'silence' && bytes === whole && target.isOwn)
  } catch (error) {
    const where = `${items.join(', ')} cut at ${cuts.join(', ')}, last byte ${last ?? 'sent'}, then ${leave}`
    assert.fail(`${where}: ${String(error)}\n${client.text}`)
  } finally {
    client.socket.destroy()
  }
}

/** Responses come in order, one for each request, up to the last of the connection. */
function checkResponses(
  { responses, text, hasEchoed }: SequenceClient,
  items: readonly Name[],
  isWhole: boolean,
): void {
  for (const [at, { status }] of responses.entries()) {
    const name = items[at]
    // Bytes that are cut off, or that follow the requests, are malformed or too slow.
    if (name === undefined) assert.ok(!isWhole && (status === 400 || status === 408), `${status} has no request`)
    else assert.ok([...KINDS[name].statuses, 400, 408].includes(status), `${name} got ${status}`)
    if (isWhole && name !== undefined)
      assert.ok(
        KINDS[name].statuses.some((known) => known === status),
        `${name} got ${status}`,
      )
  }
  const last = responses.findIndex(({ isLast }) => isLast)
  assert.ok(last < 0 || last === responses.length - 1, 'A response follows the last one')
  if (!isWhole) return
  assert.ok(last >= 0 || responses.length === items.length, `${responses.length} of ${items.length} responses came`)
  if (text.includes(SWITCHING)) assert.ok(hasEchoed, 'Bytes after the upgrade did not come back')
}

interface SeenResponse {
  readonly status: number
  readonly isLast: boolean
}

const HEAD = /HTTP\/1\.1 (\d{3}) [^]*?\r\n\r\n/g
const PING = 'ping after the packet'

class SequenceClient {
  readonly socket: Socket
  /** The TCP socket; the same as `socket` without TLS. */
  readonly #below: Socket
  readonly closed: Promise<void>
  text = ''
  #hasEnded = false
  #wake = (): void => {}
  #failed = (_error: Error): void => {}

  constructor({ port, isTls }: Target) {
    this.#below = connect({ port, host: '127.0.0.1', noDelay: true })
    this.socket = isTls ? connectTls({ socket: this.#below, rejectUnauthorized: false }) : this.#below
    this.#below.on('error', () => this.#end())
    this.socket.setEncoding('latin1').setTimeout(MAX_TIME, () => this.#end(new Error('The connection hangs')))
    this.socket.on('data', (part: string) => {
      this.text += part
      this.#wake()
    })
    this.socket.on('end', () => this.#end()).on('error', () => this.#end())
    this.closed = new Promise((resolve, reject) => {
      this.#failed = reject
      this.#below.on('close', () => resolve())
    })
    this.closed.catch(() => {})
  }

  get responses(): SeenResponse[] {
    const all = [...this.text.matchAll(HEAD)].map(([head, status]) => ({
      status: Number(status),
      isLast: status === '101' || /\r\nconnection: close\r\n/i.test(head),
    }))
    return all.filter(({ status }) => status !== 100)
  }

  get hasEchoed(): boolean {
    return this.text.includes(PING)
  }

  async sendPieces(bytes: string, cuts: readonly number[]): Promise<void> {
    const places = cuts.map((cut) => cut % Math.max(1, bytes.length)).toSorted((one, other) => one - other)
    let from = 0
    for (const to of [...places, bytes.length]) {
      if (to > from)
        await new Promise<void>((resolve) => this.socket.write(bytes.slice(from, to), 'latin1', () => resolve()))
      from = to
      if (places.length > 0) await turn()
    }
  }

  async leave(how: Exclude<Sequence['leave'], 'silence'>): Promise<void> {
    if (how === 'late reset') for (let turns = 0; turns < 4; turns++) await turn()
    if (how === 'half-close') this.socket.end()
    // Node cannot reset a socket that is ending: it would neither close it nor release its handle.
    else if (how === 'end' || this.socket.writableEnded) this.#below.destroy()
    else this.#below.resetAndDestroy()
  }

  /** Waits for all responses and the end. After an upgrade, sends more, waits for it to come back, and ends the connection. */
  async finish(count: number): Promise<void> {
    while (!this.#hasEnded && this.responses.length < count && this.responses.at(-1)?.isLast !== true)
      await this.#more()
    if (this.responses.at(-1)?.status !== 101) return
    this.socket.write(PING)
    while (!this.#hasEnded && !this.hasEchoed) await this.#more()
    this.socket.end()
  }

  #more(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve))
  }

  #end(error?: Error): void {
    this.#hasEnded = true
    if (error !== undefined) this.#failed(error)
    this.#wake()
  }
}
