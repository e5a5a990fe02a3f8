/** Problems: what went wrong, each kind once with how often, so that a thousand equal failures are one line. */
import { sightings, type Sighting } from './detectors.js'
import type { Problem } from '../wire/feed-types.js'
import type { RequestRecord } from '../wire/request-types.js'

const MOST_GROUPS = 100
const SPANS = 24
/** What a trend looks back on, in ms. */
const TREND_MS = 24 * 60_000
const MOST_TIMES = 200

interface Group {
  sighting: Sighting
  count: number
  readonly first: number
  last: number
  /** Of the newest. */
  readonly times: number[]
}

/** Groups problems. */
export class Problems {
  readonly #slow: number
  readonly #groups = new Map<string, Group>()

  constructor(slow: number) {
    this.#slow = slow
  }

  /** Looks at a request. */
  look(record: RequestRecord): Problem[] {
    const time = record.time + record['dev.duration']
    return sightings(record, this.#slow).map((sighting) => this.add(sighting, time))
  }

  /** The event loop stood still. */
  stalled(delay: number, handlers: readonly string[], time: number): Problem {
    const [first = ''] = handlers
    const running = first === '' ? 'No request was in work then.' : `In work then: ${handlers.join(', ')}.`
    const sighting = {
      key: `stall ${first}`,
      kind: 'stall',
      title: first === '' ? ['The event loop stood still'] : ['The event loop stood still during ', first],
      detail: `Nothing else was done for ${Math.round(delay)} ms. ${running}`,
      unit: 'times',
      facts: [],
      query: '',
    } as const
    return this.add(sighting, time)
  }

  /** A problem was seen. */
  add(sighting: Sighting, time: number): Problem {
    const known = this.#groups.get(sighting.key)
    const group = known ?? { sighting, count: 0, first: time, last: time, times: [] }
    group.sighting = sighting
    group.count++
    group.last = time
    group.times.push(time)
    if (group.times.length > MOST_TIMES) group.times.shift()
    if (known === undefined) this.#insert(sighting.key, group)
    return problemOf(group, time)
  }

  #insert(key: string, group: Group): void {
    if (this.#groups.size >= MOST_GROUPS) {
      const [oldest] = [...this.#groups].toSorted(([, a], [, b]) => a.last - b.last)
      if (oldest !== undefined) this.#groups.delete(oldest[0])
    }
    this.#groups.set(key, group)
  }

  /** All groups. */
  list(now: number): Problem[] {
    return [...this.#groups.values()].toSorted((a, b) => b.last - a.last).map((group) => problemOf(group, now))
  }

  /** Forgets all. */
  clear(): void {
    this.#groups.clear()
  }
}

function problemOf({ sighting, count, first, last, times }: Group, now: number): Problem {
  const spans = times.map((time) => Math.min(SPANS - 1, SPANS - 1 - Math.floor(((now - time) * SPANS) / TREND_MS)))
  const trend = Array.from({ length: SPANS }, (_, at) => spans.filter((span) => span === at).length)
  return { ...sighting, count, trend, first, last }
}
