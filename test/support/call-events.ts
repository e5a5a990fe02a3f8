/** Telemetry events for tests of subscribers. */
import type { RequestEnd } from '#src/observe/event-types.js'

/** Builds the end event of a request without a route, with status 200 by default. */
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
