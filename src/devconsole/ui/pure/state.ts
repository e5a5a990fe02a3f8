/** What the page knows. It is never changed: each event makes another one. */
import type { LogLine, RequestSummary } from '../../wire/request-types.js'
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
} from '../../wire/feed-types.js'

/** How the page hears of what is new. */
export type Link = 'connecting' | 'live' | 'polling' | 'restarting' | 'lost' | 'locked'

interface OpenedFile {
  readonly boot: string
  readonly name: string
  /** Sentence about requests of the file that are not listed; missing if all are. */
  readonly note?: string
}

/** What the page knows. */
export interface State {
  readonly link: Link
  /** When the link was last good, in ms since 1970; 0 before. */
  readonly linked: number
  /** When the link was lost, in ms since 1970; 0 while it is good. */
  readonly goneSince: number
  /** The start of the process that is watched; empty before the first snapshot. */
  readonly boot: string
  /** Begin of each process seen, by its boot. */
  readonly boots: ReadonlyMap<string, number>
  readonly app: AppFacts | null
  readonly processes: readonly ProcessFacts[]
  readonly settings: PageSettings
  readonly buffer: BufferFacts
  /** Newest first; those of earlier processes last. */
  readonly records: readonly RequestSummary[]
  readonly logs: readonly LogLine[]
  readonly paused: boolean
  /** What came while paused, newest first. */
  readonly held: { readonly records: readonly RequestSummary[]; readonly logs: readonly LogLine[] }
  readonly open: readonly OpenCall[]
  readonly points: readonly MetricsPoint[]
  readonly slices: readonly HeatSlice[]
  readonly endpoints: readonly EndpointStats[]
  readonly problems: readonly Incident[]
  /** Runs of the app, newest first. Can contain the current one, as it was when the page was loaded. */
  readonly runs: readonly EarlierRun[]
  /** File whose records are listed; `null` for none. */
  readonly file: OpenedFile | null
  /** Number of times that the console was cleared. */
  readonly clears: number
  /** Counts up when the routes must be read again. */
  readonly routesRead: number
}

/** Records that the page keeps, besides those pinned. */
export const MAX_RECORDS = 500

/** Log lines that the page keeps. */
export const MAX_LOGS = 2_000

/** Seconds that the charts show. */
export const MAX_POINTS = 120

/** Slices of the heat map. */
export const MAX_SLICES = 60

/** Before anything was read. */
export const EMPTY: State = {
  link: 'connecting',
  linked: 0,
  goneSince: 0,
  boot: '',
  boots: new Map(),
  app: null,
  processes: [],
  settings: { slow: 800, stall: 50, editor: null, openapi: null, versionHeader: null },
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
