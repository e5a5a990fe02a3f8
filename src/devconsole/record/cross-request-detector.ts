/** Finds incidents of several requests and of pending requests. Runs when a page reads incidents, so it does not slow down requests. */
import { createHash } from 'node:crypto'
import { PHASE } from '../../observe/request-recorder.js'
import type { HostEndpoint } from '../host/console-host.js'
import type { Incidents } from '../store/incidents.js'
import type { RecordedTrail } from './recorded-trail.js'
import { burstIncident, silentIncident } from '../store/detectors.js'
import type { StoredRecord, RecordStore } from '../store/record-store.js'
import type { Incident } from '../wire/feed-types.js'
import type { RequestRecord } from '../wire/request-types.js'

/** Age in ms at which a pending request is reported, because it looks as if it will never end. */
export const SILENT_MS = 30_000
const BURST_MS = 1_000
/** Minimum number of equal requests of a client within a second. */
const MIN_BURST = 5

interface DetectorParts {
  readonly callsInWork: Iterable<RecordedTrail>
  readonly store: RecordStore
  readonly incidents: Incidents
  readonly endpoints: readonly HostEndpoint[]
}

/** Equal requests of one client. */
interface Run {
  /** Start times within the last second, in ms since 1970. */
  readonly times: readonly number[]
  readonly last: number
  /** Time of the last reported burst. */
  readonly reported: number
}

const NO_RUN: Run = { times: [], last: 0, reported: -BURST_MS }

export class CrossRequestDetector {
  readonly #parts: DetectorParts
  readonly #reported = new WeakSet<RecordedTrail>()
  #seq = 0
  readonly #runs = new Map<string, Run>()

  constructor(parts: DetectorParts) {
    this.#parts = parts
  }

  look(): Incident[] {
    return [...this.#silent(), ...this.#bursts()]
  }

  #silent(): Incident[] {
    const { callsInWork, endpoints, incidents } = this.#parts
    const limit = performance.now() - SILENT_MS
    const silentTrails = [...callsInWork].filter(
      (trail) => trail.began < limit && isSilent(trail) && !this.#reported.has(trail),
    )
    return silentTrails.map((trail) => {
      this.#reported.add(trail)
      const endpoint = trail.endpoint === null ? undefined : endpoints[trail.endpoint.number]
      return incidents.add(silentIncident(trail.method, endpoint ?? null, SILENT_MS), Date.now())
    })
  }

  #bursts(): Incident[] {
    const bursts = this.#parts.store.after(this.#seq).flatMap((recorded) => {
      this.#seq = recorded.record.seq
      return recorded.record['dev.replayOf'] === null ? this.#count(recorded) : []
    })
    this.#deleteOldRuns()
    return bursts
  }

  #count(recorded: StoredRecord): Incident[] {
    const { record } = recorded
    const { time } = record
    const key = requestKey(record)
    const run = this.#runs.get(key) ?? NO_RUN
    const times = [...run.times.filter((earlier) => earlier > time - BURST_MS), time]
    const isBurst = times.length >= MIN_BURST && time >= run.reported + BURST_MS
    this.#runs.set(key, { times, last: time, reported: isBurst ? time : run.reported })
    if (!isBurst) return []
    const incident = this.#parts.incidents.add(burstIncident(record, times.length), time, record.id)
    this.#parts.store.addSample(incident.key, recorded)
    return [incident]
  }

  /** Deletes runs that are too old to become a burst. */
  #deleteOldRuns(): void {
    const newest = [...this.#runs.values()].reduce((latest, { last }) => Math.max(latest, last), 0)
    for (const [key, { last }] of this.#runs) if (last <= newest - BURST_MS) this.#runs.delete(key)
  }
}

/** Whether a pending request may be stuck. A request is not stuck while its body arrives or its response is being sent. */
function isSilent({ phase }: RecordedTrail): boolean {
  return phase !== PHASE.readBody && phase !== PHASE.send
}

/** Returns a key of fixed length, because the size limit of the store does not include the keys of runs. */
function requestKey(record: RequestRecord): string {
  const { body } = record.request
  const client = [record['client.address'], record['user_agent.original']]
  const signature = [record['http.request.method'], record['url.path'], record['url.query'], body?.size, body?.text]
  return createHash('sha256')
    .update(JSON.stringify([...client, ...signature]))
    .digest('base64')
}
