/** Scenarios that run through each proxy. A scenario returns the words of a cell in the tables of the guide. */
import { once } from 'node:events'
import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import { WebSocket } from 'ws'
import { BODY_LIMIT, EVENT_INTERVAL, HEARTBEAT, type Journal } from './app.js'

/** A request through a proxy. */
interface RequestParts {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer | Readable
  readonly agent?: Agent
  readonly signal?: AbortSignal
}

export interface TextResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Whether the response ended as HTTP/1.1 requires. */
  readonly isComplete: boolean
}

function open(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body, agent, signal }: RequestParts,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const own = { agent: agent ?? false, maxHeaderSize: 65_536, ...(signal === undefined ? {} : { signal }) }
    const options = { host: '127.0.0.1', port, path, method, headers, ...own }
    const sending = request(options, resolve)
    sending.once('error', reject)
    if (body instanceof Readable) body.once('error', () => {}).pipe(sending)
    else sending.end(body)
  })
}

export async function send(port: number, path: string, sent: RequestParts = {}): Promise<TextResponse> {
  const response = await open(port, path, sent)
  const body = await text(response).catch(() => '')
  return { status: response.statusCode ?? 0, headers: response.headers, body, isComplete: response.complete }
}

/** Says how late the first event arrives. A busy machine makes it later, so the best of three attempts counts. */
export async function eventStream(port: number): Promise<string> {
  let shortest = Infinity
  for (let attempt = 1; attempt <= 5 && shortest > IMMEDIATE; attempt++) {
    shortest = Math.min(shortest, await firstEvent(port))
  }
  if (shortest > 4 * EVENT_INTERVAL) return '**at the end**'
  if (shortest > 0.8 * EVENT_INTERVAL) return '**one late**'
  return shortest < IMMEDIATE ? 'immediate' : '0.2 s late'
}

/** An event that arrives sooner was not held back, in ms. */
const IMMEDIATE = 120

/** Returns the time from the first event to its arrival, in ms. */
async function firstEvent(port: number): Promise<number> {
  const controller = new AbortController()
  const first = new Promise<number>((resolve, reject) => {
    const headers = { 'accept-encoding': 'gzip' }
    const use = (response: IncomingMessage): void => {
      const events = response.headers['content-encoding'] === 'gzip' ? response.pipe(createGunzip()) : response
      response.on('error', () => {})
      events
        .on('error', () => {})
        .on('data', (chunk: Buffer) => {
          const [, sent] = /"sent":(\d+)/.exec(String(chunk)) ?? []
          if (sent !== undefined) resolve(Date.now() - Number(sent))
        })
    }
    open(port, '/ticks', { headers, signal: controller.signal }).then(use, reject)
  })
  const delay = await Promise.race([first.catch(() => Infinity), sleep(4 * EVENT_INTERVAL, Infinity)])
  controller.abort()
  return delay
}

/** Says whether a client notices that an export has failed halfway. */
export async function brokenStream(port: number): Promise<string> {
  const response = await open(port, '/export', {}).catch(() => undefined)
  if (response === undefined) return 'cut'
  await text(response).catch(() => '')
  return response.complete && response.statusCode === 200 ? '**looks complete**' : 'cut'
}

/** Time in which the app should notice a disconnected client, in ms. */
const NOTICE = 5 * HEARTBEAT

/** Says whether `signal` of a method is aborted when its client leaves. */
export async function leaves(port: number, journal: Journal, path: 'waiting' | 'silence'): Promise<string> {
  journal.aborted.delete(path)
  const controller = new AbortController()
  const asked = fetch(`http://127.0.0.1:${port}/${path}`, { signal: controller.signal }).then((response) =>
    response.text(),
  )
  asked.catch(() => {})
  await sleep(400)
  controller.abort()
  for (let waited = 0; waited < NOTICE; waited += 20) {
    if (journal.aborted.has(path)) return 'yes'
    await sleep(20)
  }
  return '**no**'
}

/**
 * Says the status of a body above the limit that is sent as a stream. A client that still writes may notice the closed connection before
 * the response, so it has three attempts.
 */
export async function largeBody(port: number): Promise<string> {
  for (let attempt = 1; attempt <= 3; attempt++) {
    const status = await sendLarge(port)
    if (status !== undefined) return String(status)
  }
  return '**none**'
}

async function sendLarge(port: number): Promise<number | undefined> {
  const chunk = Buffer.alloc(65_536, 'a')
  const body = Readable.from(
    (function* () {
      for (let sent = 0; sent < 20 * BODY_LIMIT; sent += chunk.length) yield chunk
    })(),
  )
  const headers = { 'content-type': 'application/json' }
  const response = await send(port, '/order', { method: 'POST', headers, body }).catch(() => undefined)
  return response?.status
}

/** Says the ETag that arrives, and the statuses of a conditional GET and of a conditional change. */
export async function conditional(port: number): Promise<string> {
  const zipped = { 'accept-encoding': 'gzip' }
  const { headers } = await send(port, '/article', { headers: zipped })
  const etag = headers.etag ?? 'none'
  const again = await send(port, '/article', { headers: { ...zipped, 'if-none-match': etag } })
  const changed = await send(port, '/article', { method: 'PUT', headers: { 'if-match': etag } })
  return `\`${etag}\`, ${again.status}, ${changed.status}`
}

/** Says whether a chunked upload arrives. */
export async function upload(port: number): Promise<string> {
  const size = 3 * BODY_LIMIT
  const body = Readable.from([Buffer.alloc(size / 2, 1), Buffer.alloc(size / 2, 2)])
  const headers = { 'content-type': 'application/octet-stream' }
  const { status, body: answer } = await send(port, '/picture', { method: 'PUT', headers, body })
  return answer === `{"bytes":${size}}` ? 'arrives' : String(status)
}

/** Says whether WebSockets work. */
export async function upgrades(port: number): Promise<string> {
  const client = new WebSocket(`ws://127.0.0.1:${port}/echo`)
  const ended = new Promise<string>((resolve) => {
    client.once('open', () => client.send('ping')).once('message', () => resolve('works'))
    client.once('error', ({ message }) => resolve(/\d{3}$/.exec(message)?.[0] ?? message))
  })
  const result = await Promise.race([ended, sleep(3000, 'none')])
  client.terminate()
  return result
}

/** Returns the statuses of a client with credentials and of the next client without them. */
export async function statusesByKey(port: number): Promise<string> {
  const first = await send(port, '/account', { headers: { 'x-api-key': 'k1' } })
  const second = await send(port, '/account')
  return `${first.status}, ${second.status}`
}

/** Says whether `Authorization` arrives. */
export async function authorization(port: number): Promise<string> {
  const { status } = await send(port, '/profile', { headers: { authorization: 'Bearer t1' } })
  return status === 200 ? 'arrives' : '**removed**'
}

/** Says the largest of some response headers that arrives, in bytes. */
export async function largeHeader(port: number): Promise<string> {
  let largest = 'none'
  for (const size of [3000, 5000, 9000, 20_000]) {
    const { status } = await send(port, `/headers/${size}`)
    if (status !== 200) return `${largest}, then ${status}`
    largest = size.toLocaleString('en')
  }
  return largest
}

/** Says what becomes of the forwarding headers that a client sends. */
export async function forwarding(port: number): Promise<Readonly<Record<string, string>>> {
  const sent = {
    ...{ forwarded: 'for=192.0.2.66', 'x-forwarded-for': '192.0.2.66' },
    ...{ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'a.example' },
  }
  const { body } = await send(port, '/seen', { headers: sent })
  const seen: Readonly<Record<string, string | null>> = JSON.parse(body)
  return Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, describe(value, seen[name] ?? null)]))
}

function describe(sent: string, seen: string | null): string {
  if (seen === null) return 'removed'
  if (seen === sent) return '**passed on**'
  return seen.startsWith(sent) ? 'appended' : 'replaced'
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'QUERY'] as const
/** A short JSON body. */
const BODY = '{"a":1}'

/** Effects of an app that dies during a request on a connection that was used before. */
export interface Death {
  /** Methods of requests that the app received more than once. */
  readonly repeated: string
  /** Result of a client with a new connection. */
  readonly fresh: string
  /** Result of a client whose connection had a request before. */
  readonly used: string
}

/** @param server whose port the proxy sends requests to */
export async function death(port: number, server: DyingServer): Promise<Death> {
  const repeated = []
  for (const method of METHODS) {
    await send(port, '/lives')
    await dies(port, method, false)
    if (server.count(method) > 1) repeated.push(method)
  }
  await send(port, '/lives')
  const fresh = await dies(port, 'POST', false)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  await send(port, '/lives', { agent })
  const used = await dies(port, 'POST', agent)
  agent.destroy()
  return { repeated: repeated.length === 0 ? 'nothing' : repeated.join(', '), fresh, used }
}

async function dies(port: number, method: (typeof METHODS)[number], agent: Agent | false): Promise<string> {
  const hasBody = method !== 'GET' && method !== 'DELETE'
  const headers = hasBody ? { 'content-type': 'application/json', 'content-length': String(BODY.length) } : {}
  const sent = { method, headers, ...(hasBody ? { body: BODY } : {}), ...(agent === false ? {} : { agent }) }
  const response = await send(port, '/dies', sent).catch(() => undefined)
  return response === undefined ? 'a closed connection' : String(response.status)
}

/** A server that responds to `/lives`. At `/dies`, it counts the request and cuts its connections. */
export class DyingServer {
  readonly #counts = new Map<string, number>()
  readonly #sockets = new Set<Socket>()
  readonly #server = createServer((socket) => this.#accept(socket))

  async listen(): Promise<number> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening')
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('Cannot find the port')
    return address.port
  }

  count(method: string): number {
    return this.#counts.get(method) ?? 0
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket.once('close', () => this.#sockets.delete(socket)))
    let data = ''
    socket.setEncoding('latin1').on('error', () => {})
    socket.on('data', (chunk: string) => {
      data += chunk
      const [method = '', path] = data.split(' ')
      const isWhole =
        data.includes('\r\n\r\n') && (!/content-length: [1-9]|transfer-encoding/i.test(data) || data.includes(BODY))
      if (!isWhole) return
      data = ''
      if (path === '/lives')
        return void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nCache-Control: no-store\r\n\r\nok')
      this.#counts.set(method, this.count(method) + 1)
      socket.destroy()
    })
  }
}
