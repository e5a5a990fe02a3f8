/** Requests as text: a shell command, JavaScript, or an HTTP/1.1 message. Secrets become names of variables. */
import {
  containsSecret,
  REDACTED_MARK,
  type HeaderList,
  type RequestRecord,
} from '../../../src/devconsole/wire/request-types.js'

/** A request that the page can send or copy. */
export interface SendableRequest {
  readonly method: string
  /** Absolute. */
  readonly url: string
  readonly headers: HeaderList
  readonly body: string | null
  /** Cookies that the browser sends in addition to its own: `name=value; name=value`. */
  readonly cookies?: string
  /** Whether the endpoint accepts `Authorization: Basic`. */
  readonly isBasic?: boolean
  /** Parts of a multipart form, which replace the body. */
  readonly parts?: readonly (readonly [name: string, value: string | File])[]
}

/** Headers that the sending program sets. */
export const SENDER_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'expect',
  'accept-encoding',
])

/** Headers that only the browser can set (Fetch standard, "forbidden request-header"), and `user-agent`. */
const BROWSER_HEADERS = /^(?:sec-|proxy-)|^(?:cookie|user-agent|host|origin|referer|date|te|trailer|upgrade|via|dnt)$/

/** Builds the request that sends a record again. */
export function toSendable(record: RequestRecord, origin: string): SendableRequest {
  const query = record['url.query']
  return {
    method: record['http.request.method'],
    url: `${origin}${record['url.path']}${query === '' ? '' : `?${query}`}`,
    headers: record.request.headers.filter(([name]) => !SENDER_HEADERS.has(name.toLowerCase())),
    body: record.request.body?.text ?? null,
  }
}

/** Whether a page can send a header. A page sets cookies of the browser before the request instead of the header `Cookie`. */
export function canSendHeader(name: string): boolean {
  return name.toLowerCase() === 'cookie' || canSetHeader(name)
}

function canSetHeader(name: string): boolean {
  return !BROWSER_HEADERS.test(name.toLowerCase())
}

/** Returns the headers that a page can set and that contain no redacted secret. */
export function settableHeaders(headers: HeaderList): HeaderList {
  return headers.filter(([name, value]) => canSetHeader(name) && !containsSecret(value))
}

/** Formats a request as a command for a POSIX shell. */
export function toCurl(request: SendableRequest): string {
  const parts = [
    `curl ${request.method === 'GET' ? '' : `-X ${quoteShell(request.method)} `}${quoteShell(request.url)}`,
  ]
  if (request.method === 'HEAD') parts[0] = `curl --head ${quoteShell(request.url)}`
  for (const [name, value] of request.headers) parts.push(`-H ${shellValue(name, value)}`)
  const { cookies = '' } = request
  if (cookies !== '') parts.push(`-H ${quoteShell(`cookie: ${cookies}`)}`)
  if (request.body !== null) parts.push(`--data-raw ${quoteShell(request.body)}`)
  for (const [name, value] of request.parts ?? []) parts.push(curlPart(name, value))
  return parts.join(' \\\n  ')
}

/** curl reads a value after `@` from a file. In `--form-string`, `@` has no meaning. */
function curlPart(name: string, value: string | File): string {
  if (typeof value === 'string') return `--form-string ${quoteShell(`${name}=${value}`)}`
  const type = value.type === '' ? '' : `;type=${value.type}`
  return `-F ${quoteShell(`${name}=@"${value.name.replaceAll(/["\\]/g, '\\$&')}"${type}`)}`
}

/** Shells do not expand variables in single quotes. */
function shellValue(name: string, value: string): string {
  if (!containsSecret(value)) return quoteShell(value === '' ? `${name};` : `${name}: ${value}`)
  const [before = '', ...rest] = value.split(REDACTED_MARK)
  return `${quoteShell(`${name}: ${before}`)}"$${environmentName(name)}"${rest.join('') === '' ? '' : quoteShell(rest.join(''))}`
}

function environmentName(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')
}

function quoteShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Formats a request as a call of `fetch`. */
export function toFetch(request: SendableRequest): string {
  const headers = request.headers.map(([name, value]) => [
    name,
    containsSecret(value) ? value.replaceAll(REDACTED_MARK, `$${environmentName(name)}`) : value,
  ])
  const options = {
    method: request.method,
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    ...(request.body === null ? {} : { body: request.body }),
  }
  return `await fetch(${JSON.stringify(request.url)}, ${JSON.stringify(options, null, 2)})`
}

/** Formats request and response as HTTP/1.1 messages, with line feeds only. */
export function toHttp(record: RequestRecord, title: string): string {
  const version = `HTTP/${record['network.protocol.version']}`
  const { method, url } = toSendable(record, '')
  const requestLine = `${method} ${url} ${version}`
  const statusLine = `${version} ${record['http.response.status_code']} ${title}`.trimEnd()
  return [requestLine, ...messageLines(record.request), '', statusLine, ...messageLines(record.response)].join('\n')
}

function messageLines({ headers, body }: RequestRecord['request']): string[] {
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  return [...lines, '', ...(body?.text === null || body === null ? [] : [body.text])]
}
