/** Upgrade requests as bytes, and each kind of server that accepts them. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { App } from 'verbena'

const FOLDER = 'test/fixtures/tls'

/** A kind of server for an app. */
export interface ServedUpgrade {
  readonly name: string
  readonly options: { readonly fastPath?: boolean }
  readonly scheme: 'ws' | 'wss'
  /** Starts the app. Returns its port. */
  open(app: App): Promise<number>
}

const listening = async (app: App): Promise<number> => (await app.listen()).port

/** Attaches an app to an existing server, and listens. Returns the port. */
export async function attachUpgrade(app: App, server = createServer()): Promise<number> {
  app.attach(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // Proof: the server listens on a TCP port.
  return (server.address() as AddressInfo).port
}

async function overTls(app: App): Promise<number> {
  const tls = { key: readFileSync(`${FOLDER}/key.pem`), cert: readFileSync(`${FOLDER}/cert.pem`) }
  return (await app.listen({ tls })).port
}

/** All kinds of servers. */
export const SERVED: readonly ServedUpgrade[] = [
  { name: 'the fast path', options: { fastPath: true }, scheme: 'ws', open: listening },
  { name: 'the documented path', options: { fastPath: false }, scheme: 'ws', open: listening },
  { name: 'a server of its own', options: {}, scheme: 'ws', open: (app) => attachUpgrade(app) },
  { name: 'TLS', options: {}, scheme: 'wss', open: overTls },
]

/** Formats a GET request for a WebSocket upgrade. */
export function hail(target: string, headers = ''): string {
  const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
  return `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${key}${headers}\r\n`
}

/** Response to an upgrade, for a protocol that only these tests use. */
export const SWITCHING = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'

/** A connection that collects the received text. */
export class Raw {
  readonly socket: Socket
  text = ''
  readonly closed: Promise<string>

  constructor(port: number, scheme: ServedUpgrade['scheme'] = 'ws') {
    const to = { port, host: '127.0.0.1' }
    this.socket = scheme === 'ws' ? connect(to) : connectTls({ ...to, rejectUnauthorized: false })
    this.socket.setEncoding('latin1').on('data', (text: string) => (this.text += text))
    // A reset also ends the connection; the bytes before it count.
    this.socket.on('error', () => {})
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve(this.text)))
  }

  write(...pieces: string[]): this {
    for (const piece of pieces) this.socket.write(piece, 'latin1')
    return this
  }

  /** Waits until the received text contains `part`; throws if the connection ends before. */
  async until(part: string): Promise<this> {
    while (!this.text.includes(part)) {
      if (this.socket.destroyed) throw new Error(`The connection ended before ${part} came: ${this.text}`)
      await Promise.race([once(this.socket, 'data'), this.closed])
    }
    return this
  }
}

/** Sends bytes. Returns all text received until the connection ends. */
export function requestUpgrade(port: number, bytes: string, scheme: ServedUpgrade['scheme'] = 'ws'): Promise<string> {
  return new Raw(port, scheme).write(bytes).closed
}

/** Returns the status of the first response. */
export function parseStatus(text: string): number {
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1])
}
