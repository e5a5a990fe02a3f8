/** A client on a plain socket, and a strict parser of the responses. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'

/** A response, parsed from its bytes. */
export interface WireAnswer {
  readonly status: number
  /** Values by lowercase name; several `set-cookie` lines are joined by line feeds. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** A connection from which responses are read one at a time. */
export class Wire {
  readonly socket: Socket
  #bytes = Buffer.alloc(0)
  #isEnded = false
  #wake = (): void => {}

  /** @param port of 127.0.0.1 */
  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1' })
    this.socket.on('data', (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk])
      this.#wake()
    })
    // A reset also ends the connection; responses before it remain readable.
    this.socket.on('error', () => {})
    this.socket.on('close', () => {
      this.#isEnded = true
      this.#wake()
    })
    this.socket.on('end', () => {
      this.#isEnded = true
      this.#wake()
    })
  }

  /** Whether the server has ended the connection. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(bytes)
  }

  /** Reads one response as its framing specifies; `isHead` if it responds to HEAD. */
  async read(isHead = false): Promise<WireAnswer> {
    for (;;) {
      const end = await this.#find('\r\n\r\n')
      const head = this.#bytes.subarray(0, end).toString('latin1')
      this.#bytes = this.#bytes.subarray(end + 4)
      const { status, headers } = parseHead(head)
      if (status === 100) continue
      const body = isHead || status === 204 || status === 304 ? '' : await this.#body(headers)
      return { status, headers, body }
    }
  }

  /** Waits for the end of the connection, and asserts that no bytes are left. */
  async ended(): Promise<void> {
    while (!this.#isEnded) await this.#more()
    assert.equal(this.#bytes.toString('latin1'), '', 'bytes after the last response')
  }

  /** Bytes received but not yet read. */
  get rest(): string {
    return this.#bytes.toString('latin1')
  }

  destroy(): void {
    this.socket.destroy()
  }

  async #body(headers: ReadonlyMap<string, string>): Promise<string> {
    const length = headers.get('content-length')
    if (headers.get('transfer-encoding') === 'chunked') {
      assert.equal(length, undefined, 'Content-Length and chunked together')
      return this.#chunked()
    }
    assert.match(length ?? '', /^[0-9]+$/, 'a response without framing')
    return (await this.#take(Number(length))).toString('utf8')
  }

  async #chunked(): Promise<string> {
    const chunks: Buffer[] = []
    for (;;) {
      const end = await this.#find('\r\n')
      const size = this.#bytes.subarray(0, end).toString('latin1')
      assert.match(size, /^[0-9a-f]+$/i)
      this.#bytes = this.#bytes.subarray(end + 2)
      chunks.push(await this.#take(Number.parseInt(size, 16)))
      assert.equal((await this.#take(2)).toString('latin1'), '\r\n')
      if (Number.parseInt(size, 16) === 0) return Buffer.concat(chunks).toString('utf8')
    }
  }

  async #take(length: number): Promise<Buffer> {
    while (this.#bytes.length < length) await this.#more()
    const taken = this.#bytes.subarray(0, length)
    this.#bytes = this.#bytes.subarray(length)
    return taken
  }

  async #find(text: string): Promise<number> {
    for (;;) {
      const found = this.#bytes.indexOf(text)
      if (found >= 0) return found
      await this.#more()
    }
  }

  #more(): Promise<void> {
    if (this.#isEnded) throw new Error(`The connection ended early, after ${JSON.stringify(this.rest)}`)
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

/** Parses the status line and headers by the grammar of RFC 9112. Fails on errors that lenient clients would accept. */
function parseHead(head: string): { status: number; headers: Map<string, string> } {
  const [line = '', ...fields] = head.split('\r\n')
  const [, status] = /^HTTP\/1\.1 ([1-5][0-9]{2}) [\t\x20-\x7e]*$/.exec(line) ?? assert.fail(`status line: ${line}`)
  const headers = new Map<string, string>()
  for (const field of fields) {
    const [, name = '', value = ''] =
      /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+): ?([\t\x20-\x7e\x80-\xff]*)$/.exec(field) ?? assert.fail(`field: ${field}`)
    const key = name.toLowerCase()
    const present = headers.get(key)
    assert.ok(present === undefined || key === 'set-cookie', `${key} is repeated`)
    headers.set(key, present === undefined ? value : `${present}\n${value}`)
  }
  return { status: Number(status), headers }
}

/** A request as bytes. */
export interface WireRequest {
  readonly method?: string
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Formats a request as HTTP/1.1. */
export function toBytes({ method = 'GET', target, headers = {}, body }: WireRequest): string {
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return `${[`${method} ${target} HTTP/1.1`, 'Host: localhost', ...fields, ...length].join('\r\n')}\r\n\r\n${body ?? ''}`
}

/** Sends one request over a new connection. */
export async function askWire(port: number, request: WireRequest): Promise<WireAnswer> {
  const wire = new Wire(port)
  try {
    wire.send(toBytes(request))
    return await wire.read(request.method === 'HEAD')
  } finally {
    wire.destroy()
  }
}

/** Waits until a condition is true; fails after 10 seconds. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 10_000
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, `Not true after 10 s: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
