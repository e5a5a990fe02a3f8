/** Summaries of requests for the list. */
import type { RequestSummary } from './request-types.js'

type WritableSummary = { -readonly [Key in keyof RequestSummary]: RequestSummary[Key] }

/** Members of a summary before any value is set. */
export const EMPTY_SUMMARY: RequestSummary = {
  id: '',
  'dev.requestId': null,
  seq: 0,
  boot: '',
  time: 0,
  'http.request.method': '',
  'url.path': '',
  'url.query': '',
  'http.route': null,
  'http.response.status_code': 0,
  'code.function.name': null,
  'process.pid': 0,
  'client.address': null,
  'http.request.body.size': 0,
  'http.response.body.size': 0,
  'error.type': null,
  'dev.duration': 0,
  'dev.phases': [],
  'dev.db': 0,
  'dev.queries': 0,
  'dev.logs': 0,
  'dev.issues': 0,
  'dev.flags': [],
  'dev.version': null,
  'dev.replayOf': null,
  'dev.pinned': false,
}

// Proof: the object above has exactly the keys of its type.
const KEYS = Object.keys(EMPTY_SUMMARY) as (keyof RequestSummary)[]

/** Returns only the members of a record that the list needs. */
export function pickSummary(record: RequestSummary): RequestSummary {
  const summary: WritableSummary = { ...EMPTY_SUMMARY }
  for (const key of KEYS) copyMember(summary, record, key)
  return summary
}

function copyMember<Key extends keyof RequestSummary>(target: WritableSummary, source: RequestSummary, key: Key): void {
  target[key] = source[key]
}
