/**
 * A record before anything is in it. All records begin as this one literal, so that they have one shape: put together of parts by
 * spreading, each took 22 µs instead of 1 (Node 20).
 */
import type { RequestRecord } from '../wire/request-types.js'

/** A record that is being filled. */
export type Filling = { -readonly [Key in keyof RequestRecord]: RequestRecord[Key] }

/** Makes a record with nothing in it. */
export function blankRecord(): Filling {
  return {
    id: '',
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
    'http.request.body.size': 0,
    'http.response.body.size': 0,
    'error.type': null,
    'dev.duration': 0,
    'dev.phases': NONE,
    'dev.db': 0,
    'dev.logs': 0,
    'dev.issues': 0,
    'dev.flags': NONE,
    'dev.version': null,
    'dev.replayOf': null,
    'dev.pinned': false,
    'url.scheme': 'http',
    'server.address': '',
    'client.address': null,
    'user_agent.original': null,
    'network.protocol.version': '1.1',
    'code.file.path': null,
    'code.line.number': null,
    'dev.traceId': null,
    params: NOTHING,
    decorators: NONE,
    request: EMPTY,
    response: EMPTY,
    calls: NONE,
    callsMore: 0,
    repeated: NONE,
    logs: NONE,
    issues: NONE,
    vendor: null,
    error: null,
    version: null,
    aborted: false,
  }
}

const NONE: readonly never[] = []
const NOTHING = {}
const EMPTY = { headers: NONE, body: null }
