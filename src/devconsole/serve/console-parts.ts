/** Creates and connects the parts of a console: recorder, stores, detectors and feed. */
import { randomBytes } from 'node:crypto'
import { Feed } from './feed.js'
import { Gauge } from '../store/gauge.js'
import { RequestRedactor } from '../redact/request-redactor.js'
import type { ConsoleHost } from '../host/console-host.js'
import { CallFigures } from '../store/call-figures.js'
import { Budget } from '../store/budget.js'
import { CallsInWork } from '../record/open-calls.js'
import { LogStore } from '../store/log-store.js'
import { CrossRequestDetector } from '../record/cross-request-detector.js'
import { Incidents } from '../store/incidents.js'
import { Recorder } from '../record/recorder.js'
import { RecordLinks } from '../host/record-links.js'
import type { RecordScope } from '../record/make-record.js'
import { Series } from '../store/series.js'
import { readConsoleSettings, type ConsoleSettings } from '../host/console-settings.js'
import { StallDetector } from '../record/stall-detector.js'
import { RecordStore } from '../store/record-store.js'
import { Tokens } from './sessions.js'
import type { RunFile } from '../store/run-file.js'
import { WallClock } from '../store/wall-clock.js'

export interface ConsoleParts {
  readonly host: ConsoleHost
  readonly settings: ConsoleSettings
  readonly scope: RecordScope
  readonly tokens: Tokens
  readonly store: RecordStore
  readonly logs: LogStore
  readonly series: Series
  readonly incidents: Incidents
  readonly callFigures: CallFigures
  readonly recorder: Recorder
  readonly feed: Feed
  readonly callsInWork: CallsInWork
  readonly crossRequestDetector: CrossRequestDetector
  readonly stalls: StallDetector
  readonly links: RecordLinks | null
  readonly started: number
  /** File of `devConsole.keep`; `null` without one. */
  readonly runFile: RunFile | null
}

export function makeParts(host: ConsoleHost, runFile: RunFile | null = null): ConsoleParts {
  const settings = readConsoleSettings(host)
  const scope = buildRecordScope(host, settings)
  const stores = createStores(scope, runFile)
  const { store, incidents } = stores
  const gauge = new Gauge()
  const callsInWork = new CallsInWork(store)
  const clock = new WallClock()
  const series = new Series(
    { endpoints: scope.endpoints, gauge, inFlight: () => recorder.inFlight, clock },
    performance.now(),
  )
  // The process may have waited for this code, as under `verbena dev`.
  const started = Date.now()
  const feed: Feed = new Feed({
    boot: scope.boot,
    store,
    buffer: () => store.facts(recorder.total, recorder.skipped),
    hello: () => ({ pid: scope.pid, name: host.name, version: host.version, node: process.versions.node, started }),
    point: () => {
      for (const incident of crossRequestDetector.look()) feed.incident(incident)
      return series.latest(Date.now())
    },
    openFor: (age) => callsInWork.longerThan(age),
    watched: (isWatched) => (isWatched ? gauge.start() : gauge.stop()),
  })
  const links = settings.links === 'off' ? null : new RecordLinks(settings)
  const recorder: Recorder = new Recorder({ scope, ...stores, series, clock, links }, callsInWork, feed)
  const crossRequestDetector = new CrossRequestDetector({ callsInWork, store, incidents, endpoints: scope.endpoints })
  const stalls = new StallDetector(settings.stall, (stall) => {
    const names = callsInWork.during(stall)
    if (names.length > 0 || stall.isBusy) feed.incident(incidents.stalled(stall.delay, names, Date.now()))
  })
  const tokens = new Tokens(host.options.token)
  const observing = { series, links, recorder, feed, callsInWork, crossRequestDetector, stalls }
  return { host, settings, scope, tokens, ...stores, ...observing, started, runFile }
}

type Stores = Pick<ConsoleParts, 'store' | 'logs' | 'incidents' | 'callFigures'>

function createStores({ hider, settings }: RecordScope, runFile: RunFile | null): Stores {
  return {
    store: createStore(runFile),
    logs: new LogStore(hider),
    incidents: new Incidents(settings.slow),
    callFigures: new CallFigures(),
  }
}

function createStore(runFile: RunFile | null): RecordStore {
  const store = new RecordStore()
  if (runFile === null) return store
  store.earlier = runFile.records
  store.changed = (isNotable) => runFile.changed(isNotable)
  return store
}

/** Number of long bodies that are parsed to find their secrets. */
const PARSED_BODIES = { atOnce: 20, perSecond: 5, inRow: 1 }

function buildRecordScope(host: ConsoleHost, settings: ConsoleSettings): RecordScope {
  const { endpoints, versioning, secrets } = host
  // Six characters that distinguish two starts of a process.
  const boot = randomBytes(8).readBigUInt64BE().toString(36).padStart(6, '0').slice(-6)
  const parsing = new Budget(PARSED_BODIES, performance.now())
  return {
    boot,
    pid: process.pid,
    root: process.cwd(),
    hider: new RequestRedactor(secrets),
    settings,
    endpoints,
    longJson: { most: settings.bodyLimit, mayParse: () => parsing.take(performance.now()) },
    versioning,
  }
}
