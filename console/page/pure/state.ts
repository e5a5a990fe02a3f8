/** State of the page. It is immutable: each event creates a new state. */
import type { LogLine, RequestSummary } from '../../../src/devconsole/wire/request-types.js'
import type {
  AppFacts,
  BufferFacts,
  PageSettings,
  EndpointStats,
  HeatSlice,
  MetricsPoint,
  OpenCall,
  Incident,
  ProcessFacts,
  EarlierRun,
} from '../../../src/devconsole/wire/feed-types.js'

/** Connection to the app. `locked`: the user must sign in. */
export type Link = 'connecting' | 'live' | 'polling' | 'restarting' | 'lost' | 'locked'

interface OpenedFile {
  readonly boot: string
  readonly name: string
  /** Sentence about requests of the file that are not listed; missing if all are. */
  readonly note?: string
}

export interface State {
  readonly link: Link
  /** Time of the last change to `live` or `polling`, in ms since 1970; 0 before the first one. */
  readonly linked: number
  /** Time at which the app became unavailable, in ms since 1970; 0 while it is available. */
  readonly goneSince: number
  /** Id of the current process; empty before the first snapshot. */
  readonly boot: string
  /** Start of each known process, by boot. */
  readonly boots: ReadonlyMap<string, number>
  readonly app: AppFacts | null
  readonly processes: readonly ProcessFacts[]
  readonly settings: PageSettings
  readonly buffer: BufferFacts
  /** The current process, earlier processes, then files, each with the newest first. */
  readonly records: readonly RequestSummary[]
  readonly logs: readonly LogLine[]
  readonly paused: boolean
  /** Requests and log lines that arrived during the pause, newest first. */
  readonly held: { readonly records: readonly RequestSummary[]; readonly logs: readonly LogLine[] }
  readonly open: readonly OpenCall[]
  readonly points: readonly MetricsPoint[]
  readonly slices: readonly HeatSlice[]
  readonly endpoints: readonly EndpointStats[]
  readonly problems: readonly Incident[]
  /** Runs of the app, newest first. They can include the current run, as it was when the page was loaded. */
  readonly runs: readonly EarlierRun[]
  /** The open file; `null` without one. */
  readonly file: OpenedFile | null
  /** Number of times that the console was cleared. */
  readonly clears: number
  /** Number of times that the routes have changed. */
  readonly routesRead: number
}

/** Maximum number of requests in the page. Failed, rejected and pinned requests can exceed it. */
export const MAX_RECORDS = 500

/** Maximum number of log lines in the page. */
export const MAX_LOGS = 2_000

/** Number of seconds in the charts. */
export const MAX_POINTS = 120

/** Number of slices in the heat map. */
export const MAX_SLICES = 60

/** State before the first snapshot. */
export const EMPTY: State = {
  link: 'connecting',
  linked: 0,
  goneSince: 0,
  boot: '',
  boots: new Map(),
  app: null,
  processes: [],
  settings: { slow: 200, stall: 50, editor: null, openapi: null, versionHeader: null },
  buffer: { count: 0, maxCount: MAX_RECORDS, bytes: 0, maxBytes: 0, total: 0, skipped: 0 },
  records: [],
  logs: [],
  paused: false,
  held: { records: [], logs: [] },
  open: [],
  points: [],
  slices: [],
  endpoints: [],
  problems: [],
  runs: [],
  file: null,
  clears: 0,
  routesRead: 0,
}
