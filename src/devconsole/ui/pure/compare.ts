/** Two records side by side. */
import { PHASES, type RequestSummary } from '../../wire/request-types.js'
import { isOfFile } from './runs.js'
import { PHASE_NAMES } from './waterfall.js'

/** A duration of both. */
export interface Delta {
  readonly name: string
  readonly before: number
  readonly after: number
  /** Whether the second is notably slower: by a quarter and half a millisecond. */
  readonly isWorse: boolean
}

/** What can be compared. */
interface Candidates {
  /** The newest successful call of the same endpoint before it. */
  readonly previous: RequestSummary | null
  /** Pinned calls of the same endpoint, newest first. */
  readonly pinned: readonly RequestSummary[]
}

/** Finds what a call can be compared with. */
export function candidatesFor(summary: RequestSummary, records: readonly RequestSummary[]): Candidates {
  const same = records.filter((record) => {
    return record.id !== summary.id && isSameEndpoint(record, summary) && isOfFile(record) === isOfFile(summary)
  })
  const earlier = same.filter((record) => record.time <= summary.time && isSuccess(record))
  return { previous: earlier[0] ?? null, pinned: same.filter((record) => record['dev.pinned']) }
}

/** Finds the request of which a call is a replay. Returns `null` if it is not listed. */
export function findOriginal(summary: RequestSummary, records: readonly RequestSummary[]): RequestSummary | null {
  return records.find((record) => record.id === summary['dev.replayOf']) ?? null
}

/** Tells whether two calls went to the same endpoint. */
export function isSameEndpoint(a: RequestSummary, b: RequestSummary): boolean {
  return (
    a['http.route'] === b['http.route'] &&
    a['http.request.method'] === b['http.request.method'] &&
    a['code.function.name'] === b['code.function.name']
  )
}

/** The phases of both, then the total. */
export function compareSummaries(before: RequestSummary, after: RequestSummary): readonly Delta[] {
  const phases = PHASES.map((phase, index) =>
    buildDelta(PHASE_NAMES[phase], before['dev.phases'][index] ?? 0, after['dev.phases'][index] ?? 0),
  )
  const ran = phases.filter((delta) => delta.before > 0 || delta.after > 0)
  return [...ran, buildDelta('Total', before['dev.duration'], after['dev.duration'])]
}

function buildDelta(name: string, before: number, after: number): Delta {
  return { name, before, after, isWorse: after > before * 1.25 && after - before > 0.5 }
}

/** Tells whether a call went well. */
export function isSuccess(summary: RequestSummary): boolean {
  const status = summary['http.response.status_code']
  return status >= 200 && status < 400
}
