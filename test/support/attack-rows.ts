/** Tables of hostile requests. Each row is sent over a socket, some also in process; after each row the server must still respond. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { App } from 'verbena'
import { parseAnswers, type StrictAnswer } from './strict-parser.js'

/** A request in parts, for rows that do not need a socket. */
export interface Parts {
  readonly method?: string
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  /** Each character is one byte. */
  readonly body?: string
}

/** Expected parts of a response; omitted parts can have any value. */
export interface ExpectedResponse {
  readonly status: number | readonly number[]
  /** Values by lowercase name; `null` for a header that must be missing. */
  readonly headers?: Readonly<Record<string, string | RegExp | null>>
  /** The body as a string, a pattern, or its JSON value. */
  readonly body?: unknown
}

/** A rule that a test checks, and the source of the rule. */
export interface Rule {
  /** Behavior of the server, as the title of the test. */
  readonly rule: string
  /** Source of the rule: an RFC, an advisory, or a bug of other servers. */
  readonly source: string
}

/** Formats the title of a test. */
export function formatTitle({ rule, source }: Rule): string {
  return `${rule} (${source})`
}

/** A rule, a request that tests it, and the expected response. */
export interface Row extends Rule {
  /** `both` rows are also sent in process. */
  readonly reach: 'wire' | 'both'
  /** Bytes (one per character), several packets of bytes, or a request in parts. */
  readonly send: string | readonly string[] | Parts
  /** The responses in order, or `closed` if the connection ends without a response. */
  readonly expect: ExpectedResponse | readonly ExpectedResponse[] | 'closed'
}

/** Maximum time of a connection in ms. */
const PATIENCE = 8000

/**
 * Sends bytes, and returns all bytes received until the server ends the connection.
 *
 * @param port port of 127.0.0.1
 * @param packets packets to send one after the other; each character is one byte
 * @param patience maximum time in ms
 */
export function exchange(port: number, packets: string | readonly string[], patience = PATIENCE): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    const timer = setTimeout(() => {
      socket.destroy()
      reject(
        new Error(`The connection hangs after ${JSON.stringify(Buffer.concat(chunks).toString('latin1', 0, 300))}`),
      )
    }, patience)
    const finish = (): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(Buffer.concat(chunks))
    }
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    // A reset also ends the connection; the bytes before it count.
    socket
      .on('end', finish)
      .on('close', finish)
      .on('error', () => {})
    void writeAll(socket, [packets].flat())
  })
}

async function writeAll(socket: ReturnType<typeof connect>, packets: readonly string[]): Promise<void> {
  for (const packet of packets) {
    if (socket.destroyed) return
    socket.write(packet, 'latin1')
    await new Promise((resolve) => setTimeout(resolve, packets.length > 1 ? 20 : 0))
  }
}

/** Formats a request, with `Connection: close` by default. */
export function rowBytes({ method = 'GET', target, headers = {}, body }: Parts): string {
  const all: Record<string, string> = { host: 'localhost', connection: 'close', ...headers }
  if (body !== undefined && !('transfer-encoding' in all)) all['content-length'] ??= String(body.length)
  const fields = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${target} HTTP/1.1\r\n${fields.join('')}\r\n${body ?? ''}`
}

/** Sends bytes over a socket, and parses the responses strictly. */
export async function sendStrictly(port: number, packets: string | readonly string[]): Promise<StrictAnswer[]> {
  const methods =
    [packets]
      .flat()
      .join('')
      .match(/^[A-Z]+(?= [^\r\n]* HTTP\/1\.[01]\r$)/gm) ?? []
  return parseAnswers(await exchange(port, packets), (index) => methods[index] === 'HEAD')
}

/**
 * Registers the tests of a table.
 *
 * @param about title of the suite
 * @param makeApp creates the app, without signal handlers
 * @param rows the table
 */
export function testRows(about: string, makeApp: () => App, rows: readonly Row[]): void {
  describe(about, () => {
    const app = makeApp()
    let port = 0
    before(async () => {
      ;({ port } = await app.listen())
    })
    after(() => app.close())
    for (const row of rows) it(formatTitle(row), () => runRow(app, port, row))
  })
}

async function runRow(app: App, port: number, { reach, send, expect }: Row): Promise<void> {
  const isParts = typeof send === 'object' && 'target' in send
  const answers = await sendStrictly(port, isParts ? rowBytes(send) : send)
  const expected = expect === 'closed' ? [] : [expect].flat()
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(({ status }, index) => {
      const wanted = [expected[index]?.status ?? []].flat()
      return wanted.includes(status) ? status : wanted[0]
    }),
    `Unexpected statuses: ${answers.map(({ body }) => body.toString('latin1', 0, 300)).join(' | ')}`,
  )
  assert.equal(answers.length, expected.length, 'Unexpected number of responses')
  for (const [index, answer] of answers.entries()) checkReply(answer, expected[index])
  if (reach === 'both' && isParts) checkReply(await askInProcess(app, send), expected[0])
  await assertAlive(port)
}

/** Sends a request in process; returns the response in the same form as `parseAnswers`. */
export async function askInProcess(
  app: App,
  { method = 'GET', target, headers = {}, body }: Parts,
): Promise<StrictAnswer> {
  const request = new Request(`http://localhost${target}`, {
    method,
    headers: { ...headers },
    ...(body === undefined ? undefined : { body: Buffer.from(body, 'latin1') }),
  })
  const response = await app.fetch(request)
  const fields = [...response.headers].map(([name, value]) => [name, [value]] as const)
  return {
    status: response.status,
    headers: new Map(fields),
    body: Buffer.from(await response.arrayBuffer()),
    interim: [],
  }
}

function checkReply(answer: StrictAnswer, expected: ExpectedResponse | undefined): void {
  assert.ok(expected)
  const text = answer.body.toString('utf8')
  assert.ok([expected.status].flat().includes(answer.status), `Status ${answer.status}: ${text.slice(0, 300)}`)
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    const found = answer.headers.get(name)?.join(', ')
    if (value instanceof RegExp) assert.match(found ?? '', value)
    else assert.equal(found ?? null, value, `Header "${name}"`)
  }
  if (!('body' in expected)) return
  if (expected.body instanceof RegExp) assert.match(text, expected.body)
  else if (typeof expected.body === 'string') assert.equal(text, expected.body)
  else assert.deepEqual(JSON.parse(text), expected.body)
}

/** Asserts that the server responds to a plain request. */
export async function assertAlive(port: number): Promise<void> {
  const [answer] = await sendStrictly(port, rowBytes({ target: '/alive' }))
  assert.equal(answer?.status, 200)
  assert.equal(answer.body.toString(), 'alive')
}
