/** A client that sends exact bytes to a server, and parses the responses by the strict grammar. */
import assert from 'node:assert/strict'
import { OutgoingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { ResponseMessage, Exchange } from '#src/http/exchange.js'
import type { Payload } from '#src/http/payload.js'
import { closeServer, makeServer, openServer, type OwnServer } from '#src/http/server.js'
import type { ServerSettings } from '#src/http/connection.js'

/** Server settings in tests; the defaults of an app. */
export const SETTINGS: ServerSettings = {
  fastPath: true,
  headerBytes: 16 * 1024,
  connections: undefined,
  headersTimeout: 10_000,
  keepAliveTimeout: 5_000,
  bodyTimeout: 30_000,
  writeTimeout: 30_000,
  headers: 200,
  report: (error) => assert.fail(String(error)),
}

/** A server on a free port of 127.0.0.1. */
export interface WireServer {
  readonly port: number
  readonly own: OwnServer
}

/** Starts a server, runs a task, and closes the server. */
export async function withServer<T>(
  serve: (exchange: Exchange) => void,
  task: (server: WireServer) => Promise<T>,
  settings: Partial<ServerSettings> = {},
): Promise<T> {
  const own = makeServer(serve, { ...SETTINGS, ...settings }, undefined)
  const { port } = await openServer(own, {})
  try {
    return await task({ port, own })
  } finally {
    await closeServer(own, 0)
  }
}

/** Counts the responses whose headers Node writes while a task runs. */
export async function countNodeHeads(task: () => Promise<unknown>): Promise<number> {
  const messages = OutgoingMessage.prototype
  // Proof: an internal function of Node, which builds the headers.
  const store = Reflect.get(messages, '_storeHeader') as (...given: unknown[]) => unknown
  let count = 0
  Reflect.set(messages, '_storeHeader', function (this: unknown, ...given: unknown[]) {
    count++
    return store.apply(this, given)
  })
  await task().finally(() => Reflect.set(messages, '_storeHeader', store))
  return count
}

/** Builds a response. */
export function parseResponse(
  payload: Payload,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): ResponseMessage {
  return { status, headers: new Map(Object.entries(headers)), payload }
}

/** Builds a plain text response. */
export function textAnswer(data: string, status = 200): ResponseMessage {
  return parseResponse({ type: 'text/plain; charset=utf-8', data }, status)
}

/** Formats a request, with `Host` and `Connection: close` by default. A `null` header is omitted. */
export function formatRequest(
  line: string,
  headers: Readonly<Record<string, string | readonly string[] | null>> = {},
  body = '',
): string {
  const all = { Host: 'localhost', Connection: 'close', ...headers }
  const fields = Object.entries(all).flatMap(([name, value]) =>
    value === null ? [] : [value].flat().map((single) => `${name}: ${single}\r\n`),
  )
  return `${line}${/ HTTP\/\d/.test(line) ? '' : ' HTTP/1.1'}\r\n${fields.join('')}\r\n${body}`
}

/** Formats a POST request with `Content-Length`. */
export function formatPost(
  body: string,
  headers: Readonly<Record<string, string | readonly string[] | null>> = {},
): string {
  return formatRequest('POST /', { 'Content-Length': String(Buffer.byteLength(body, 'latin1')), ...headers }, body)
}

/** A connection that collects the received text. */
export class Client {
  readonly socket: Socket
  /** All bytes received so far; each character is one byte. */
  text = ''
  readonly closed: Promise<void>
  #woken: (() => void)[] = []

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: false })
    this.socket.setEncoding('latin1')
    this.socket.on('data', (text: string) => {
      this.text += text
      this.#wake()
    })
    // A reset also ends the connection; the bytes before it count.
    this.socket.on('error', () => {})
    this.closed = new Promise((resolve) => {
      this.socket.on('close', () => {
        resolve()
        this.#wake()
      })
    })
  }

  write(bytes: string): this {
    this.socket.write(bytes, 'latin1')
    return this
  }

  /** Waits until the received text contains `part`; fails if the connection ends before. */
  async until(part: string | RegExp): Promise<this> {
    const isThere = (): boolean => (typeof part === 'string' ? this.text.includes(part) : part.test(this.text))
    while (!isThere()) {
      if (this.socket.destroyed) assert.fail(`The connection ended before ${String(part)} came: ${this.text}`)
      await new Promise<void>((resolve) => void this.#woken.push(resolve))
    }
    return this
  }

  /** Returns all received text after the connection has ended. */
  async all(): Promise<string> {
    await this.closed
    return this.text
  }

  #wake(): void {
    for (const resolve of this.#woken.splice(0)) resolve()
  }
}

/** Sends bytes, and returns all bytes received until the server ends the connection; each character is one byte. */
export function exchangeBytes(port: number, bytes: string): Promise<string> {
  return new Client(port).write(bytes).all()
}

/** A parsed response. */
export interface WireAnswer {
  readonly status: number
  readonly reason: string
  /** Values by lowercase name; a repeated header has several. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly body: string
  /** Statuses of the interim (1xx) responses before it. */
  readonly interim: readonly number[]
}

/** Sends a request, and parses its only response. */
export async function askBytes(port: number, bytes: string): Promise<WireAnswer> {
  const text = await exchangeBytes(port, bytes)
  const [answer, ...more] = readAnswers(text, [bytes.slice(0, bytes.indexOf(' '))])
  assert.ok(answer)
  assert.equal(more.length, 0)
  return answer
}

/**
 * Parses responses by the strict grammar (RFC 9112): fails on an incomplete line, a wrong length or remaining bytes.
 *
 * @param text all received bytes; each character is one byte
 * @param methods methods of the requests, in order
 * @returns one response for each method, or fewer if the connection ended earlier
 */
export function readAnswers(text: string, methods: readonly string[]): WireAnswer[] {
  const answers: WireAnswer[] = []
  let rest = text
  for (const method of methods) {
    if (rest === '') break
    const { answer, left } = readAnswer(rest, method)
    answers.push(answer)
    rest = left
  }
  assert.equal(rest, '', 'Bytes after the last response')
  return answers
}

interface Head {
  readonly status: number
  readonly reason: string
  readonly headers: ReadonlyMap<string, readonly string[]>
}

function readAnswer(text: string, method: string): { answer: WireAnswer; left: string } {
  const interim: number[] = []
  let { head, left } = readHead(text)
  while (head.status < 200) {
    interim.push(head.status)
    ;({ head, left } = readHead(left))
  }
  const body = readBody(head, left, method)
  return { answer: { ...head, interim, body: body.text }, left: body.left }
}

function readHead(text: string): { head: Head; left: string } {
  const end = text.indexOf('\r\n\r\n')
  assert.ok(end >= 0, `Incomplete headers: ${JSON.stringify(text.slice(0, 200))}`)
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const [, status, reason] = /^HTTP\/1\.1 ([1-5]\d\d) ([\t\x20-\x7e]*)$/.exec(statusLine) ?? assert.fail(statusLine)
  const headers = new Map<string, readonly string[]>()
  for (const line of lines) {
    const [, name = '', value = ''] =
      /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+): ([\t\x20-\x7e\x80-\xff]*)$/.exec(line) ??
      assert.fail(`Malformed header: ${line}`)
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value])
  }
  return { head: { status: Number(status), reason: reason ?? '', headers }, left: text.slice(end + 4) }
}

function readBody({ status, headers }: Head, text: string, method: string): { text: string; left: string } {
  const lengths = headers.get('content-length') ?? []
  const encodings = headers.get('transfer-encoding') ?? []
  assert.ok(lengths.length + encodings.length <= 1, `Two framings: ${[...lengths, ...encodings].join(', ')}`)
  if (status === 204) assert.equal(lengths.length + encodings.length, 0, 'A 204 has no length')
  if (method === 'HEAD' || status === 204 || status === 304) return { text: '', left: text }
  if (encodings.length > 0) {
    assert.deepEqual(encodings, ['chunked'])
    return readChunks(text)
  }
  if (lengths.length === 0) return { text, left: '' }
  assert.match(lengths[0] ?? '', /^\d+$/)
  const length = Number(lengths[0])
  assert.ok(text.length >= length, `The body has ${text.length} of ${length} bytes`)
  return { text: text.slice(0, length), left: text.slice(length) }
}

function readChunks(text: string): { text: string; left: string } {
  const parts: string[] = []
  for (let at = 0; ;) {
    const [line = '', size = ''] =
      /^([0-9a-f]+)\r\n/i.exec(text.slice(at, at + 12)) ?? assert.fail('Missing chunk size')
    const start = at + line.length
    const end = start + Number.parseInt(size, 16)
    assert.equal(text.slice(end, end + 2), '\r\n', 'A chunk does not end after its size')
    if (end === start) return { text: parts.join(''), left: text.slice(end + 2) }
    parts.push(text.slice(start, end))
    at = end + 2
  }
}

/** Returns the headers as an object; repeated values are joined by ` & `. */
export function parseHeaders({ headers }: WireAnswer): Record<string, string> {
  return Object.fromEntries([...headers].map(([name, values]) => [name, values.join(' & ')]))
}
