/**
 * A strict reference parser for pipelined requests (RFC 9112): returns the requests that a server must handle. It supports only the
 * syntax that the tests use: GET and POST, `Content-Length`, and chunks without extensions or trailers.
 */

/** A request that a server must handle. */
export interface SeenRequest {
  readonly method: string
  readonly target: string
  readonly body: string
}

interface Head {
  readonly method: string
  readonly target: string
  readonly fields: ReadonlyMap<string, readonly string[]>
  readonly end: number
}

const REQUEST_LINE = /^(GET|POST) (\/[!-~]*) HTTP\/1\.1$/
const FIELD = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[\t ]*([!-~](?:[\t -~]*[!-~])?)?[\t ]*$/

/**
 * Parses a pipeline up to its last request. That is a request with `Connection: close`, an upgrade, a GET with `Expect: 100-continue`,
 * or the request before the first malformed or incomplete one.
 *
 * @param bytes all bytes that a client sends; each character is one byte
 * @returns the requests whose handlers run, in order
 */
export function parseRequests(bytes: string): SeenRequest[] {
  const seen: SeenRequest[] = []
  for (let at = 0; at < bytes.length;) {
    const head = readHead(bytes, at)
    if (head === undefined) break
    const body = readBody(bytes, head)
    if (body === undefined) break
    const expects = head.fields.get('expect')
    if (expects === undefined || expects[0]?.toLowerCase() === '100-continue') {
      seen.push({ method: head.method, target: head.target, body: body.text })
    }
    if (isLast(head) || isUnwanted(head)) break
    at = body.end
  }
  return seen
}

function readHead(bytes: string, from: number): Head | undefined {
  const end = bytes.indexOf('\r\n\r\n', from)
  if (end < 0) return undefined
  const [requestLine = '', ...lines] = bytes.slice(from, end).split('\r\n')
  const [, method, target] = REQUEST_LINE.exec(requestLine) ?? []
  if (method === undefined || target === undefined) return undefined
  const fields = new Map<string, string[]>()
  for (const line of lines) {
    const [, name, value = ''] = FIELD.exec(line) ?? []
    if (name === undefined) return undefined
    fields.set(name.toLowerCase(), [...(fields.get(name.toLowerCase()) ?? []), value])
  }
  return fields.get('host')?.length === 1 ? { method, target, fields, end: end + 4 } : undefined
}

function readBody(bytes: string, { fields, end }: Head): { text: string; end: number } | undefined {
  const lengths = fields.get('content-length')
  const encodings = fields.get('transfer-encoding')
  if (encodings !== undefined) {
    return lengths === undefined && encodings.join().toLowerCase() === 'chunked' ? readChunks(bytes, end) : undefined
  }
  if (lengths === undefined) return { text: '', end }
  if (lengths.length !== 1 || !/^\d+$/.test(lengths[0] ?? '')) return undefined
  const last = end + Number(lengths[0])
  return last > bytes.length ? undefined : { text: bytes.slice(end, last), end: last }
}

function readChunks(bytes: string, from: number): { text: string; end: number } | undefined {
  let text = ''
  for (let at = from; ;) {
    const [line, size] = /^([0-9a-f]+)\r\n/i.exec(bytes.slice(at, at + 12)) ?? []
    if (line === undefined || size === undefined) return undefined
    const start = at + line.length
    const end = start + Number.parseInt(size, 16)
    if (bytes.slice(end, end + 2) !== '\r\n') return undefined
    if (end === start) return { text, end: end + 2 }
    text += bytes.slice(start, end)
    at = end + 2
  }
}

/** Whether a request waits for `100 Continue`, which is not sent for GET because no handler reads its body. */
function isUnwanted({ method, fields }: Head): boolean {
  return method === 'GET' && fields.get('expect')?.join().toLowerCase() === '100-continue'
}

function isLast({ fields }: Head): boolean {
  const options = (fields.get('connection') ?? []).join().toLowerCase().split(',')
  return fields.has('upgrade') || options.some((option) => option.trim() === 'close')
}
