/** Trails of calls that no app has answered. */
import type { RecordedTrail } from '#src/devconsole/record/recorded-trail.js'
import type { TrailAnswer, RecordedRequest } from '#src/observe/request-recorder.js'

/** What is known of a call in which nothing was notable. */
export const QUIET: RecordedRequest = {
  traceId: undefined,
  path: '/books/1',
  query: '',
  client: '127.0.0.1',
  endpoint: undefined,
  params: {},
  error: undefined,
  failure: undefined,
  isSecure: false,
  isAborted: false,
  headers: { host: 'localhost' },
  body: null,
  answer: null,
  streamed: 0,
  lines: [],
  version: undefined,
}

/** An answer with `ok`. */
export function okResponse(status = 200, data = 'ok'): TrailAnswer {
  return { status, headers: new Map(), payload: { type: 'text/plain', data } }
}

/** Answers a call with `ok`. */
export function endTrail(trail: RecordedTrail, facts: Partial<RecordedRequest> = {}): void {
  trail.end({ ...QUIET, path: trail.url, answer: okResponse(), ...facts })
}
