/** The parts of a console, put together: what records, what keeps, what tells. */
import { randomBytes } from 'node:crypto'
import { knowEndpoints } from './endpoints.js'
import { Feed } from './feed.js'
import { Gauge } from './gauge.js'
import { Hider } from './hider.js'
import type { ConsoleHost } from './host.js'
import { LogStore } from './log-store.js'
import { Problems } from './problems.js'
import { Recorder } from './recorder.js'
import type { RecordScope } from './record-head.js'
import type { RecordedTrail } from './recorded-trail.js'
import { Series } from './series.js'
import { readSettings, type Settings } from './settings.js'
import { RecordStore } from './store.js'
import { Tokens } from './tokens.js'
import type { MetricsPoint } from './wire-feed-types.js'

/** The parts of a console. */
export interface ConsoleParts {
  readonly host: ConsoleHost
  readonly settings: Settings
  readonly scope: RecordScope
  readonly tokens: Tokens
  readonly store: RecordStore
  readonly logs: LogStore
  readonly series: Series
  readonly problems: Problems
  readonly recorder: Recorder
  readonly feed: Feed
  /** Begin of the process, in ms since 1970. */
  readonly started: number
}

/**
 * Puts the parts of a console together.
 *
 * @param host the app
 * @returns the parts; nothing is followed yet
 * @throws SetupError `OPTION_INVALID` for an address in `allow` that is none
 */
export function makeParts(host: ConsoleHost): ConsoleParts {
  const settings = readSettings(host)
  const scope = scopeOf(host, settings)
  const store = new RecordStore()
  const logs = new LogStore(scope.hider)
  const problems = new Problems(settings.slow)
  const gauge = new Gauge()
  const open = new Set<RecordedTrail>()
  const series = new Series(gauge, () => open.size, Date.now())
  const started = Math.round(performance.timeOrigin)
  const stalls = (point: MetricsPoint | null): MetricsPoint | null => {
    lookForStall(point)
    return point
  }
  const feed: Feed = new Feed({
    boot: scope.boot,
    seq: () => store.seq,
    hello: () => ({ pid: scope.pid, name: host.name, version: host.version, node: process.versions.node, started }),
    summary: (recorded) => store.summary(recorded),
    since: (seq) => store.since(seq),
    point: () => stalls(series.latest(Date.now())),
    buffer: () => store.facts(recorder.total),
    openFor: (age) => recorder.openFor(age),
    watched: (isWatched) => (isWatched ? gauge.start() : gauge.stop()),
  })
  const recorder: Recorder = new Recorder({ scope, store, logs, series, problems }, open, feed)
  const lookForStall = (point: MetricsPoint | null): void => {
    if (point === null || point.loopDelay === null || point.loopDelay < settings.stall) return
    const inWork = recorder.openFor(0).map(({ method, route }) => `${method} ${route}`)
    feed.problem(problems.stalled(point.loopDelay, inWork, point.time))
  }
  const tokens = new Tokens(host.isGuarded, host.options.token)
  return { host, settings, scope, tokens, store, logs, series, problems, recorder, feed, started }
}

function scopeOf(host: ConsoleHost, settings: Settings): RecordScope {
  const root = process.cwd()
  return {
    boot: newBoot(),
    pid: process.pid,
    root,
    hider: new Hider(host.secrets),
    settings,
    endpoints: knowEndpoints(host.endpoints, root),
    versioning: host.versioning,
  }
}

/** Six characters that tell one start of a process from another. */
function newBoot(): string {
  return randomBytes(8).readBigUInt64BE().toString(36).padStart(6, '0').slice(-6)
}
