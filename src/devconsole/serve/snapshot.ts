/** The snapshot: what a page needs to begin with, in one answer. */
import { STATUS_TITLES } from '../../errors/status.js'
import type { ConsoleParts } from './console-parts.js'
import type { Snapshot } from '../wire/feed-types.js'
import { WIRE_VERSION } from '../wire/request-types.js'

const MOST_LINES = 500

export function takeSnapshot(parts: ConsoleParts): Snapshot {
  const { host, scope, store, logs, series, incidents, recorder, feed, crossRequestDetector, started } = parts
  const { slow, stall, editor } = parts.settings
  const now = Date.now()
  // It finds each only once: tell the pages that are open already.
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
    settings: { slow, stall, editor, openapi: host.openapiPath, versionHeader: host.versioning.header },
    titles: Object.fromEntries(STATUS_TITLES),
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
