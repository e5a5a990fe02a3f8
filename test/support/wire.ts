/** Talking to a server in bytes: what is sent is exactly what is written here, what comes back is read by the strict grammar. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import type { ResponseMessage, Exchange } from '#src/http/exchange.js'
import type { Payload } from '#src/http/payload.js'
import { closeServer, makeServer, openServer, type OwnServer } from '#src/http/server.js'
import type { ServerSettings } from '#src/http/connection.js'

/** Settings of a server in tests: those of an app. */
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

/** A server that listens on a free port of the loopback. */
export interface WireServer {
  readonly port: number
  readonly own: OwnServer
}

/** Runs a task against a server that is closed afterwards. */
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

/** An answer to be sent. */
export function parseResponse(
  payload: Payload,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): ResponseMessage {
  return { status, headers: new Map(Object.entries(headers)), payload }
}

/** An answer of plain text. */
export function textAnswer(data: string, status = 200): ResponseMessage {
  return parseResponse({ type: 'text/plain; charset=utf-8', data }, status)
}

/** The bytes of a request; `Host` and `Connection: close` are there unless named. */
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

/** A POST with a body of this length. */
export function formatPost(
  body: string,
  headers: Readonly<Record<string, string | readonly string[] | null>> = {},
): string {
  return formatRequest('POST /', { 'Content-Length': String(Buffer.byteLength(body, 'latin1')), ...headers }, body)
}

/** A connection that keeps what it was sent. */
export class Client {
  readonly socket: Socket
  /** Everything that came so far, each byte a character. */
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
    // A reset is an end like any other: what counts is what came before.
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

  /** Waits until what came holds a text; fails when the connection ends without. */
  async until(part: string | RegExp): Promise<this> {
    const isThere = (): boolean => (typeof part === 'string' ? this.text.includes(part) : part.test(this.text))
    while (!isThere()) {
      if (this.socket.destroyed) assert.fail(`The connection ended before ${String(part)} came: ${this.text}`)
      await new Promise<void>((resolve) => void this.#woken.push(resolve))
    }
    return this
  }

  /** Everything that came, once the connection has ended. */
  async all(): Promise<string> {
    await this.closed
    return this.text
  }

  #wake(): void {
    for (const resolve of this.#woken.splice(0)) resolve()
  }
}

/** Sends bytes and gives back all that comes until the server ends the connection, each byte a character. */
export function exchangeBytes(port: number, bytes: string): Promise<string> {
  return new Client(port).write(bytes).all()
}

/** One answer as it was on the wire. */
export interface WireAnswer {
  readonly status: number
  readonly reason: string
  /** Values by lower-case name; of a repeated field all. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly body: string
  /** Statuses of interim answers before it. */
  readonly interim: readonly number[]
}

/** Sends a request and reads its one answer. */
export async function askBytes(port: number, bytes: string): Promise<WireAnswer> {
  const text = await exchangeBytes(port, bytes)
  const [answer, ...more] = readAnswers(text, [bytes.slice(0, bytes.indexOf(' '))])
  assert.ok(answer)
  assert.equal(more.length, 0)
  return answer
}

/**
 * Reads answers by the strict grammar (RFC 9112): every line whole, every length right, nothing left over.
 *
 * @param text all that came, each byte a character
 * @param methods of the requests, in order
 * @returns one answer for each method, or fewer where one was the last on its connection
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
  assert.equal(rest, '', 'Bytes are left over behind the last answer')
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
  assert.ok(end >= 0, `No whole head: ${JSON.stringify(text.slice(0, 200))}`)
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const [, status, reason] = /^HTTP\/1\.1 ([1-5]\d\d) ([\t\x20-\x7e]*)$/.exec(statusLine) ?? assert.fail(statusLine)
  const headers = new Map<string, readonly string[]>()
  for (const line of lines) {
    const [, name = '', value = ''] =
      /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+): ([\t\x20-\x7e\x80-\xff]*)$/.exec(line) ?? assert.fail(`No field: ${line}`)
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value])
  }
  return { head: { status: Number(status), reason: reason ?? '', headers }, left: text.slice(end + 4) }
}

function readBody({ status, headers }: Head, text: string, method: string): { text: string; left: string } {
  const lengths = headers.get('content-length') ?? []
  const encodings = headers.get('transfer-encoding') ?? []
  assert.ok(lengths.length + encodings.length <= 1, `Framed twice: ${[...lengths, ...encodings].join(', ')}`)
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
      /^([0-9a-f]+)\r\n/i.exec(text.slice(at, at + 12)) ?? assert.fail('No size of a chunk')
    const start = at + line.length
    const end = start + Number.parseInt(size, 16)
    assert.equal(text.slice(end, end + 2), '\r\n', 'A chunk does not end where it says')
    if (end === start) return { text: parts.join(''), left: text.slice(end + 2) }
    parts.push(text.slice(start, end))
    at = end + 2
  }
}

/** Fields with one value each. */
export function parseHeaders({ headers }: WireAnswer): Record<string, string> {
  return Object.fromEntries([...headers].map(([name, values]) => [name, values.join(' & ')]))
}
