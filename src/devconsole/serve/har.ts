/** Exports records as HTTP Archive 1.2, which browsers and other tools can open. Secrets were replaced before records were stored. */
import { CUT_COMMENT } from '../wire/har-marks.js'
import { PHASES, type CapturedBody, type HeaderList, type Message, type RequestRecord } from '../wire/request-types.js'

type HarPairs = readonly { readonly name: string; readonly value: string }[]

interface HarBody {
  readonly mimeType: string
  readonly text?: string
  readonly comment?: string
}

interface HarMessage {
  readonly httpVersion: string
  readonly headers: HarPairs
  readonly cookies: HarPairs
  readonly headersSize: number
  readonly bodySize: number
}

interface HarRequest extends HarMessage {
  readonly method: string
  readonly url: string
  readonly queryString: HarPairs
  readonly postData?: HarBody
}

interface HarResponse extends HarMessage {
  readonly status: number
  readonly statusText: string
  readonly content: HarBody & { readonly size: number }
  readonly redirectURL: string
}

export interface HarEntry {
  readonly startedDateTime: string
  readonly time: number
  readonly request: HarRequest
  readonly response: HarResponse
  readonly cache: object
  readonly timings: Readonly<Record<'blocked' | 'dns' | 'connect' | 'send' | 'wait' | 'receive', number>>
  readonly _id: string
  /** Durations in ms by phase name; empty if phases were not recorded. */
  readonly _phases: Readonly<Record<string, number>>
}

type HarCreator = Readonly<Record<'name' | 'version', string>>

export interface Har {
  readonly log: { readonly version: '1.2'; readonly creator: HarCreator; readonly entries: readonly HarEntry[] }
}

export function toHar(records: readonly RequestRecord[], creator: HarCreator): Har {
  const entries = records.toSorted((a, b) => a.time - b.time).map(toHarEntry)
  return { log: { version: '1.2', creator, entries } }
}

function toHarEntry(record: RequestRecord): HarEntry {
  const duration = record['dev.duration']
  const send = record['dev.phases'][PHASES.indexOf('send')] ?? 0
  return {
    startedDateTime: new Date(record.time).toISOString(),
    time: duration,
    request: toHarRequest(record),
    response: toHarResponse(record),
    cache: {},
    timings: { blocked: -1, dns: -1, connect: -1, send: 0, wait: Math.max(0, duration - send), receive: send },
    _id: record.id,
    _phases: Object.fromEntries(record['dev.phases'].map((time, index) => [PHASES[index], time])),
  }
}

function toHarRequest(record: RequestRecord): HarRequest {
  const { headers, body } = record.request
  const query = record['url.query']
  const host = findHeader(headers, 'host') || record['server.address']
  return {
    method: record['http.request.method'],
    url: `${record['url.scheme']}://${host}${record['url.path']}${query === '' ? '' : `?${query}`}`,
    ...toHarMessage(record, record.request, record['http.request.body.size']),
    queryString: [...new URLSearchParams(query)].map(([name, value]) => ({ name, value })),
    ...(body === null
      ? {}
      : { postData: { mimeType: body.type ?? '', text: body.text ?? '', ...omissionComment(body) } }),
  }
}

function toHarResponse(record: RequestRecord): HarResponse {
  const { headers, body } = record.response
  const text = body === null || body.text === null ? {} : { text: body.text }
  return {
    status: record['http.response.status_code'],
    statusText: '',
    ...toHarMessage(record, record.response, record['http.response.body.size']),
    content: {
      size: body?.size ?? 0,
      mimeType: body?.type ?? '',
      ...text,
      ...(body === null ? {} : omissionComment(body)),
    },
    redirectURL: findHeader(headers, 'location'),
  }
}

/** `cookies` is empty, because all cookie values are secret. The headers contain the cookies with redacted values. */
function toHarMessage(record: RequestRecord, message: Message, bodySize: number): HarMessage {
  return {
    httpVersion: `HTTP/${record['network.protocol.version']}`,
    headers: message.headers.map(([name, value]) => ({ name, value })),
    cookies: [],
    headersSize: -1,
    bodySize,
  }
}

function omissionComment(body: CapturedBody): { readonly comment?: string } {
  if (body.omitted !== null) return { comment: body.omitted }
  return body.truncated ? { comment: CUT_COMMENT } : {}
}

function findHeader(headers: HeaderList, name: string): string {
  return headers.find(([field]) => field.toLowerCase() === name)?.[1] ?? ''
}
