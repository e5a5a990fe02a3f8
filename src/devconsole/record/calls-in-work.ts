/** The calls in work: those that have been for long, and those that were while the event loop stood still. */
import { cut } from '../redact/cut.js'
import type { OpenCalls } from './open-calls.js'
import type { RecordScope } from './make-record.js'
import type { RecordedTrail } from './recorded-trail.js'
import type { KeptRecord, RecordStore } from '../store/record-store.js'
import type { OpenCall } from '../wire/feed-types.js'

const MOST_OPEN = 100
const LONGEST_ROUTE = 500
/** Of a stall, what a call must have been in work for to be named with it, and how many are. */
const LEAST_SHARE = 0.1
const MOST_NAMED = 5

export interface CallsInWorkParts {
  readonly open: OpenCalls
  readonly store: RecordStore
  readonly scope: Pick<RecordScope, 'hider'>
}

/** A call, in ms of `performance.now()`. */
interface Working {
  /** `GET /users/{id}`. */
  readonly name: string
  readonly began: number
  readonly ended: number
}

export class CallsInWork {
  readonly #parts: CallsInWorkParts

  constructor(parts: CallsInWorkParts) {
    this.#parts = parts
  }

  longerThan(age: number): OpenCall[] {
    const limit = performance.now() - age
    const old = [...this.#parts.open].filter(({ began }) => began < limit).slice(0, MOST_OPEN)
    return old.map((trail) => ({ id: trail.id, method: trail.method, route: this.#routeOf(trail), since: trail.time }))
  }

  /**
   * Calls that were in work during a time, also when they have ended since: what holds up the event loop is often
   * answered before anything else can look at it. Returns `GET /users/{id}`, first what most likely took that time.
   */
  during(time: { readonly from: number; readonly to: number }): string[] {
    const open = Array.from(this.#parts.open, (trail) => {
      return { name: `${trail.method} ${this.#routeOf(trail)}`, began: trail.began, ended: time.to }
    })
    const offset = Date.now() - performance.now()
    const ended = this.#parts.store.all.map((recorded) => endedWork(recorded, offset))
    return namesInWork([...open, ...ended], time)
  }

  /** Its template, where one matches: a path may hold a secret that only the name of its parameter tells. */
  #routeOf({ template, url, hider }: RecordedTrail): string {
    return template ?? hider.encoded(cut(url.split('?', 1).join(''), LONGEST_ROUTE))
  }
}

/**
 * Names the calls that were in work during a time, first those that spent most of their own time in it: what only waited for
 * something else has spent less. Each name stands once.
 */
function namesInWork(
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

function endedWork({ record }: KeptRecord, offset: number): Working {
  const began = record.time - offset
  const name = `${record['http.request.method']} ${record['http.route'] ?? record['url.path']}`
  return { name, began, ended: began + record['dev.duration'] }
}
