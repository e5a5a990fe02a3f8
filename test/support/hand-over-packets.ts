/** Packets of requests around an upgrade: builds them, sends them in pieces, and checks the responses and the end of the connection. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { bearer, Route, text, type App, type Input } from 'verbena'
import { upgrade } from 'verbena/upgrade'
import fc from 'fast-check'
import { captureLog, createUntypedApp } from './apps.js'
import { hail, SWITCHING } from './upgrades.js'

/** Number of connections that are open at the same time. */
const CONCURRENCY = 64
/** Time in ms after which a connection hangs. */
const MAX_TIME = 5000

class Unread extends Route {
  static readonly post = this.contract({})
  get() {
    return 'now'
  }

  post() {
    return 'unread'
  }
}

class Slow extends Route {
  async get() {
    await turn()
    return 'later'
  }
}

class Read extends Route {
  static readonly post = this.contract({ body: text() })
  post({ body }: Input<typeof Read.post>) {
    return body
  }
}

/** One piece of a packet, and the statuses of its response. */
interface Item {
  readonly bytes: string
  readonly statuses: readonly number[]
}

const POST = 'POST /unread HTTP/1.1\r\nHost: a\r\n'
const READ = 'POST /read HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n'

/** An upgrade after a request in progress is a plain request, which gets 426. */
const ITEMS = {
  get: { bytes: 'GET /unread HTTP/1.1\r\nHost: a\r\n\r\n', statuses: [200] },
  slow: { bytes: 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n', statuses: [200] },
  'post unread': { bytes: `${POST}Content-Length: 3\r\n\r\nabc`, statuses: [200] },
  chunked: { bytes: `${POST}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`, statuses: [200] },
  expect: { bytes: `${POST}Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc`, statuses: [200] },
  accepted: { bytes: hail('/live'), statuses: [101, 426] },
  refused: { bytes: hail('/guarded'), statuses: [401, 426] },
  'given back': { bytes: `${READ}Content-Length: 3\r\n\r\nabc`, statuses: [200] },
  end: { bytes: '', statuses: [] },
  reset: { bytes: '', statuses: [] },
} satisfies Record<string, Item>

type Name = keyof typeof ITEMS
// Proof: the keys of an object literal are its names.
const NAMES = Object.keys(ITEMS) as Name[]
const isCut = (name: Name): boolean => name === 'end' || name === 'reset'

/** A packet of items, and the offsets at which it is cut into pieces. */
export interface Packet {
  readonly items: readonly Name[]
  readonly cuts: readonly number[]
}

/** Returns all packets of up to `length` items, each in one piece. */
export function allPackets(length: number): Packet[] {
  const shorter = length === 1 ? [] : allPackets(length - 1)
  const starts =
    length === 1 ? [[]] : shorter.filter(({ items }) => items.length === length - 1).map(({ items }) => items)
  const longest = starts
    .filter((items) => !items.some(isCut))
    .flatMap((items) => NAMES.map((name) => ({ items: [...items, name], cuts: [] })))
  return [...shorter, ...longest]
}

/** Returns random packets of up to four items in up to four pieces; the same for the same seed. */
export function randomPackets(count: number, seed: number): Packet[] {
  const items = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 })
  const packets = fc.record({ items, cuts: fc.array(fc.nat(), { maxLength: 3 }) })
  return fc.sample(packets, { numRuns: count, seed })
}

/** An app with upgrades, and what happened on their sockets. */
export interface HandOverApp {
  readonly app: App
  readonly port: number
  /** Sockets that the handler got, and their events. */
  readonly counts: { accepted: number; ended: number; closed: number }
  /** Messages in the log. */
  readonly messages: () => string[]
}

/** Starts an app on the fast path or on the documented path. */
export async function openHandOverApp(fastPath: boolean): Promise<HandOverApp> {
  const counts = { accepted: 0, ended: 0, closed: 0 }
  const live = upgrade({}, (_input, socket, head) => {
    counts.accepted++
    socket.on('end', () => void counts.ended++).on('close', () => void counts.closed++)
    socket.write(SWITCHING)
    socket.write(head)
    socket.pipe(socket)
  })
  const user = bearer(() => null)
  const routes = { Unread, Slow, Read, '/live': live, '/guarded': upgrade({ uses: { user } }, () => {}) }
  const { logger, lines } = captureLog()
  const app = createUntypedApp({ routes, logger, signals: false, devConsole: false, fastPath })
  const { port } = await app.listen()
  return {
    app,
    port,
    counts,
    messages: () => lines.map(({ message, fields }) => `${message} ${String(fields['err'])}`),
  }
}

/** Sends packets, several at the same time, and checks each of them. */
export async function checkPackets(port: number, packets: readonly Packet[]): Promise<void> {
  let next = 0
  const work = async (): Promise<void> => {
    for (let packet = packets[next++]; packet !== undefined; packet = packets[next++]) await check(port, packet)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
}

async function check(port: number, packet: Packet): Promise<void> {
  const cutAt = packet.items.findIndex(isCut)
  const items = cutAt < 0 ? packet.items : packet.items.slice(0, cutAt)
  const bytes = items.map((name) => ITEMS[name].bytes).join('')
  const client = new HandOverClient(port)
  const where = `${packet.items.join(', ')} cut at ${packet.cuts.join(', ')}`
  try {
    await client.sendPieces(bytes, packet.cuts)
    if (cutAt >= 0) client.leave(packet.items[cutAt] === 'reset')
    else await client.finish(items.length)
    await client.closed
    checkResponses(client, items, cutAt >= 0)
  } catch (error) {
    assert.fail(`${where}: ${String(error)}\n${client.text}`)
  } finally {
    client.socket.destroy()
  }
}

/** Responses come in order, one for each request, up to the last of the connection. */
function checkResponses({ responses, text, hasEchoed }: HandOverClient, items: readonly Name[], isLeft: boolean): void {
  for (const [at, { status }] of responses.entries()) {
    const name = items[at] ?? assert.fail(`Response ${at + 1} has no request`)
    assert.ok(
      ITEMS[name].statuses.some((known) => known === status),
      `${name} got ${status}`,
    )
  }
  const last = responses.findIndex(({ isLast }) => isLast)
  assert.ok(last < 0 || last === responses.length - 1, 'A response follows the last one')
  if (isLeft) return
  assert.ok(last >= 0 || responses.length === items.length, `${responses.length} of ${items.length} responses came`)
  if (text.includes(SWITCHING)) assert.ok(hasEchoed, 'Bytes after the upgrade did not come back')
}

interface SeenResponse {
  readonly status: number
  readonly isLast: boolean
}

const HEAD = /HTTP\/1\.1 (\d{3}) [^]*?\r\n\r\n/g
const PING = 'ping after the packet'

class HandOverClient {
  readonly socket: Socket
  readonly closed: Promise<void>
  text = ''
  #hasEnded = false
  #wake = (): void => {}

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.socket.setEncoding('latin1').setTimeout(MAX_TIME, () => this.#end(new Error('The connection hangs')))
    this.socket.on('data', (part: string) => {
      this.text += part
      this.#wake()
    })
    this.socket.on('end', () => this.#end()).on('error', () => this.#end())
    this.closed = new Promise((resolve, reject) => {
      this.#failed = reject
      this.socket.on('close', () => resolve())
    })
    this.closed.catch(() => {})
  }

  #failed = (_error: Error): void => {}

  get responses(): SeenResponse[] {
    return [...this.text.matchAll(HEAD)].map(([head, status]) => ({
      status: Number(status),
      isLast: status === '101' || /\r\nconnection: close\r\n/i.test(head),
    }))
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

  leave(isReset: boolean): void {
    if (isReset) this.socket.resetAndDestroy()
    else this.socket.end()
  }

  /** Waits for all responses. After an upgrade, sends more and waits for it to come back. Then ends the connection. */
  async finish(count: number): Promise<void> {
    while (!this.#hasEnded && this.responses.length < count && this.responses.at(-1)?.isLast !== true)
      await this.#more()
    if (this.responses.at(-1)?.status === 101) {
      this.socket.write(PING)
      while (!this.#hasEnded && !this.hasEchoed) await this.#more()
      this.socket.end()
    } else if (this.responses.at(-1)?.isLast !== true) this.socket.end()
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
