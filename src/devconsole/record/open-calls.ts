/** Requests in progress, oldest first. Finds the long-running ones, and the ones that ran while the event loop was blocked. */
import type { RecordedTrail } from './recorded-trail.js'
import type { LoopStall } from './stall-detector.js'
import { cut } from '../redact/cut.js'
import type { RecordStore } from '../store/record-store.js'
import type { OpenCall } from '../wire/feed-types.js'

/** Maximum number of tracked requests, because an app that never responds must not fill the memory. */
const MAX_OPEN = 2_000
const MAX_LISTED = 100
const MAX_ROUTE_LENGTH = 500
/** Minimum share of a stall during which a request must have run to be named, and maximum number of named requests. */
const MIN_SHARE = 0.1
const MAX_NAMED = 5

/** A request and its times, in ms of `performance.now()`. */
interface RequestSpan {
  readonly name: string
  readonly began: number
  readonly ended: number
}

export class CallsInWork extends Set<RecordedTrail> {
  readonly #store: RecordStore

  constructor(store: RecordStore) {
    super()
    this.#store = store
  }

  override add(trail: RecordedTrail): this {
    return this.size < MAX_OPEN ? super.add(trail) : this
  }

  longerThan(age: number): OpenCall[] {
    const limit = performance.now() - age
    const old = [...this].filter(({ began }) => began < limit).slice(0, MAX_LISTED)
    return old.map((trail) => ({ id: trail.id, method: trail.method, route: routeLabel(trail), since: trail.time }))
  }

  /** Returns names of requests that ran during a stall. Includes ended requests, because the blocking request has often ended. */
  during(time: Pick<LoopStall, 'from' | 'to'>): string[] {
    const open = Array.from(this, (trail): RequestSpan => {
      return { name: `${trail.method} ${routeLabel(trail)}`, began: trail.began, ended: time.to }
    })
    const offset = Date.now() - performance.now()
    const ended = this.#store.all.map(({ record }): RequestSpan => {
      const began = record.time - offset
      const name = `${record['http.request.method']} ${record['http.route'] ?? record['url.path']}`
      return { name, began, ended: began + record['dev.duration'] }
    })
    return suspectNames([...open, ...ended], time)
  }
}

/** Returns the template if one matches, because a path can contain a secret that only its parameter name reveals. */
function routeLabel({ template, url, hider }: RecordedTrail): string {
  return template ?? hider.encoded(cut(url.split('?', 1).join(''), MAX_ROUTE_LENGTH))
}

/** Sorts requests by the share of their time in the stall. The share of a request that only waited is smaller. */
function suspectNames(requests: readonly RequestSpan[], { from, to }: Pick<LoopStall, 'from' | 'to'>): string[] {
  const suspects = requests
    .map((request) => ({ ...request, overlap: Math.min(to, request.ended) - Math.max(from, request.began) }))
    .filter(({ overlap }) => overlap > (to - from) * MIN_SHARE)
    .toSorted((a, b) => b.overlap / (b.ended - b.began) - a.overlap / (a.ended - a.began))
  return [...new Set(suspects.map(({ name }) => name))].slice(0, MAX_NAMED)
}
