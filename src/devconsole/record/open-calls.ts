/** The calls in work, oldest first: those that have been for long, and those that were while the event loop stood still. */
import type { RecordedTrail } from './recorded-trail.js'
import type { Stall } from './stall-detector.js'
import { cut } from '../redact/cut.js'
import type { RecordStore } from '../store/record-store.js'
import type { OpenCall } from '../wire/feed-types.js'

/** Calls that are known; an app that never answers must not fill the memory. */
const MAX_OPEN = 2_000
const MAX_LISTED = 100
const MAX_ROUTE_LENGTH = 500
/** Of a stall, what a call must have been in work for to be named with it, and how many are. */
const MIN_SHARE = 0.1
const MAX_NAMED = 5

/** A call, in ms of `performance.now()`. */
interface Working {
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

  /** Names calls that were in work during a time, ended ones too: what holds up the event loop has often been answered by now. */
  during(time: Pick<Stall, 'from' | 'to'>): string[] {
    const open = Array.from(this, (trail): Working => {
      return { name: `${trail.method} ${routeLabel(trail)}`, began: trail.began, ended: time.to }
    })
    const offset = Date.now() - performance.now()
    const ended = this.#store.all.map(({ record }): Working => {
      const began = record.time - offset
      const name = `${record['http.request.method']} ${record['http.route'] ?? record['url.path']}`
      return { name, began, ended: began + record['dev.duration'] }
    })
    return namesInWork([...open, ...ended], time)
  }
}

/** Its template, where one matches: a path may hold a secret that only the name of its parameter tells. */
function routeLabel({ template, url, hider }: RecordedTrail): string {
  return template ?? hider.encoded(cut(url.split('?', 1).join(''), MAX_ROUTE_LENGTH))
}

/** First those that spent most of their own time in it: what only waited for something else has spent less. */
function namesInWork(calls: readonly Working[], { from, to }: Pick<Stall, 'from' | 'to'>): string[] {
  const suspects = calls
    .map((call) => ({ ...call, shared: Math.min(to, call.ended) - Math.max(from, call.began) }))
    .filter(({ shared }) => shared > (to - from) * MIN_SHARE)
    .toSorted((a, b) => b.shared / (b.ended - b.began) - a.shared / (a.ended - a.began))
  return [...new Set(suspects.map(({ name }) => name))].slice(0, MAX_NAMED)
}
