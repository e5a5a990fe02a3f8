/** What is new since the feed was flushed: the newest of each kind, and how many are not among them. */
import type { KeptRecord } from '../store/record-store.js'
import type { Incident } from '../wire/feed-types.js'
import type { LogLine } from '../wire/request-types.js'

const MOST_ITEMS = 100

export class Pending {
  requests: KeptRecord[] = []
  passed: number = 0
  lines: LogLine[] = []
  lostLines: number = 0
  readonly incidents: Map<string, Incident> = new Map()

  addRequest(recorded: KeptRecord): void {
    this.requests.push(recorded)
    if (this.requests.length <= MOST_ITEMS) return
    this.requests.shift()
    this.passed++
  }

  addLine(line: LogLine): void {
    this.lines.push(line)
    if (this.lines.length <= MOST_ITEMS) return
    this.lines.shift()
    this.lostLines++
  }

  clear(): void {
    this.requests = []
    this.passed = 0
    this.lines = []
    this.lostLines = 0
    this.incidents.clear()
  }
}
