/** The calls in work, oldest first: a list that is linked through them, because a set costs a call five times as much. */
import type { RecordedTrail } from './recorded-trail.js'

/** Calls that are known; an app that never answers must not fill the memory. */
const MOST_OPEN = 2_000

/** The calls in work. */
export class OpenCalls implements Iterable<RecordedTrail> {
  #oldest: RecordedTrail | null = null
  #newest: RecordedTrail | null = null
  #size = 0

  /** How many there are. */
  get size(): number {
    return this.#size
  }

  /**
   * Adds a call, if there is room.
   *
   * @param trail that is in no list
   * @returns the trail
   */
  add(trail: RecordedTrail): RecordedTrail {
    if (this.#size === MOST_OPEN) return trail
    this.#size++
    trail.isListed = true
    trail.older = this.#newest
    if (this.#newest === null) this.#oldest = trail
    else this.#newest.newer = trail
    this.#newest = trail
    return trail
  }

  /**
   * Takes a call away, if it is there.
   *
   * @param trail that has ended
   */
  delete(trail: RecordedTrail): void {
    if (!trail.isListed) return
    const { older, newer } = trail
    this.#size--
    trail.isListed = false
    if (older === null) this.#oldest = newer
    else older.newer = newer
    if (newer === null) this.#newest = older
    else newer.older = older
    trail.older = null
    trail.newer = null
  }

  *[Symbol.iterator](): Generator<RecordedTrail, void, undefined> {
    for (let trail = this.#oldest; trail !== null; trail = trail.newer) yield trail
  }
}
