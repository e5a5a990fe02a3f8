/**
 * Finds the request that a piece of work belongs to. All consoles of a process share one async context, so that the innermost request
 * counts if one app calls another.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { CallContext, RequestRecorder } from '../../observe/request-recorder.js'
import { RecordedTrail } from './recorded-trail.js'

/** A request in the async context. Work that continues after the request must not keep its recorder in memory. */
interface RequestMark {
  readonly owner: Correlation
  /** `null` after the request. */
  trail: RecordedTrail | null
  /** Id of the request; empty until the request has ended. */
  id: string
}

/** Work of a request. */
interface TracedWork {
  readonly mark: RequestMark
  /** Index of the service call that does it. */
  readonly call: number | null
  /** Text of the query that does it. */
  readonly query: string | null
}

const storage = new AsyncLocalStorage<TracedWork>()
/** Number of requests in the context, and of consoles that need it after the requests have ended. */
let running = 0
let lasting = 0
/** Whether a request has entered the context since it was disabled. */
let isEnabled = false

export class Correlation implements CallContext {
  readonly #marks = new Map<RecordedTrail, RequestMark>()
  #isLasting = false

  /** Preserves the context for work after the end of a request, also during a flood. */
  last(): void {
    this.#isLasting = true
    lasting++
  }

  run(trail: RequestRecorder, next: () => void): void {
    const isUsed = trail instanceof RecordedTrail && (trail.isDetailed || this.#isLasting)
    if (isUsed) this.within(trail, null, next)
    else next()
  }

  /** Runs a part of a request, or one of its service calls. */
  within<T>(trail: RecordedTrail, call: number | null, next: () => T): T {
    return storage.run({ mark: this.#getOrCreateMark(trail), call, query: null }, next)
  }

  #getOrCreateMark(trail: RecordedTrail): RequestMark {
    const existing = this.#marks.get(trail)
    if (existing !== undefined) return existing
    const mark: RequestMark = { owner: this, trail, id: '' }
    this.#marks.set(trail, mark)
    running++
    isEnabled = true
    return mark
  }

  /** Current work of a running request; `null` outside of requests. */
  work(): { readonly trail: RecordedTrail; readonly call: number | null; readonly query: string | null } | null {
    const work = storage.getStore()
    if (work === undefined || work.mark.owner !== this || work.mark.trail === null) return null
    return { trail: work.mark.trail, call: work.call, query: work.query }
  }

  /** Runs a function as a part of a query, which has started in the current work. */
  inQuery<T>(query: string, next: () => T): T {
    const work = storage.getStore()
    return work === undefined ? next() : storage.run({ ...work, query }, next)
  }

  /** Returns the recorder of the current request, or the id of its record after it has ended; `null` outside of requests. */
  current(): RecordedTrail | string | null {
    const mark = storage.getStore()?.mark
    return mark === undefined || mark.owner !== this ? null : (mark.trail ?? mark.id)
  }

  /** Removes the recorder of an ended request. Its work still knows the id, until the context is disabled. */
  ended(trail: RecordedTrail): void {
    const mark = this.#marks.get(trail)
    if (mark === undefined) return
    mark.id = trail.id
    mark.trail = null
    this.#marks.delete(trail)
    running--
  }

  /**
   * Disables the context if no request is in it, because an enabled context slows down each `await` of the process. Called for requests
   * that are only counted, because the last recorded request can end before the flood is noticed.
   */
  disableUnused(): void {
    if (!isEnabled || running > 0 || lasting > 0) return
    isEnabled = false
    storage.disable()
  }

  close(): void {
    running -= this.#marks.size
    this.#marks.clear()
    if (this.#isLasting) lasting--
    this.#isLasting = false
    this.disableUnused()
  }
}
