/** Tables of hostile requests: each row is sent as bytes, some also without a socket, and after each the server still answers. */
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
  /** Each character a byte. */
  readonly body?: string
}

/** What is expected of an answer; what is not named may be anything. */
export interface ExpectedResponse {
  readonly status: number | readonly number[]
  /** Values by lower-case name; `null` for a field that is not there. */
  readonly headers?: Readonly<Record<string, string | RegExp | null>>
  /** The text, or the JSON value that it stands for. */
  readonly body?: unknown
}

/** What every test of the rules of HTTP says of itself. */
export interface Rule {
  /** What the server does. */
  readonly rule: string
  /** Where the rule comes from: an RFC, an advisory, a measured fault of others. */
  readonly source: string
}

/** The name of the test of a rule. */
export function formatTitle({ rule, source }: Rule): string {
  return `${rule} (${source})`
}

/** One rule and the bytes that try it. */
export interface Row extends Rule {
  /** `both` rows are also asked without a socket. */
  readonly reach: 'wire' | 'both'
  /** Bytes, each a character, or a request in parts. */
  readonly send: string | readonly string[] | Parts
  /** The answer or answers in order, or `closed`: the connection ends without a byte. */
  readonly expect: ExpectedResponse | readonly ExpectedResponse[] | 'closed'
}

/** How long a connection may take until it counts as hanging, in ms. */
const PATIENCE = 8000

/**
 * Sends bytes, and gives back all that comes until the server ends the connection.
 *
 * @param port of the loopback
 * @param packets written one after the other, each character a byte
 * @param patience ms, after which it is a failure
 * @returns all that came
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
    // A reset is an end like any other: what counts is what came before.
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

/** The bytes of a request in parts; the connection ends with its answer. */
export function rowBytes({ method = 'GET', target, headers = {}, body }: Parts): string {
  const all: Record<string, string> = { host: 'localhost', connection: 'close', ...headers }
  if (body !== undefined && !('transfer-encoding' in all)) all['content-length'] ??= String(body.length)
  const fields = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${target} HTTP/1.1\r\n${fields.join('')}\r\n${body ?? ''}`
}

/** Asks over a socket, and reads the answers strictly. */
export async function sendStrictly(port: number, packets: string | readonly string[]): Promise<StrictAnswer[]> {
  const methods =
    [packets]
      .flat()
      .join('')
      .match(/^[A-Z]+(?= [^\r\n]* HTTP\/1\.[01]\r$)/gm) ?? []
  return parseAnswers(await exchange(port, packets), (index) => methods[index] === 'HEAD')
}

/**
 * Makes the tests of a table.
 *
 * @param about the table
 * @param makeApp makes the app that is asked, with signals left alone
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
    `Not the statuses expected: ${answers.map(({ body }) => body.toString('latin1', 0, 300)).join(' | ')}`,
  )
  assert.equal(answers.length, expected.length, 'Not as many answers as expected')
  for (const [index, answer] of answers.entries()) checkAnswer(answer, expected[index])
  if (reach === 'both' && isParts) checkAnswer(await askInProcess(app, send), expected[0])
  await assertAlive(port)
}

/** Asks without a socket; the answer in the same form. */
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

function checkAnswer(answer: StrictAnswer, expected: ExpectedResponse | undefined): void {
  assert.ok(expected)
  const text = answer.body.toString('utf8')
  assert.ok([expected.status].flat().includes(answer.status), `Status ${answer.status}: ${text.slice(0, 300)}`)
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    const found = answer.headers.get(name)?.join(', ')
    if (value instanceof RegExp) assert.match(found ?? '', value)
    else assert.equal(found ?? null, value, `Field "${name}"`)
  }
  if (!('body' in expected)) return
  if (expected.body instanceof RegExp) assert.match(text, expected.body)
  else if (typeof expected.body === 'string') assert.equal(text, expected.body)
  else assert.deepEqual(JSON.parse(text), expected.body)
}

/** The server answers a plain request. */
export async function assertAlive(port: number): Promise<void> {
  const [answer] = await sendStrictly(port, rowBytes({ target: '/alive' }))
  assert.equal(answer?.status, 200)
  assert.equal(answer.body.toString(), 'alive')
}
