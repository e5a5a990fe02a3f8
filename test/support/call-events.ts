/** Events of telemetry for tests of those who listen. */
import type { RequestEnd } from '#src/observe/event-types.js'

/** The end of a call that nothing answered, with status 200 unless it says otherwise. */
export function callEnd(more: Partial<RequestEnd>): RequestEnd {
  return {
    requestId: 'r1',
    traceId: undefined,
    route: undefined,
    method: 'GET',
    template: undefined,
    path: '/',
    version: undefined,
    status: 200,
    aborted: false,
    duration: 1,
    error: undefined,
    input: { params: {}, query: undefined, headers: undefined, cookies: undefined, body: undefined },
    output: undefined,
    meta: undefined,
    endpoint: undefined,
    ...more,
  }
}
