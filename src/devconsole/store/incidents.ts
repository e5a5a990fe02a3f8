/** Groups equal problems as incidents with a count, so that a thousand equal failures are one line. */
import { detect, stallIncident, type Detection } from './detectors.js'
import type { Incident } from '../wire/feed-types.js'
import type { RequestRecord } from '../wire/request-types.js'

const MAX_GROUPS = 100
const SPANS = 24
const TREND_MS = 24 * 60_000
const MAX_TIMES = 200

interface IncidentGroup {
  detection: Detection
  count: number
  readonly first: number
  last: number
  sample: string | null
  /** Times of the newest occurrences. */
  readonly times: number[]
}

export class Incidents {
  readonly #slow: number
  readonly #groups = new Map<string, IncidentGroup>()

  constructor(slow: number) {
    this.#slow = slow
  }

  look(record: RequestRecord): Incident[] {
    const time = record.time + record['dev.duration']
    return detect(record, this.#slow).map((detection) => this.add(detection, time, record.id))
  }

  stalled(delay: number, handlers: readonly string[], time: number): Incident {
    return this.add(stallIncident(delay, handlers), time)
  }

  /** @param sample id of the request; `null` if there is no single request */
  add(detection: Detection, time: number, sample: string | null = null): Incident {
    const group = this.#groups.get(detection.key) ?? this.#inserted(detection, time)
    group.detection = detection
    group.count++
    group.last = time
    group.sample = sample
    if (group.times.push(time) > MAX_TIMES) group.times.shift()
    return toIncident(group, time)
  }

  #inserted(detection: Detection, time: number): IncidentGroup {
    const group = { detection, count: 0, first: time, last: time, sample: null, times: [] }
    const [oldest] = [...this.#groups.values()].toSorted((a, b) => a.last - b.last)
    if (oldest !== undefined && this.#groups.size >= MAX_GROUPS) this.#groups.delete(oldest.detection.key)
    this.#groups.set(detection.key, group)
    return group
  }

  list(now: number): Incident[] {
    return [...this.#groups.values()].toSorted((a, b) => b.last - a.last).map((group) => toIncident(group, now))
  }

  clear(): void {
    this.#groups.clear()
  }
}

function toIncident({ detection, count, first, last, sample, times }: IncidentGroup, now: number): Incident {
  const spans = times.map((time) => Math.min(SPANS - 1, SPANS - 1 - Math.floor(((now - time) * SPANS) / TREND_MS)))
  const trend = Array.from({ length: SPANS }, (_, index) => spans.filter((span) => span === index).length)
  return { ...detection, count, trend, first, last, sample }
}
