/** From what the page knows and an event to what it knows then. */
import type { LogLine, RequestSummary } from '../../wire/request-types.js'
import { MAX_OF_GROUP, retentionGroup } from '../../wire/retention.js'
import type {
  EarlierRun,
  FeedEvents,
  HeatSlice,
  MetricsSnapshot,
  MetricsPoint,
  Snapshot,
} from '../../wire/feed-types.js'
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
    problems: [problem, ...state.problems.filter((it) => it.key !== problem.key)].toSorted((a, b) => b.last - a.last),
  }),
  routes: (state) => ({ ...state, routesRead: state.routesRead + 1 }),
  cleared: clearState,
  pinned: withPins,
  gap: (state) => state,
  bye: (state) => ({ ...state, open: [] }),
}

/** Takes an event of the feed. */
export function applyEvent<Name extends keyof FeedEvents>(state: State, name: Name, data: FeedEvents[Name]): State {
  return HANDLERS[name](state, data)
}

/** Takes a snapshot. Rows of the page that it does not have stay. */
export function applySnapshot(state: State, snapshot: Snapshot): State {
  const { boot, app, processes, settings, buffer, metrics, problems, requests, logs, earlier } = snapshot
  const started = processes[0]?.started ?? snapshot.now
  const base = withRuns({ ...withBoot(state, boot, started), app, processes, settings, buffer }, earlier)
  const nextState = { ...applyMetrics(base, metrics), problems: problems.toSorted((a, b) => b.last - a.last) }
  return receive(nextState, { records: requests.toReversed(), logs: logs.toReversed() })
}

/** Lists the requests of a file instead of another file. */
export function applyFile(state: State, name: string, records: readonly RequestSummary[], note: string = ''): State {
  const [first] = records
  if (first === undefined) return state
  const opened = { boot: first.boot, name, ...(note === '' ? {} : { note }) }
  return applyStored({ ...closeFile(state), file: opened }, records)
}

/** Removes the requests of the file. */
export function closeFile(state: State): State {
  return { ...state, records: state.records.filter((record) => !isOfFile(record)), file: null }
}

/** Adds records and runs that the browser has stored. */
export function applyStored(state: State, records: readonly RequestSummary[], runs: readonly EarlierRun[] = []): State {
  const next = withRuns(state, runs)
  const known = new Set(next.records.map(({ id }) => id))
  const missing = records.filter(({ id, boot }) => boot !== next.boot && !known.has(id))
  return missing.length === 0 ? next : { ...next, records: mergeRecords(next.records, missing, next) }
}

/** Runs that are known already have been observed to their end, so they stay. */
function withRuns(state: State, runs: readonly EarlierRun[]): State {
  if (runs.length === 0) return state
  const boots = new Map([...runs.map(({ boot, started }) => [boot, started] as const), ...state.boots])
  return { ...state, boots, runs: mergeRuns(runs, state.runs) }
}

/** Takes figures that were read. */
export function applyMetrics(state: State, metrics: MetricsSnapshot): State {
  return { ...state, points: metrics.points, slices: metrics.slices, endpoints: metrics.endpoints }
}

/** Notes how the page hears of what is new. */
export function withLink(state: State, link: Link, now: number): State {
  const isGood = link === 'live' || link === 'polling'
  const isGone = link === 'lost' || link === 'restarting'
  const goneSince = isGone ? state.goneSince || now : 0
  return { ...state, link, linked: isGood ? now : state.linked, goneSince, open: isGood ? state.open : [] }
}

/** Stops the view or lets it go on; what came meanwhile is shown then. */
export function togglePause(state: State): State {
  if (!state.paused) return { ...state, paused: true }
  const { records, logs } = state.held
  const going = { ...state, paused: false, held: EMPTY.held }
  return receive(going, { records: records.toReversed(), logs: logs.toReversed() })
}

/** Counts the records that came while the view was stopped. */
export function countHeld({ records, held }: State): number {
  const recordIds = new Set(records.map((record) => record.id))
  return held.records.filter((record) => !recordIds.has(record.id)).length
}

interface ReceivedEvents {
  readonly records: readonly RequestSummary[]
  readonly logs: readonly LogLine[]
}

function receive(state: State, { records, logs }: ReceivedEvents): State {
  const seen = state.paused ? state.held : state
  const next = {
    records: records.length === 0 ? seen.records : mergeRecords(seen.records, records, state),
    logs: logs.length === 0 ? seen.logs : mergeLogs(seen.logs, logs),
  }
  return state.paused ? { ...state, held: next } : { ...state, ...next }
}

/** The process that is watched comes first, then earlier ones, and files last; the newest first in each. */
function mergeRecords(
  old: readonly RequestSummary[],
  items: readonly RequestSummary[],
  { boot, problems }: State,
): readonly RequestSummary[] {
  const byId = new Map(old.map((record) => [record.id, record]))
  for (const item of items) if (isOtherBoot(byId.get(item.id), item)) byId.set(item.id, item)
  const all = [...byId.values()]
  const current = all.filter((record) => record.boot === boot).toSorted((a, b) => b.seq - a.seq)
  const earlier = sortEarlier(all.filter((record) => record.boot !== boot))
  return retain([...current, ...earlier], new Set(problems.map(({ sample }) => sample)))
}

function sortEarlier(records: readonly RequestSummary[]): readonly RequestSummary[] {
  const ends = new Map<string, number>()
  for (const { boot, time } of records) ends.set(boot, Math.max(time, ends.get(boot) ?? -Infinity))
  const endOf = (record: RequestSummary) => (isOfFile(record) ? -Infinity : (ends.get(record.boot) ?? 0))
  return records.toSorted((a, b) => compareNumbers(endOf(b), endOf(a)) || compareBoots(a, b) || b.seq - a.seq)
}

/** A difference of infinities is not a number. */
function compareNumbers(a: number, b: number): number {
  return a === b ? 0 : a - b
}

function compareBoots(a: RequestSummary, b: RequestSummary): number {
  return a.boot === b.boot ? 0 : Number(b.boot > a.boot) - Number(b.boot < a.boot)
}

/** Removes records beyond the newest, as the app does: unless they are notable, pinned or the sample of a problem. */
function retain(records: readonly RequestSummary[], samples: ReadonlySet<string | null>): readonly RequestSummary[] {
  const counts = { failed: 0, rejected: 0, ordinary: MAX_OF_GROUP }
  return records.filter((record, index) => {
    const isOfNewest = counts[retentionGroup(record)]++ < MAX_OF_GROUP
    return index < MAX_RECORDS || isOfNewest || record['dev.pinned'] || samples.has(record.id) || isOfFile(record)
  })
}

/** Only a pin changes a record. One that is the same stays the same object, so that nothing is drawn anew for it. */
function isOtherBoot(known: RequestSummary | undefined, item: RequestSummary): boolean {
  return known === undefined || known['dev.pinned'] !== item['dev.pinned']
}

function mergeLogs(old: readonly LogLine[], items: readonly LogLine[]): readonly LogLine[] {
  const seen = new Set(old.slice(0, MAX_LOGS).map(lineIdentity))
  const fresh = items.filter((line) => !seen.has(lineIdentity(line)))
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

/** Adds a second to its slice of the heat map. */
function withDurations(slices: readonly HeatSlice[], point: MetricsPoint): readonly HeatSlice[] {
  if (point.durations.length === 0) return slices
  // The second ends at `time`; what it holds came before.
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
