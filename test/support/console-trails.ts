/** Trails of requests, without an app. */
import type { RecordedTrail } from '#src/devconsole/record/recorded-trail.js'
import type { RecordedResponse, RecordedRequest } from '#src/observe/request-recorder.js'

/** Facts about a request without errors, log lines or a body. */
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
  response: null,
  streamed: 0,
  lines: [],
  version: undefined,
}

/** Builds a response with the body `ok`. */
export function okResponse(status = 200, data = 'ok'): RecordedResponse {
  return { status, headers: new Map(), payload: { type: 'text/plain', data } }
}

/** Ends a trail with the response `ok`. */
export function endTrail(trail: RecordedTrail, facts: Partial<RecordedRequest> = {}): void {
  trail.end({ ...QUIET, path: trail.url, response: okResponse(), ...facts })
}
