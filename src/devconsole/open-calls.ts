/** The calls in work, oldest first. */
import { LinkedList } from './linked-list.js'
import type { RecordedTrail } from './recorded-trail.js'

/** Calls that are known; an app that never answers must not fill the memory. */
const MOST_OPEN = 2_000

/** The calls in work. */
export class OpenCalls extends LinkedList<RecordedTrail> {
  /** Adds a call, if there is room. */
  override add(trail: RecordedTrail): void {
    if (this.size < MOST_OPEN) super.add(trail)
  }
}
