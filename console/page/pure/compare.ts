/** Comparison of two requests to the same endpoint. */
import { PHASES, type RequestSummary } from '../../../src/devconsole/wire/request-types.js'
import { isOfFile } from './runs.js'
import { PHASE_NAMES } from './waterfall.js'

/** A duration in both requests. */
export interface Delta {
  readonly name: string
  readonly before: number
  readonly after: number
  /** Whether the second request is slower by more than 25 % and 0.5 ms. */
  readonly isWorse: boolean
}

/** Requests to compare with. */
interface Candidates {
  /** The last successful request to the endpoint before this one. */
  readonly previous: RequestSummary | null
  /** Pinned requests to the endpoint, newest first. */
  readonly pinned: readonly RequestSummary[]
}

export function candidatesFor(summary: RequestSummary, records: readonly RequestSummary[]): Candidates {
  const same = records.filter((record) => {
    return record.id !== summary.id && isSameEndpoint(record, summary) && isOfFile(record) === isOfFile(summary)
  })
  const earlier = same.filter((record) => record.time <= summary.time && isSuccess(record))
  return { previous: earlier[0] ?? null, pinned: same.filter((record) => record['dev.pinned']) }
}

/** Finds the original of a replay. Returns `null` if it is not listed. */
export function findOriginal(summary: RequestSummary, records: readonly RequestSummary[]): RequestSummary | null {
  return records.find((record) => record.id === summary['dev.replayOf']) ?? null
}

export function isSameEndpoint(a: RequestSummary, b: RequestSummary): boolean {
  return (
    a['http.route'] === b['http.route'] &&
    a['http.request.method'] === b['http.request.method'] &&
    a['code.function.name'] === b['code.function.name']
  )
}

/** Compares the phases that ran, and the total. */
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

/** Whether the status is 2xx or 3xx. */
export function isSuccess(summary: RequestSummary): boolean {
  const status = summary['http.response.status_code']
  return status >= 200 && status < 400
}
