/** HTTP Archive 1.2 of records: what browsers and other tools open. Secrets were replaced before records were stored. */
import { PHASES, type CapturedBody, type HeaderList, type Message, type RequestRecord } from '../wire/request-types.js'

export type Har = ReturnType<typeof toHar>
export type HarEntry = ReturnType<typeof entryOf>

export function toHar(records: readonly RequestRecord[], creator: { readonly name: string; readonly version: string }) {
  const entries = records.toSorted((a, b) => a.time - b.time).map(entryOf)
  return { log: { version: '1.2', creator, entries } }
}

function entryOf(record: RequestRecord) {
  const phases = record['dev.phases'].map((duration, index) => [PHASES[index], duration])
  const send = record['dev.phases'][PHASES.indexOf('send')] ?? 0
  return {
    startedDateTime: new Date(record.time).toISOString(),
    time: record['dev.duration'],
    request: requestOf(record),
    response: responseOf(record),
    cache: {},
    timings: {
      blocked: -1,
      dns: -1,
      connect: -1,
      send: 0,
      wait: Math.max(0, record['dev.duration'] - send),
      receive: send,
    },
    _id: record.id,
    _phases: Object.fromEntries(phases),
  }
}

function requestOf(record: RequestRecord) {
  const { headers, body } = record.request
  const query = record['url.query']
  const host = valueOf(headers, 'host') || record['server.address']
  return {
    method: record['http.request.method'],
    url: `${record['url.scheme']}://${host}${record['url.path']}${query === '' ? '' : `?${query}`}`,
    ...sharedOf(record, record.request),
    queryString: [...new URLSearchParams(query)].map(([name, value]) => ({ name, value })),
    bodySize: record['http.request.body.size'],
    ...(body === null ? {} : { postData: { mimeType: body.type ?? '', text: body.text ?? '', ...commentOf(body) } }),
  }
}

function responseOf(record: RequestRecord) {
  const { headers, body } = record.response
  const text = body === null || body.text === null ? {} : { text: body.text }
  return {
    status: record['http.response.status_code'],
    statusText: '',
    ...sharedOf(record, record.response),
    content: { size: body?.size ?? 0, mimeType: body?.type ?? '', ...text, ...(body === null ? {} : commentOf(body)) },
    redirectURL: valueOf(headers, 'location'),
    bodySize: record['http.response.body.size'],
  }
}

/** Cookies are all secrets: their header is among the headers, their values are nowhere. */
function sharedOf(record: RequestRecord, message: Message) {
  return {
    httpVersion: `HTTP/${record['network.protocol.version']}`,
    headers: message.headers.map(([name, value]) => ({ name, value })),
    cookies: [],
    headersSize: -1,
  }
}

function commentOf(body: CapturedBody): { readonly comment?: string } {
  if (body.omitted !== null) return { comment: body.omitted }
  return body.truncated ? { comment: 'Only the beginning was kept' } : {}
}

function valueOf(headers: HeaderList, name: string): string {
  return headers.find(([field]) => field.toLowerCase() === name)?.[1] ?? ''
}
