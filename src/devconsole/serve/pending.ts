/** What is new since the feed was flushed: the newest of each kind, and how many are not among them. */
import type { Recorded } from '../store/record-store.js'
import type { Problem } from '../wire/feed-types.js'
import type { LogLine } from '../wire/request-types.js'

const MOST_ITEMS = 100

/** What waits for the next flush. */
export class Pending {
  requests: Recorded[] = []
  /** Requests that are not among them. */
  passed: number = 0
  lines: LogLine[] = []
  /** Lines that are not among them. */
  lostLines: number = 0
  readonly problems: Map<string, Problem> = new Map()

  /** A request was recorded. */
  addRequest(recorded: Recorded): void {
    this.requests.push(recorded)
    if (this.requests.length <= MOST_ITEMS) return
    this.requests.shift()
    this.passed++
  }

  /** A line was written. */
  addLine(line: LogLine): void {
    this.lines.push(line)
    if (this.lines.length <= MOST_ITEMS) return
    this.lines.shift()
    this.lostLines++
  }

  /** It was flushed. */
  clear(): void {
    this.requests = []
    this.passed = 0
    this.lines = []
    this.lostLines = 0
    this.problems.clear()
  }
}
