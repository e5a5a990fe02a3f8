/** The snapshot: what a page needs to begin with, in one answer. */
import { STATUS_TITLES } from '../../errors/status.js'
import type { ConsoleParts } from './console-parts.js'
import type { PageSettings, Snapshot } from '../wire/feed-types.js'
import { WIRE_VERSION } from '../wire/request-types.js'

/** The page is told them, so that it need not hold them. */
const TITLES: Readonly<Record<string, string>> = Object.fromEntries(STATUS_TITLES)
const MOST_LINES = 500

export function takeSnapshot(parts: ConsoleParts): Snapshot {
  const { host, scope, store, logs, series, incidents, recorder, feed, crossRequestDetector, started } = parts
  const now = Date.now()
  // It finds each only once: pages that are open already must learn of it, too.
  for (const incident of crossRequestDetector.look()) feed.incident(incident)
  return {
    v: WIRE_VERSION,
    boot: scope.boot,
    seq: store.seq,
    now,
    app: {
      name: host.name,
      version: host.version,
      node: process.versions.node,
      platform: `${process.platform} ${process.arch}`,
      root: scope.root,
    },
    processes: [{ pid: scope.pid, started }],
    settings: settingsOf(parts),
    titles: TITLES,
    buffer: store.facts(recorder.total),
    requests: store.all.map((recorded) => store.summary(recorded)),
    metrics: series.metrics(now),
    problems: incidents.list(now),
    logs: logs.items
      .slice(-MOST_LINES)
      .toReversed()
      .map(({ line }) => line),
  }
}

function settingsOf({ settings, host }: ConsoleParts): PageSettings {
  const { slow, stall, editor } = settings
  return { slow, stall, editor, openapi: host.openapiPath, versionHeader: host.versioning.header }
}
