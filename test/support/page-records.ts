/** Records as the page of the console receives them. */
import type { RequestRecord, RequestSummary } from '#src/devconsole/wire/request-types.js'

/**
 * Builds a summary of a successful request, with the given changes.
 */
export function summary(changes: Partial<RequestSummary> = {}): RequestSummary {
  return {
    id: 'r_1',
    'dev.requestId': null,
    seq: 1,
    boot: 'boot-a',
    time: Date.UTC(2026, 0, 2, 10, 0, 0, 250),
    'http.request.method': 'GET',
    'url.path': '/users/7',
    'url.query': '',
    'http.route': '/users/{id}',
    'http.response.status_code': 200,
    'code.function.name': 'User.get',
    'process.pid': 41,
    'client.address': '127.0.0.1',
    'http.request.body.size': 0,
    'http.response.body.size': 120,
    'error.type': null,
    'dev.duration': 10,
    'dev.phases': [1, 0, 0, 1, 0, 6, 1, 1],
    'dev.db': 0,
    'dev.queries': 0,
    'dev.logs': 0,
    'dev.issues': 0,
    'dev.flags': [],
    'dev.version': null,
    'dev.replayOf': null,
    'dev.pinned': false,
    ...changes,
  }
}

/**
 * Builds a record of a successful request, with the given changes.
 */
export function record(changes: Partial<RequestRecord> = {}): RequestRecord {
  return {
    ...summary(),
    'url.scheme': 'http',
    'server.address': 'localhost:3000',
    'client.address': '127.0.0.1',
    'user_agent.original': 'test',
    'network.protocol.version': '1.1',
    'code.file.path': null,
    'code.line.number': null,
    'dev.traceId': null,
    params: { id: '7' },
    decorators: [],
    request: { headers: [['host', 'localhost:3000']], body: null },
    response: { headers: [['content-type', 'application/json']], body: null },
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
    aborted: false,
    ...changes,
  }
}

/**
 * Builds a recorded JSON body.
 */
export function jsonBody(text: string): RequestRecord['request']['body'] {
  return { type: 'application/json', size: text.length, text, hex: null, truncated: false, omitted: null }
}
