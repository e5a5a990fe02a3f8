/** Trails of calls that no app has answered. */
import type { RecordedTrail } from '#src/devconsole/recorded-trail.js'
import type { TrailFacts } from '#src/telemetry/trail.js'

/** What is known of a call in which nothing was notable. */
export const QUIET: TrailFacts = {
  traceId: undefined,
  path: '/books/1',
  query: '',
  client: '127.0.0.1',
  endpoint: undefined,
  params: {},
  error: undefined,
  isSecure: false,
  isAborted: false,
  headers: { host: 'localhost' },
  lines: [],
  version: undefined,
}

/** Answers a call with `ok`. */
export function endOf(trail: RecordedTrail, facts: Partial<TrailFacts> = {}): void {
  trail.answer = { status: 200, headers: new Map(), payload: { type: 'text/plain', data: 'ok' } }
  trail.end({ ...QUIET, path: trail.url, ...facts })
}
