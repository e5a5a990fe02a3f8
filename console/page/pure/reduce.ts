/** Reducers: functions that return the next state of the page. */
import type { LogLine, RequestSummary } from '../../../src/devconsole/wire/request-types.js'
import { MAX_OF_GROUP, retentionGroup } from '../../../src/devconsole/wire/retention.js'
import type {
  EarlierRun,
  FeedEvents,
  HeatSlice,
  MetricsSnapshot,
  MetricsPoint,
  Snapshot,
} from '../../../src/devconsole/wire/feed-types.js'
import { EMPTY, MAX_LOGS, MAX_POINTS, MAX_RECORDS, MAX_SLICES, type Link, type State } from './state.js'
import { mergeCounts } from './histogram.js'
import { isOfFile, mergeRuns, summarizeRun } from './runs.js'

type Handlers = { readonly [Name in keyof FeedEvents]: (state: State, data: FeedEvents[Name]) => State }

const SLICE_MS = 10_000

const HANDLERS: Handlers = {
  hello: (state, { boot, started }) => withBoot({ ...state, open: [] }, boot, started),
  req: (state, { items }) => receive(state, { records: items, logs: [] }),
  log: (state, { items }) => receive(state, { records: [], logs: items }),
  open: (state, { items }) => ({ ...state, open: items }),
  tick: (state, { buffer, ...point }) => ({ ...withPoint(state, point), buffer }),
  problem: (state, problem) => ({
    ...state,
    problems: [problem, ...state.problems.filter(({ key }) => key !== problem.key)].toSorted((a, b) => b.last - a.last),
  }),
  routes: (state) => ({ ...state, routesRead: state.routesRead + 1 }),
  cleared: clearState,
  pinned: withPins,
  gap: (state) => state,
  bye: (state) => ({ ...state, open: [] }),
}

/** Applies an event of the feed. */
export function applyEvent<Name extends keyof FeedEvents>(state: State, name: Name, data: FeedEvents[Name]): State {
  return HANDLERS[name](state, data)
}

/** Applies a snapshot. Requests and log lines that are not in the snapshot stay. */
export function applySnapshot(state: State, snapshot: Snapshot): State {
  const { boot, app, processes, settings, buffer, metrics, problems, requests, logs, earlier } = snapshot
  const started = processes[0]?.started ?? snapshot.now
  const base = withRuns({ ...withBoot(state, boot, started), app, processes, settings, buffer }, earlier)
  const nextState = { ...applyMetrics(base, metrics), problems: problems.toSorted((a, b) => b.last - a.last) }
  return receive(nextState, { records: requests.toReversed(), logs: logs.toReversed() })
}

/** Adds the requests of a file. They replace the requests of another file. */
export function applyFile(state: State, name: string, records: readonly RequestSummary[], note: string = ''): State {
  const [first] = records
  if (first === undefined) return state
  const file = { boot: first.boot, name, ...(note !== '' && { note }) }
  return applyStored({ ...closeFile(state), file }, records)
}

/** Removes the requests of the file. */
export function closeFile(state: State): State {
  return { ...state, records: state.records.filter((record) => !isOfFile(record)), file: null }
}

/** Adds records and runs that the browser has stored. */
export function applyStored(state: State, records: readonly RequestSummary[], runs: readonly EarlierRun[] = []): State {
  const next = withRuns(state, runs)
  const knownIds = new Set(next.records.map(({ id }) => id))
  const missing = records.filter(({ id, boot }) => boot !== next.boot && !knownIds.has(id))
  return missing.length === 0 ? next : { ...next, records: mergeRecords(next.records, missing, next) }
}

/** Known runs are not replaced, because the page has observed them to their end. */
function withRuns(state: State, runs: readonly EarlierRun[]): State {
  if (runs.length === 0) return state
  const boots = new Map([...runs.map(({ boot, started }) => [boot, started] as const), ...state.boots])
  return { ...state, boots, runs: mergeRuns(runs, state.runs) }
}

export function applyMetrics(state: State, metrics: MetricsSnapshot): State {
  return { ...state, points: metrics.points, slices: metrics.slices, endpoints: metrics.endpoints }
}

export function withLink(state: State, link: Link, now: number): State {
  const isGood = link === 'live' || link === 'polling'
  const isGone = link === 'lost' || link === 'restarting'
  const goneSince = isGone ? state.goneSince || now : 0
  return { ...state, link, linked: isGood ? now : state.linked, goneSince, open: isGood ? state.open : [] }
}

/** Pauses or resumes the page. On resume, it shows the requests and log lines that arrived during the pause. */
export function togglePause(state: State): State {
  if (!state.paused) return { ...state, paused: true }
  const { records, logs } = state.held
  const resumed = { ...state, paused: false, held: EMPTY.held }
  return receive(resumed, { records: records.toReversed(), logs: logs.toReversed() })
}

/** Returns the number of requests that arrived during the pause. */
export function countHeld({ records, held }: State): number {
  const recordIds = new Set(records.map((record) => record.id))
  return held.records.filter((record) => !recordIds.has(record.id)).length
}

interface ReceivedEvents {
  readonly records: readonly RequestSummary[]
  readonly logs: readonly LogLine[]
}

function receive(state: State, { records, logs }: ReceivedEvents): State {
  const current = state.paused ? state.held : state
  const next = {
    records: records.length === 0 ? current.records : mergeRecords(current.records, records, state),
    logs: logs.length === 0 ? current.logs : mergeLogs(current.logs, logs),
  }
  return state.paused ? { ...state, held: next } : { ...state, ...next }
}

/** Sorts requests: the current process, earlier processes, then files, each with the newest first. */
function mergeRecords(
  old: readonly RequestSummary[],
  items: readonly RequestSummary[],
  { boot, problems }: State,
): readonly RequestSummary[] {
  const byId = new Map(old.map((record) => [record.id, record]))
  for (const item of items) if (isNewOrChanged(byId.get(item.id), item)) byId.set(item.id, item)
  const records = [...byId.values()]
  const current = records.filter((record) => record.boot === boot).toSorted((a, b) => b.seq - a.seq)
  const earlier = sortEarlier(records.filter((record) => record.boot !== boot))
  return retain([...current, ...earlier], new Set(problems.map(({ sample }) => sample)))
}

function sortEarlier(records: readonly RequestSummary[]): readonly RequestSummary[] {
  const ends = new Map<string, number>()
  for (const { boot, time } of records) ends.set(boot, Math.max(time, ends.get(boot) ?? -Infinity))
  const getEnd = (record: RequestSummary) => (isOfFile(record) ? -Infinity : (ends.get(record.boot) ?? 0))
  return records.toSorted((a, b) => compareNumbers(getEnd(b), getEnd(a)) || compareBoots(a, b) || b.seq - a.seq)
}

/** The difference of two infinities is NaN. */
function compareNumbers(a: number, b: number): number {
  return a === b ? 0 : a - b
}

function compareBoots(a: RequestSummary, b: RequestSummary): number {
  return a.boot === b.boot ? 0 : Number(b.boot > a.boot) - Number(b.boot < a.boot)
}

/** Removes the oldest records as the app does. Failed, rejected and pinned records, samples of incidents, and files stay longer. */
function retain(records: readonly RequestSummary[], samples: ReadonlySet<string | null>): readonly RequestSummary[] {
  const counts = { failed: 0, rejected: 0, ordinary: MAX_OF_GROUP }
  return records.filter((record, index) => {
    const isOfNewest = counts[retentionGroup(record)]++ < MAX_OF_GROUP
    return index < MAX_RECORDS || isOfNewest || record['dev.pinned'] || samples.has(record.id) || isOfFile(record)
  })
}

/** Only its pin can change. An unchanged record remains the same object, so that its row is not drawn again. */
function isNewOrChanged(known: RequestSummary | undefined, item: RequestSummary): boolean {
  return known === undefined || known['dev.pinned'] !== item['dev.pinned']
}

function mergeLogs(old: readonly LogLine[], items: readonly LogLine[]): readonly LogLine[] {
  const knownLines = new Set(old.slice(0, MAX_LOGS).map(lineIdentity))
  const fresh = items.filter((line) => !knownLines.has(lineIdentity(line)))
  return [...fresh, ...old].toSorted((a, b) => b.time - a.time || b.seq - a.seq).slice(0, MAX_LOGS)
}

function lineIdentity(line: LogLine): string {
  return `${line.seq} ${line.time}`
}

function withBoot(state: State, boot: string, started: number): State {
  if (state.boot === boot && state.boots.get(boot) === started) return state
  const boots = new Map(state.boots).set(boot, started)
  if (state.boot === boot) return { ...state, boots }
  // Before the first run, there is nothing to compare.
  const runs = state.boot === '' ? state.runs : mergeRuns(state.runs, [summarizeRun(state)])
  return { ...state, boot, boots, runs, points: [], problems: [], endpoints: [] }
}

function withPoint(state: State, point: MetricsPoint): State {
  if (state.points.at(-1)?.time === point.time) return state
  return {
    ...state,
    points: [...state.points, point].slice(-MAX_POINTS),
    slices: withDurations(state.slices, point),
  }
}

/** Adds the durations of a second to a slice of the heat map. */
function withDurations(slices: readonly HeatSlice[], point: MetricsPoint): readonly HeatSlice[] {
  if (point.durations.length === 0) return slices
  // The second ends at `time`, so a second that ends with a slice belongs to this slice.
  const time = Math.floor((point.time - 1) / SLICE_MS) * SLICE_MS
  const same = slices.find((slice) => slice.time === time)
  const durations = [...mergeCounts([same?.durations ?? [], point.durations])].toSorted(([a], [b]) => a - b).flat()
  return [...slices.filter((slice) => slice !== same), { time, durations }].slice(-MAX_SLICES)
}

function clearState(state: State): State {
  const isKept = (record: RequestSummary) => record['dev.pinned']
  return {
    ...state,
    records: state.records.filter(isKept),
    logs: [],
    held: { records: state.held.records.filter(isKept), logs: [] },
    problems: [],
    runs: [],
    file: null,
    clears: state.clears + 1,
    buffer: { ...state.buffer, count: state.records.filter(isKept).length, bytes: 0, skipped: 0 },
  }
}

function withPins(state: State, { ids }: FeedEvents['pinned']): State {
  const pinned = new Set(ids)
  const mark = (record: RequestSummary) =>
    record['dev.pinned'] === pinned.has(record.id) || record.boot !== state.boot
      ? record
      : { ...record, 'dev.pinned': pinned.has(record.id) }
  return {
    ...state,
    records: state.records.map(mark),
    held: { ...state.held, records: state.held.records.map(mark) },
  }
}
