/** From the trail of a call to the record that is kept of it. */
import { toMicros } from '../metrics/histogram.js'
import { blankRecord, type Filling } from './blank-record.js'
import { describeError, nameOfError, nameRoute } from './error-detail.js'
import { readIssues } from './issues.js'
import { fillOrigin, fillTarget, type Ended, type RecordScope } from './record-head.js'
import { flagsOf, requestOf, responseOf, versionOf } from './record-parts.js'
import { sizeOf } from './record-size.js'
import type { Recorded } from './store.js'
import { PHASES } from './wire.js'

/** Makes a record. Secrets are replaced here: what comes out of it may be shown. */
export function makeRecord(all: RecordScope, ended: Ended, seq: number): Recorded {
  const record = blankRecord()
  const { trail, facts } = ended
  if (facts.answer !== null) trail.gatherAnswer(facts.answer)
  const scope = { ...all, hider: trail.hider }
  record.seq = seq
  fillTarget(record, scope, ended)
  fillOrigin(record, scope.hider, ended)
  fillMessages(record, scope, ended)
  fillWork(record, scope, ended)
  if (ended.facts.error !== undefined) fillError(record, scope, ended)
  fillOutcome(record, scope, ended)
  return { record, bytes: sizeOf(record) + ended.trail.lineBytes }
}

function fillMessages(record: Filling, { hider, settings }: RecordScope, { trail, facts, headers }: Ended): void {
  const kept = { hider, capture: settings.captureBodies }
  record.request = requestOf(kept, facts.body, headers)
  record.response = responseOf(kept, facts, trail.method)
  if (record.request.body !== null) record['http.request.body.size'] = record.request.body.size
  if (record.response.body !== null) record['http.response.body.size'] = record.response.body.size
}

/** What it did on its way: phases, calls of services, lines. */
function fillWork(record: Filling, { root }: RecordScope, { trail }: Ended): void {
  const { calls, lines } = trail
  record['dev.phases'] = trail.durations.slice(0, PHASES.length).map(toMicros)
  record['dev.logs'] = trail.lineCount
  if (lines.length > 0) record.logs = lines.map(({ line }) => line)
  if (calls === null) return
  record['dev.db'] = calls.count
  calls.hideAgain()
  record.calls = calls.list
  record.callsMore = calls.count - calls.list.length
  record.repeated = calls.repeated(root)
}

function fillError(record: Filling, { hider, root }: RecordScope, { facts, headers, endpoint }: Ended): void {
  const { error, query, params, answer } = facts
  if (answer !== null && answer.status >= 500) {
    record['error.type'] = nameOfError(error)
    const described = describeError(error, root, hider)
    record.error = endpoint === null ? described : nameRoute(described, endpoint.route)
  }
  const body = record.request.body === null ? null : record.request.body.text
  record.issues = readIssues(error, { query, params, headers, body }, hider)
  record['dev.issues'] = record.issues.length
  if (record.issues.length > 0 && endpoint !== null) record.vendor = endpoint.vendor
}

function fillOutcome(record: Filling, { settings, versioning, hider }: RecordScope, { facts, duration }: Ended): void {
  const { issues, repeated } = record
  const status = facts.answer === null ? 0 : facts.answer.status
  const version = versionOf(facts.version, versioning, hider)
  record['http.response.status_code'] = status
  record['dev.duration'] = toMicros(duration)
  record.aborted = facts.isAborted
  record.version = version
  if (version !== null) {
    record['dev.version'] = { asked: version.asked, constraint: version.constraint, ok: version.ok }
  }
  const isSlow = duration > settings.slow
  record['dev.flags'] = flagsOf({
    status,
    isSlow,
    isAborted: facts.isAborted,
    isRepeated: repeated.length > 0,
    issues,
    version,
  })
}
