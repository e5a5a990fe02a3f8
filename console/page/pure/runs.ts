/** Compares the run of the app with earlier ones: which incidents are gone, and how long requests take now. */
import type { EarlierRun, EndpointMedian, Incident } from '../../../src/devconsole/wire/feed-types.js'
import type { RequestSummary } from '../../../src/devconsole/wire/request-types.js'
import { retentionGroup } from '../../../src/devconsole/wire/retention.js'
import { mergeCounts, quantile } from './histogram.js'
import type { State } from './state.js'

/** Maximum number of runs that are compared. */
export const MAX_RUNS = 5
/** Maximum number of requests that are replayed together. */
const MAX_REPLAYS = 20

/** What became of an incident: `gone` if its endpoint was requested again and did not fail that way. */
export type Standing =
  | { readonly kind: 'gone'; readonly since: number }
  | { readonly kind: 'unrequested' }
  | { readonly kind: 'still' }
  | { readonly kind: 'new' }

/** An incident of this run or an earlier one. Medians are in ms; `null` without requests. */
export interface TrackedIncident {
  readonly incident: Incident
  /** `null` if there is no earlier run. */
  readonly standing: Standing | null
  readonly before: number | null
  readonly after: number | null
}

/** Boots of records from files start with it. No process has such a boot. */
const FILE_BOOT = 'file-'

export function fileBoot(number: number): string {
  return `${FILE_BOOT}${number}`
}

/** Whether a request comes from a file that was opened in the page. */
export function isOfFile({ boot }: Pick<RequestSummary, 'boot'>): boolean {
  return boot.startsWith(FILE_BOOT)
}

/** Returns method and path template; `null` if no template matches. */
function formatEndpoint(summary: RequestSummary): string | null {
  const route = summary['http.route']
  return route === null ? null : `${summary['http.request.method']} ${route}`
}

/** Returns the current run, as it is stored for the next one. */
export function summarizeRun(state: State): EarlierRun {
  const { boot, problems } = state
  return { boot, started: state.boots.get(boot) ?? 0, incidents: problems, endpoints: endpointMedians(state) }
}

/** Medians of the listed requests. Endpoints without listed requests have the median that the app counts. */
function endpointMedians({ boot, records, endpoints }: State): readonly EndpointMedian[] {
  const durations = new Map<string, number[]>()
  for (const record of records) {
    const endpoint = record.boot === boot ? formatEndpoint(record) : null
    if (endpoint === null) continue
    const values = durations.get(endpoint)
    if (values === undefined) durations.set(endpoint, [record['dev.duration']])
    else values.push(record['dev.duration'])
  }
  const listedMedians = [...durations].map(([endpoint, values]) => ({ endpoint, median: median(values) }))
  const countedMedians = endpoints.flatMap(({ method, template, durations: histogram }) => {
    const value = quantile(mergeCounts([histogram]), 0.5)
    const endpoint = `${method} ${template}`
    return value === null || durations.has(endpoint) ? [] : [{ endpoint, median: value }]
  })
  return [...listedMedians, ...countedMedians]
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

/** Merges runs, newest first. Runs without requests cannot be compared, so they are dropped. */
export function mergeRuns(...lists: readonly (readonly EarlierRun[])[]): readonly EarlierRun[] {
  const byBoot = new Map(lists.flat().map((run) => [run.boot, run]))
  const runs = [...byBoot.values()].filter(({ incidents, endpoints }) => incidents.length + endpoints.length > 0)
  return runs.toSorted((a, b) => b.started - a.started).slice(0, MAX_RUNS)
}

/** Runs before the current one, newest first. */
export function earlierRuns({ runs, boot }: State): readonly EarlierRun[] {
  return runs.filter((run) => run.boot !== boot)
}

/** Returns the incidents of this run, then incidents of earlier runs that have not occurred again. */
export function trackIncidents(state: State): readonly TrackedIncident[] {
  const earlier = earlierRuns(state)
  if (earlier.length === 0) {
    return state.problems.map((incident) => ({ incident, standing: null, before: null, after: null }))
  }
  const current = summarizeRun(state)
  const knownKeys = new Set(state.problems.map(({ key }) => key))
  const past = earlier.flatMap((run, index) => {
    const incidents = run.incidents.filter(({ key, endpoint }) => endpoint !== null && !knownKeys.has(key))
    for (const { key } of incidents) knownKeys.add(key)
    return incidents.map((incident) => pastIncident(incident, run, [current, ...earlier.slice(0, index)]))
  })
  return [...state.problems.map((incident) => currentIncident(incident, current, earlier)), ...past]
}

function currentIncident(incident: Incident, current: EarlierRun, earlier: readonly EarlierRun[]): TrackedIncident {
  const run = earlier.find(({ incidents }) => incidents.some(({ key }) => key === incident.key))
  const requested = run ?? earlier.find((candidate) => findMedian(candidate, incident) !== null)
  const before = requested === undefined ? null : findMedian(requested, incident)
  const standing = { kind: run === undefined ? 'new' : 'still' } as const
  return { incident, standing, before, after: findMedian(current, incident) }
}

/** @param later runs after the one of the incident, newest first */
function pastIncident(incident: Incident, run: EarlierRun, later: readonly EarlierRun[]): TrackedIncident {
  const requested = later.filter((candidate) => findMedian(candidate, incident) !== null)
  const since = requested.at(-1)?.started
  const [newest] = requested
  return {
    incident,
    standing: since === undefined ? { kind: 'unrequested' } : { kind: 'gone', since },
    before: findMedian(run, incident),
    after: newest === undefined ? null : findMedian(newest, incident),
  }
}

function findMedian({ endpoints }: EarlierRun, { endpoint }: Incident): number | null {
  return endpoints.find((each) => each.endpoint === endpoint)?.median ?? null
}

/** Returns the failing requests of the last run with any, oldest first; of equal requests the newest. */
export function failingRequests({ records, boot }: State): readonly RequestSummary[] {
  const failing = records.filter((record) => record.boot !== boot && !isOfFile(record) && isFailing(record))
  const lastBoot = failing.toSorted((a, b) => b.time - a.time)[0]?.boot
  const distinct = new Map<string, RequestSummary>()
  for (const record of failing.toSorted((a, b) => a.time - b.time)) {
    if (record.boot === lastBoot) distinct.set(replayKey(record), record)
  }
  return [...distinct.values()].toSorted((a, b) => a.time - b.time).slice(-MAX_REPLAYS)
}

function isFailing(record: RequestSummary): boolean {
  return record['http.response.status_code'] === 0 || retentionGroup(record) !== 'ordinary'
}

function replayKey(record: RequestSummary): string {
  const target = [record['http.request.method'], record['url.path'], record['url.query']]
  return [...target, record['http.response.status_code'], record['error.type']].join(' ')
}

/** Result of a replay: `same` status and problems, `fixed`, or `other`. */
export type ReplayResult = 'fixed' | 'same' | 'other'

export function compareReplay(before: RequestSummary, after: RequestSummary): ReplayResult {
  if (!isFailing(after)) return 'fixed'
  const isSameStatus = before['http.response.status_code'] === after['http.response.status_code']
  return isSameStatus && before['error.type'] === after['error.type'] ? 'same' : 'other'
}

/** Returns the newest replay of a request in the current run. */
export function findReplay({ records, boot }: State, id: string): RequestSummary | null {
  return records.find((record) => record.boot === boot && record['dev.replayOf'] === id) ?? null
}
