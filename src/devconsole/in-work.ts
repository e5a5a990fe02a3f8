/** What was in work while the event loop stood still. */
import type { Recorded } from './store.js'

/** Of a stall, what a call must have been in work for to be named with it, and how many are. */
const LEAST_SHARE = 0.1
const MOST_NAMED = 5

/** A call, in ms of `performance.now()`. */
export interface Working {
  /** `GET /users/{id}`. */
  readonly name: string
  readonly began: number
  readonly ended: number
}

/**
 * Names the calls that were in work during a time, first those that spent most of their own time in it: what only waited for
 * something else has spent less.
 *
 * @param calls that were in work at any time
 * @param time begin and end, in ms of `performance.now()`
 * @returns each name once
 */
export function namesInWork(
  calls: readonly Working[],
  { from, to }: { readonly from: number; readonly to: number },
): string[] {
  const found = calls
    .map(({ name, began, ended }) => ({
      name,
      length: ended - began,
      shared: Math.min(to, ended) - Math.max(from, began),
    }))
    .filter(({ shared }) => shared > (to - from) * LEAST_SHARE)
    .toSorted((a, b) => b.shared / b.length - a.shared / a.length)
  return [...new Set(found.map(({ name }) => name))].slice(0, MOST_NAMED)
}

/**
 * A call that has ended, as one that was in work.
 *
 * @param recorded of it
 * @returns its name, and when it was
 */
export function endedWork({ record }: Recorded): Working {
  const began = record.time - (Date.now() - performance.now())
  const name = `${record['http.request.method']} ${record['http.route'] ?? record['url.path']}`
  return { name, began, ended: began + record['dev.duration'] }
}
