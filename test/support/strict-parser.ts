/** Strict parser for all bytes of a connection (RFC 9112): accepts only complete, well-formed responses. */
import assert from 'node:assert/strict'

/** A parsed response. */
export interface StrictAnswer {
  readonly status: number
  /** Values by lowercase name; a repeated header has several. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly body: Buffer
  /** Statuses of the interim (1xx) responses before it. */
  readonly interim: readonly number[]
}

/** Whether a response belongs to HEAD, and so has a length but no content. */
export type IsHead = (index: number, headers: StrictAnswer['headers']) => boolean

interface Head {
  readonly status: number
  readonly headers: StrictAnswer['headers']
  readonly end: number
}

interface Body {
  readonly body: Buffer
  readonly end: number
}

const STATUS_LINE = /^HTTP\/1\.1 ([1-5]\d\d) ([\t\x20-\x7e]*)$/
const FIELD =
  /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+): ((?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?)$/
/** Headers that must not be repeated, because clients would disagree on which one counts. */
const SINGLE = [
  'access-control-allow-origin',
  'content-length',
  'content-type',
  'date',
  'etag',
  'location',
  'transfer-encoding',
  'x-content-type-options',
  'x-request-id',
]

/**
 * Parses all responses of a closed connection.
 *
 * @param bytes all received bytes
 * @param isHead whether a response belongs to HEAD
 * @throws AssertionError if a response is incomplete or malformed
 */
export function parseAnswers(bytes: Buffer, isHead: IsHead = () => false): StrictAnswer[] {
  const answers: StrictAnswer[] = []
  const interim: number[] = []
  for (let at = 0; at < bytes.length;) {
    const head = readHead(bytes, at)
    if (head.status < 200) {
      assert.equal(head.headers.size, 0, 'An interim response has headers')
      interim.push(head.status)
      at = head.end
      continue
    }
    const { body, end } = readBody(bytes, head, isHead(answers.length, head.headers))
    checkMeaning(head, body, end < bytes.length)
    answers.push({ status: head.status, headers: head.headers, body, interim: interim.splice(0) })
    at = end
  }
  assert.deepEqual(interim, [], 'An interim response without a final one')
  return answers
}

function readHead(bytes: Buffer, from: number): Head {
  const end = bytes.indexOf('\r\n\r\n', from)
  assert.ok(end >= 0, `Incomplete headers: ${JSON.stringify(bytes.toString('latin1', from, from + 200))}`)
  const [statusLine = '', ...lines] = bytes.toString('latin1', from, end).split('\r\n')
  const status = STATUS_LINE.exec(statusLine)?.[1]
  assert.ok(status !== undefined, `Malformed status line: ${JSON.stringify(statusLine)}`)
  const headers = new Map<string, string[]>()
  for (const line of lines) {
    const [, name, value] = FIELD.exec(line) ?? []
    assert.ok(name !== undefined && value !== undefined, `Malformed header: ${JSON.stringify(line)}`)
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value])
  }
  for (const name of SINGLE) assert.ok((headers.get(name)?.length ?? 0) < 2, `"${name}" is repeated`)
  return { status: Number(status), headers, end: end + 4 }
}

function readBody(bytes: Buffer, { status, headers, end }: Head, isHead: boolean): Body {
  const length = headers.get('content-length')?.[0]
  const encoding = headers.get('transfer-encoding')?.[0]
  assert.ok(length === undefined || encoding === undefined, `Two framings: ${length} and ${encoding}`)
  if (length !== undefined) assert.match(length, /^(?:0|[1-9]\d*)$/)
  if (encoding !== undefined) assert.equal(encoding, 'chunked')
  if (status === 204) assert.equal(length ?? encoding, undefined, 'A 204 has a length')
  if (isHead || status === 204 || status === 304) return { body: Buffer.alloc(0), end }
  if (encoding !== undefined) return readChunks(bytes, end)
  if (length === undefined) {
    // For an HTTP/1.0 client, a stream ends with the connection (RFC 9112 section 6.3).
    assert.equal(headers.get('connection')?.[0], 'close', 'Neither a length nor "connection: close"')
    return { body: bytes.subarray(end), end: bytes.length }
  }
  const body = bytes.subarray(end, end + Number(length))
  assert.equal(body.length, Number(length), 'The content is shorter than Content-Length')
  return { body, end: end + body.length }
}

function readChunks(bytes: Buffer, from: number): Body {
  const parts: Buffer[] = []
  for (let at = from; ;) {
    const line = /^([0-9a-f]{1,8})\r\n/i.exec(bytes.toString('latin1', at, at + 10))
    assert.ok(line?.[1] !== undefined, `Missing chunk size at ${at} of ${bytes.length}`)
    const start = at + line[0].length
    const end = start + Number.parseInt(line[1], 16)
    assert.equal(bytes.toString('latin1', end, end + 2), '\r\n', 'A chunk does not end after its size')
    if (end === start) return { body: Buffer.concat(parts), end: end + 2 }
    parts.push(bytes.subarray(start, end))
    at = end + 2
  }
}

/** Checks that every response of Verbena passes. */
function checkMeaning({ status, headers }: Head, body: Buffer, isFollowed: boolean): void {
  const one = (name: string): string | undefined => headers.get(name)?.[0]
  assert.ok(one('date') !== undefined, 'A response without Date')
  if (body.length > 0) assert.equal(one('x-content-type-options'), 'nosniff')
  if (body.length > 0) assert.ok(one('content-type') !== undefined, 'Content without Content-Type')
  if (isFollowed) assert.doesNotMatch(one('connection') ?? '', /close/i, 'Bytes after the last response')
  if (status >= 400 && body.length > 0 && one('content-type') === 'application/problem+json') {
    const problem: unknown = JSON.parse(body.toString('utf8'))
    assert.ok(typeof problem === 'object' && problem !== null && 'status' in problem)
    assert.equal(problem.status, status)
  }
}
