/** Data that the console sends to its page: the snapshot, the events of the feed, and other responses of the API. */
import type { LogLine, RequestSummary } from './request-types.js'

export interface AppFacts {
  readonly name: string
  readonly version: string
  /** Version of Node, without `v`. */
  readonly node: string
  readonly platform: string
  readonly root: string
}

export interface ProcessFacts {
  readonly pid: number
  readonly started: number
}

export interface PageSettings {
  readonly slow: number
  readonly stall: number
  /** `vscode://file/{file}:{line}:{column}`; `null` if no editor is set. */
  readonly editor: string | null
  readonly openapi: string | null
  /** Lower-case name of the header that contains the version; `null` if the version has another source. */
  readonly versionHeader: string | null
}

export interface BufferFacts {
  readonly count: number
  readonly maxCount: number
  readonly bytes: number
  readonly maxBytes: number
  readonly total: number
  /** Number of requests that were counted and not recorded, since the start or the last `clear`. */
  readonly skipped: number
}

/**
 * Counts of durations by bucket, as pairs `[bucket, count, bucket, count, …]`, ascending, without empty buckets. As in
 * `observe/histogram.ts`, bucket `i` contains durations up to `2 ** (i / 8 - 10)` ms.
 */
export type SparseHistogram = readonly number[]

/** One second of the app. `time` is its end. Values that are only measured while a page is open are `null` at other times. */
export interface MetricsPoint {
  readonly time: number
  /** Number of finished requests: without a response, 1xx, 2xx, 3xx, 4xx, 5xx. */
  readonly classes: readonly number[]
  readonly durations: SparseHistogram
  readonly inFlight: number
  /** 99th percentile of the event loop delay, in ms. */
  readonly loopDelay: number | null
  readonly loopUse: number | null
  readonly heap: number
  readonly rss: number
  readonly gc: number
}

/** Ten seconds of durations, for the heat map. */
export interface HeatSlice {
  readonly time: number
  readonly durations: SparseHistogram
}

/** Counts of an endpoint since the start of the process, or since `clear`. */
export interface EndpointStats {
  readonly method: string
  /** Path template; `other` for all endpoints beyond the maximum number. */
  readonly template: string
  /** Constraint of the version; `null` for endpoints without one. */
  readonly version: string | null
  readonly handler: string | null
  readonly calls: number
  readonly errors: number
  readonly since: number
  readonly max: number
  readonly durations: SparseHistogram
}

/** `GET api/metrics`, and `metrics` in the snapshot: the newest 120 points and 60 non-empty slices, oldest first. */
export interface MetricsSnapshot {
  readonly points: readonly MetricsPoint[]
  readonly slices: readonly HeatSlice[]
  readonly endpoints: readonly EndpointStats[]
}

/** A group of equal problems; a later event with the same key replaces it. */
export interface Incident {
  /** The same in the next run of the app: kind, name or code of the error, endpoint, and message without numbers and ids. */
  readonly key: string
  /** Method and path template; `null` without a single endpoint. */
  readonly endpoint: string | null
  readonly kind:
    'exception' | 'slow' | 'invalid' | 'repeated' | 'stall' | 'mismatch' | 'version' | 'silent' | 'large' | 'burst'
  /** Text and code alternate: `['TypeError in ', 'Invoices.post']`. */
  readonly title: readonly string[]
  readonly detail: string
  readonly count: number
  readonly unit: string
  /** Counts in 24 equal spans of time until now, oldest first. */
  readonly trend: readonly number[]
  readonly first: number
  readonly last: number
  readonly facts: readonly string[]
  readonly query: string
  /** Id of the newest request of the group, which stays stored; `null` if there is no single request. */
  readonly sample: string | null
}

/** Requests of an endpoint in one run of the app. */
export interface EndpointMedian {
  /** Method and path template. */
  readonly endpoint: string
  readonly median: number
}

/** A run of the app that has ended: its incidents, and the endpoints that were requested. */
export interface EarlierRun {
  readonly boot: string
  readonly started: number
  readonly incidents: readonly Incident[]
  readonly endpoints: readonly EndpointMedian[]
}

/** `GET api/snapshot`: the initial data of the page in one response. */
export interface Snapshot {
  readonly v: number
  readonly boot: string
  /** Sequence number of the newest record, at which a feed can continue. */
  readonly seq: number
  readonly now: number
  readonly app: AppFacts
  readonly processes: readonly ProcessFacts[]
  readonly settings: PageSettings
  readonly titles: Readonly<Record<string, string>>
  readonly buffer: BufferFacts
  readonly requests: readonly RequestSummary[]
  readonly metrics: MetricsSnapshot
  readonly problems: readonly Incident[]
  /** Runs of the file of `devConsole.keep`, newest first. */
  readonly earlier: readonly EarlierRun[]
  readonly logs: readonly LogLine[]
}

export interface HelloEvent extends ProcessFacts, Pick<AppFacts, 'name' | 'version' | 'node'> {
  readonly v: number
  readonly boot: string
  /** Whether all events since the `Last-Event-ID` follow. */
  readonly resumed: boolean
  readonly now: number
  /** Id of this feed, for `POST api/settings`. */
  readonly stream: string
}

interface Batch<Item> {
  readonly v: number
  readonly items: readonly Item[]
  readonly dropped: number
}

export interface OpenCall {
  readonly id: string
  readonly method: string
  readonly route: string
  readonly since: number
}

/** Events of the feed: name of the event, type of its data. */
export interface FeedEvents {
  readonly hello: HelloEvent
  readonly req: Batch<RequestSummary>
  /** Requests in progress for more than 500 ms; an empty list after the last of them has ended. */
  readonly open: Batch<OpenCall>
  readonly log: Batch<LogLine>
  readonly tick: MetricsPoint & { readonly v: number; readonly buffer: BufferFacts }
  readonly problem: Incident & { readonly v: number }
  readonly routes: { readonly v: number }
  readonly cleared: { readonly v: number }
  readonly pinned: { readonly v: number; readonly ids: readonly string[] }
  readonly gap: { readonly v: number; readonly from: number; readonly to: number }
  readonly bye: { readonly v: number }
}

/** `GET api/requests?q=&before=&limit=`: older summaries, newest first. */
export interface RequestPage {
  readonly items: readonly RequestSummary[]
  readonly more: boolean
}

/** `POST api/pin`. The response is `{ ids }`, the ids of all pinned requests. */
export interface PinAction {
  readonly id: string
  readonly pinned: boolean
}

/** `POST api/settings`: selects the events `log` and `open` for a feed. All other events are always sent. The response is `{}`. */
export interface SettingsAction {
  readonly stream: string
  readonly want: readonly ('log' | 'open')[]
}

export interface ConsoleRefusal {
  readonly status: number
  readonly detail: string
}
