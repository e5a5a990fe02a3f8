/** Records of requests, without an app. */
import { findFlags } from '#src/devconsole/store/detectors.js'
import type { StoredRecord } from '#src/devconsole/store/record-store.js'
import type { RequestRecord } from '#src/devconsole/wire/request-types.js'

/** Builds a record of a successful request, with the given changes. */
export function createRecord(given: Partial<RequestRecord> = {}): RequestRecord {
  return {
    id: `r_${given.seq ?? 1}`,
    'dev.requestId': null,
    seq: 1,
    boot: 'aaaaaa',
    time: 1_000,
    'http.request.method': 'GET',
    'url.path': '/books/1',
    'url.query': '',
    'http.route': '/books/{id}',
    'http.response.status_code': 200,
    'code.function.name': 'Books.get',
    'process.pid': 1,
    'http.request.body.size': 0,
    'http.response.body.size': 10,
    'error.type': null,
    'dev.duration': 1,
    'dev.phases': [0, 0, 0, 0, 0, 1, 0, 0],
    'dev.db': 0,
    'dev.queries': 0,
    'dev.logs': 0,
    'dev.issues': 0,
    'dev.flags': [],
    'dev.version': null,
    'dev.replayOf': null,
    'dev.pinned': false,
    'url.scheme': 'http',
    'server.address': 'localhost',
    'client.address': '127.0.0.1',
    'user_agent.original': null,
    'network.protocol.version': '1.1',
    'code.file.path': null,
    'code.line.number': null,
    'dev.traceId': null,
    params: {},
    decorators: [],
    request: { headers: [], body: null },
    response: { headers: [], body: null },
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
    ...given,
  }
}

/** Builds a record like `recordWith`, with the flags that the recorder would set; `dev.flags` overrides them. */
export function createFlaggedRecord(given: Partial<RequestRecord> = {}): RequestRecord {
  const record = createRecord(given)
  return { ...record, 'dev.flags': given['dev.flags'] ?? findFlags(record, false) }
}

/** Builds a record with its size in bytes. */
export function createRecorded(given: Partial<RequestRecord> = {}, bytes = 100): StoredRecord {
  return { record: createRecord(given), bytes }
}
