/** A request as text: a shell command, JavaScript, or the bytes of HTTP/1.1. Secrets become names to fill in. */
import { REDACTED_MARK, type HeaderList, type RequestRecord } from '../../wire/request-types.js'

/** A request to be written. */
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
  /** Of a form with files, in place of a body. */
  readonly parts?: readonly (readonly [name: string, value: string | File])[]
}

/** Methods that only read (RFC 9110 section 9.2.1). */
export const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Fields that the program which sends sets itself. */
export const OWN_FIELDS: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'expect',
  'accept-encoding',
])

/** Fields that say how a browser sent a request; a page cannot set them. */
const BROWSER_FIELDS = /^(?:sec-|proxy-)|^(?:cookie|user-agent|host|origin|referer|date|te|trailer|upgrade|via|dnt)$/

/** The request of a record, as it can be sent again. */
export function toSendable(record: RequestRecord, origin: string): SendableRequest {
  const query = record['url.query']
  return {
    method: record['http.request.method'],
    url: `${origin}${record['url.path']}${query === '' ? '' : `?${query}`}`,
    headers: record.request.headers.filter(([name]) => !OWN_FIELDS.has(name.toLowerCase())),
    body: record.request.body?.text ?? null,
  }
}

/** Whether a page can set a header. */
export function canSetHeader(name: string): boolean {
  return !BROWSER_FIELDS.test(name.toLowerCase())
}

/** What a page may set of header fields. */
export function settable(headers: HeaderList): HeaderList {
  return headers.filter(([name, value]) => canSetHeader(name) && !holdsSecret(value))
}

/** Tells whether a secret was taken out of a text. */
export function holdsSecret(text: string): boolean {
  return text.split(/\W+/).includes(REDACTED_MARK)
}

/** A command for a POSIX shell. */
export function toCurl(request: SendableRequest): string {
  const parts = [
    `curl ${request.method === 'GET' ? '' : `-X ${quoteShell(request.method)} `}${quoteShell(request.url)}`,
  ]
  if (request.method === 'HEAD') parts[0] = `curl --head ${quoteShell(request.url)}`
  for (const [name, value] of request.headers) parts.push(`-H ${shellValue(name, value)}`)
  if (request.body !== null) parts.push(`--data-raw ${quoteShell(request.body)}`)
  for (const [name, value] of request.parts ?? []) parts.push(curlPart(name, value))
  return parts.join(' \\\n  ')
}

/** A file is read where the command runs; a text may begin with the `@` that says so. */
function curlPart(name: string, value: string | File): string {
  if (typeof value === 'string') return `--form-string ${quoteShell(`${name}=${value}`)}`
  const type = value.type === '' ? '' : `;type=${value.type}`
  return `-F ${quoteShell(`${name}=@"${value.name.replaceAll(/["\\]/g, '\\$&')}"${type}`)}`
}

/** A variable must stand outside of single quotes, where it is not expanded. */
function shellValue(name: string, value: string): string {
  if (!holdsSecret(value)) return quoteShell(value === '' ? `${name};` : `${name}: ${value}`)
  const [before = '', ...rest] = value.split(REDACTED_MARK)
  return `${quoteShell(`${name}: ${before}`)}"$${environmentName(name)}"${rest.join('') === '' ? '' : quoteShell(rest.join(''))}`
}

function environmentName(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')
}

function quoteShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** JavaScript that calls `fetch`. */
export function toFetch(request: SendableRequest): string {
  const headers = request.headers.map(([name, value]) => [
    name,
    holdsSecret(value) ? value.replaceAll(REDACTED_MARK, `$${environmentName(name)}`) : value,
  ])
  const options = {
    method: request.method,
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    ...(request.body === null ? {} : { body: request.body }),
  }
  return `await fetch(${JSON.stringify(request.url)}, ${JSON.stringify(options, null, 2)})`
}

/** Request and answer as they are sent in HTTP/1.1, with line feeds alone. */
export function toHttp(record: RequestRecord, title: string): string {
  const version = `HTTP/${record['network.protocol.version']}`
  const { method, url } = toSendable(record, '')
  const first = `${method} ${url} ${version}`
  const second = `${version} ${record['http.response.status_code']} ${title}`.trimEnd()
  return [first, ...curlArguments(record.request), '', second, ...curlArguments(record.response)].join('\n')
}

function curlArguments({ headers, body }: RequestRecord['request']): string[] {
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  return [...lines, '', ...(body?.text === null || body === null ? [] : [body.text])]
}
