/** What is wrong with one request: each kind of incident with what tells it from others of its kind. */
import type { KnownEndpoint } from '../host/endpoints.js'
import { framesOf } from '../host/stack.js'
import type { Incident } from '../wire/feed-types.js'
import type { RequestRecord } from '../wire/request-types.js'

const LARGE_BYTES = 1024 * 1024
/** Fields of one request that are told apart. */
const MOST_FIELDS = 5

/** One detection of an incident. */
export type Detection = Pick<Incident, 'key' | 'kind' | 'title' | 'detail' | 'unit' | 'facts' | 'query'>

/** Looks for incidents in a request. */
export function detect(record: RequestRecord, slow: number): Detection[] {
  return [
    ...exceptions(record),
    ...slowCalls(record, slow),
    ...invalid(record),
    ...repeated(record),
    ...mismatches(record),
    ...unanswered(record),
    ...large(record),
  ]
}

function placeOf(record: RequestRecord): string {
  return `${record['http.request.method']} ${record['http.route'] ?? '(no route)'}`
}

function handlerOf(record: RequestRecord): string {
  return record['code.function.name'] ?? placeOf(record)
}

function queryFor(record: RequestRecord, rest: string): string {
  const handler = record['code.function.name']
  return handler === null ? rest : `handler:${handler} ${rest}`
}

function exceptions(record: RequestRecord): Detection[] {
  const { error } = record
  if (error === null || record['dev.flags'].includes('mismatch')) return []
  const frame = framesOf(error).find(({ kind }) => kind === 'app')
  const site = frame === undefined ? '' : `${frame.file}:${frame.line}`
  return [
    {
      key: `exception ${error.name} ${site} ${handlerOf(record)}`,
      kind: 'exception',
      title: [`${error.name} in `, handlerOf(record)],
      detail: error.message,
      unit: 'times',
      facts: [placeOf(record), ...(site === '' ? [] : [site])],
      query: queryFor(record, 'is:error'),
    },
  ]
}

function slowCalls(record: RequestRecord, slow: number): Detection[] {
  if (!record['dev.flags'].includes('slow')) return []
  const worst = [...record.calls].toSorted((a, b) => b.duration - a.duration)[0]
  const share = worst === undefined ? 0 : Math.round((worst.duration / record['dev.duration']) * 100)
  const detail = `It took ${Math.round(record['dev.duration'])} ms, against a limit of ${slow} ms.`
  return [
    {
      key: `slow ${placeOf(record)}`,
      kind: 'slow',
      title: ['Slow endpoint ', handlerOf(record)],
      detail: worst === undefined ? detail : `${detail} ${share}% of the last one was ${worst.name}.`,
      unit: 'slow calls',
      facts: [placeOf(record)],
      query: queryFor(record, 'is:slow'),
    },
  ]
}

function invalid(record: RequestRecord): Detection[] {
  const issues = record.issues.filter(({ side }) => side === 'request')
  return [...new Map(issues.map((issue) => [`${issue.where} ${issue.message}`, issue])).values()]
    .slice(0, MOST_FIELDS)
    .map((issue) => ({
      key: `invalid ${placeOf(record)} ${issue.where} ${issue.message}`,
      kind: 'invalid',
      title: ['Clients send an invalid ', issue.where],
      detail: issue.message,
      unit: 'requests',
      facts: [placeOf(record)],
      query: queryFor(record, 'is:invalid'),
    }))
}

function repeated(record: RequestRecord): Detection[] {
  return record.repeated.map(({ name, count, site }) => ({
    key: `repeated ${placeOf(record)} ${name}`,
    kind: 'repeated',
    title: ['Looks like a repeated call: ', name],
    detail: `${handlerOf(record)} called it ${count} times in one request. One call for all may do.`,
    unit: 'requests',
    facts: [placeOf(record), ...(site === null ? [] : [`${site.file}:${site.line}`])],
    query: queryFor(record, 'is:n+1'),
  }))
}

function mismatches(record: RequestRecord): Detection[] {
  if (!record['dev.flags'].includes('mismatch')) return []
  const [issue] = record.issues
  return [
    {
      key: `mismatch ${placeOf(record)}`,
      kind: 'mismatch',
      title: ['The answer does not keep to its contract: ', handlerOf(record)],
      detail: issue === undefined ? '' : `${issue.where}: ${issue.message}`,
      unit: 'times',
      facts: [placeOf(record)],
      query: queryFor(record, 'status:5xx'),
    },
  ]
}

/** No endpoint has answered, so path and versions tell one from another. */
function unanswered(record: RequestRecord): Detection[] {
  const { version } = record
  if (version === null || version.ok) return []
  const place = placeOf(record)
  const asked = version.isDefault ? `none, so for ${version.asked}, the default` : `${version.asked} in ${version.from}`
  return [
    {
      key: `version ${place} ${version.constraint}`,
      kind: 'version',
      title: ['Clients ask for a version that is not there: ', place],
      detail: `The last one asked for ${asked}. There is ${version.alternatives.join(' and ')}.`,
      unit: 'requests',
      facts: [],
      query: `template:${String(record['http.route'])} status:${record['http.response.status_code']}`,
    },
  ]
}

function large(record: RequestRecord): Detection[] {
  const size = record['http.response.body.size']
  if (size <= LARGE_BYTES) return []
  return [
    {
      key: `large ${placeOf(record)}`,
      kind: 'large',
      title: ['Large answer of ', handlerOf(record)],
      detail: `The last one had ${(size / LARGE_BYTES).toFixed(1)} MB.`,
      unit: 'times',
      facts: [placeOf(record)],
      query: queryFor(record, 'size:>1mb'),
    },
  ]
}

/** A call that has been in work for so long that nothing looks like ever answering it. */
export function silent(method: string, endpoint: KnownEndpoint | null, age: number): Detection {
  const place = endpoint === null ? `${method} (no route)` : `${method} ${endpoint.path}`
  return {
    key: `silent ${place}`,
    kind: 'silent',
    title: ['Looks as if it never answers: ', endpoint === null ? place : endpoint.handler],
    detail: `A call has had no answer for ${age / 1000} s. A promise may never settle, or a callback never come.`,
    unit: 'times',
    facts: [place],
    query: '',
  }
}

/** One client has asked for the same again and again. */
export function burst(record: RequestRecord, count: number): Detection {
  return {
    key: `burst ${placeOf(record)}`,
    kind: 'burst',
    title: ['Looks like a loop: the same request again and again, ', placeOf(record)],
    detail: `One client has sent it ${count} times within a second. A retry without a pause may be behind it, or an effect that runs at each change.`,
    unit: 'times',
    facts: [placeOf(record)],
    query: queryFor(record, `method:${record['http.request.method']}`),
  }
}
