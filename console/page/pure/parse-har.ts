/**
 * Parses the entries of HTTP Archive 1.2 files. Browsers and proxies omit members or write other types, so only the URL and the time are
 * required.
 */
import { CUT_COMMENT } from '../../../src/devconsole/wire/har-marks.js'
import { listOrEmpty, objectOrEmpty, stringOrEmpty, type JsonRecord } from '../../../src/devconsole/wire/json-schema.js'
import { parseList, numberOr, textOr } from './parse-values.js'
import { PHASES, type CapturedBody, type HeaderList, type Message } from '../../../src/devconsole/wire/request-types.js'
import { EMPTY_SUMMARY } from '../../../src/devconsole/wire/summary.js'
import type { About, AboutPart, CallOut, ShownRecord } from '../../../src/devconsole/wire/view-types.js'

/** Number of bytes of a binary body that are shown. */
const MAX_HEX_BYTES = 64
/** URLs of HTTP and WebSocket. HAR files can also contain `data:` URLs and URLs of extensions, which are not requests. */
const URL_PARTS = /^(http|ws)(s?):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/i
const TEXT_TYPE = /^text\/|[/+](?:json|xml|javascript|ecmascript|x-www-form-urlencoded|graphql|yaml)\b/i
const FORM_TYPE = /^application\/x-www-form-urlencoded\b/i
const TIMINGS = ['blocked', 'dns', 'connect', 'ssl', 'send', 'wait', 'receive'] as const

/** Parses an entry. Returns `null` if it has no time, or no URL of HTTP or WebSocket. */
export function parseHarEntry(value: unknown): ShownRecord | null {
  const entry = objectOrEmpty(value)
  const [request, response] = [objectOrEmpty(entry['request']), objectOrEmpty(entry['response'])]
  const [, , secure = '', host = '', path = '', query = ''] = URL_PARTS.exec(stringOrEmpty(request['url'])) ?? []
  const time = Date.parse(stringOrEmpty(entry['startedDateTime']))
  if (host === '' || Number.isNaN(time)) return null
  const scheme = secure === '' ? 'http' : 'https'
  const requestMessage = parseMessage(request, parsePostData(request['postData']))
  const responseMessage = parseMessage(response, parseContent(response['content']))
  const status = parseStatus(response['status'])
  const hasResponse = status !== 0
  return {
    ...EMPTY_RECORD,
    time,
    'http.request.method': stringOrEmpty(request['method']) || 'GET',
    'url.scheme': scheme,
    'server.address': host,
    'url.path': path || '/',
    'url.query': query,
    'http.response.status_code': status,
    'http.request.body.size': parseSize(request, requestMessage.body),
    'http.response.body.size': parseSize(response, responseMessage.body),
    'dev.duration': parseDuration(entry),
    'dev.phases': parsePhases(entry['_phases']),
    'dev.requestId': findHeader(responseMessage.headers, 'x-request-id'),
    'dev.flags': hasResponse ? [] : ['aborted'],
    'user_agent.original': findHeader(requestMessage.headers, 'user-agent'),
    'network.protocol.version': parseVersion(request['httpVersion']),
    request: requestMessage,
    response: responseMessage,
    aborted: !hasResponse,
    callOuts: describeFailure(response),
    about: describeEntry(entry, `${scheme}://${host}`),
  }
}

/** Values of all other requests. `id`, `boot` and `seq` are set when the file is opened. */
const EMPTY_RECORD = {
  ...EMPTY_SUMMARY,
  'code.file.path': null,
  'code.line.number': null,
  'dev.traceId': null,
  params: {},
  decorators: [],
  calls: [],
  callsMore: 0,
  queries: [],
  queriesMore: 0,
  repeated: [],
  logs: [],
  issues: [],
  vendor: null,
  error: null,
  version: null,
} as const

/** Browsers write the reason of a missing response in `_error`. */
function describeFailure({ _error: error }: JsonRecord): readonly CallOut[] {
  if (typeof error !== 'string' || error === '') return []
  return [{ kind: 'bad', title: ['No response: ', { code: error }], text: [] }]
}

function parseStatus(value: unknown): number {
  const status = numberOr(value, 0)
  return Number.isInteger(status) && status < 1_000 ? status : 0
}

/** Without a total, the sum of the timings. `ssl` is a part of `connect` (HAR 1.2, "timings"). */
function parseDuration(entry: JsonRecord): number {
  const timings = objectOrEmpty(entry['timings'])
  const sum = TIMINGS.reduce((total, name) => total + (name === 'ssl' ? 0 : numberOr(timings[name], 0)), 0)
  return numberOr(entry['time'], sum)
}

/** Only files of the console have phases. */
function parsePhases(value: unknown): readonly number[] {
  const phases = objectOrEmpty(value)
  return PHASES.some((phase) => phase in phases) ? PHASES.map((phase) => numberOr(phases[phase], 0)) : []
}

/** Browsers write `HTTP/1.1`, `http/2.0`, `h2`, `h3` or an empty string. */
function parseVersion(value: unknown): string {
  const [, version = '1.1'] = /^(?:http\/|h)(\d(?:\.\d)?)/i.exec(stringOrEmpty(value)) ?? []
  return version
}

/** Pseudo-headers of HTTP/2, such as `:path`, are not headers (RFC 9113 section 8.3). */
function parseMessage(message: JsonRecord, body: CapturedBody | null): Message {
  const headers = parsePairs(message['headers']).filter(([name]) => !name.startsWith(':'))
  return { headers, body }
}

function parsePairs(value: unknown): HeaderList {
  return parseList(value, (pair): readonly [string, string] | null => {
    const { name, value: text } = objectOrEmpty(pair)
    return typeof name !== 'string' || name === '' ? null : [name, stringOrEmpty(text)]
  })
}

/** -1 is an unknown size (HAR 1.2, "bodySize"). */
function parseSize(message: JsonRecord, body: CapturedBody | null): number {
  return numberOr(message['bodySize'], body?.size ?? 0)
}

/** Some browsers write the fields of a form in `params` instead of `text`. */
function parsePostData(value: unknown): CapturedBody | null {
  const data = objectOrEmpty(value)
  const params = listOrEmpty(data['params'])
  const text = stringOrEmpty(data['text'])
  if (text === '' && params.length > 0) return parseForm(data, params)
  return text === '' && typeof data['comment'] !== 'string' ? null : createBody(data, text)
}

function parseForm(data: JsonRecord, params: readonly unknown[]): CapturedBody {
  const fields = parsePairs(params)
  if (FORM_TYPE.test(stringOrEmpty(data['mimeType'])))
    return createBody(data, fields.map((field) => field.join('=')).join('&'))
  const names = fields.map(([name]) => name).join(', ')
  return { ...createBody(data, ''), text: null, omitted: `The file has only the names of the parts: ${names}` }
}

function parseContent(value: unknown): CapturedBody | null {
  const content = objectOrEmpty(value)
  const { text, encoding } = content
  const size = numberOr(content['size'], 0)
  if (typeof text === 'string' && text !== '')
    return encoding === 'base64' ? decodeBody(content, text) : createBody(content, text)
  if (typeof content['comment'] === 'string') return { ...createBody(content, ''), size }
  return size === 0
    ? null
    : { ...createBody(content, ''), size, text: null, omitted: 'The file does not contain this body' }
}

/** In files of the console, a comment says why a body is cut off or missing. */
function createBody(source: JsonRecord, text: string): CapturedBody {
  const comment = textOr(source['comment'], null)
  const isOmitted = text === '' && comment !== null && comment !== CUT_COMMENT
  return {
    type: textOr(source['mimeType'], '') || null,
    size: numberOr(source['size'], new TextEncoder().encode(text).length),
    text: isOmitted ? null : text,
    hex: null,
    truncated: comment === CUT_COMMENT,
    omitted: isOmitted ? comment : null,
  }
}

function decodeBody(content: JsonRecord, text: string): CapturedBody {
  const body = createBody(content, text)
  const bytes = decodeBase64(text)
  if (bytes === null) return { ...body, text: null, omitted: 'The body in the file is not valid base64' }
  const sized = { ...body, size: numberOr(content['size'], bytes.length) }
  const decoded = TEXT_TYPE.test(body.type ?? '') ? decodeText(bytes) : null
  return decoded === null
    ? { ...sized, text: null, hex: toHex(bytes.subarray(0, MAX_HEX_BYTES)) }
    : { ...sized, text: decoded }
}

function decodeBase64(text: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function findHeader(headers: HeaderList, name: string): string | null {
  return headers.find(([header]) => header.toLowerCase() === name)?.[1] ?? null
}

function describeEntry(entry: JsonRecord, server: string): About[] {
  const timings = objectOrEmpty(entry['timings'])
  const parts = TIMINGS.flatMap((name): AboutPart[] => {
    const time = numberOr(timings[name], null)
    return time === null ? [] : [`${name} `, { ms: time }, ', ']
  })
  const address = stringOrEmpty(entry['serverIPAddress'])
  const comment = stringOrEmpty(entry['comment'])
  return [
    ['Server', [{ code: server }]],
    ['Time', [{ code: stringOrEmpty(entry['startedDateTime']) }]],
    ...(address === '' ? [] : [['Address', [{ code: address }]] as const]),
    ...(parts.length === 0 ? [] : [['Timings', parts.slice(0, -1)] as const]),
    ...(comment === '' ? [] : [['Comment', [comment]] as const]),
  ]
}
