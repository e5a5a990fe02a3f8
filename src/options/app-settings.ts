/** From the options of an app to what its server and its versions need. */
import type { ServerSettings } from '../http/connection.js'
import type { Limits } from '../request/app-state.js'
import { versionSource, type VersionSource } from '../request/version-source.js'
import { type CommonOptions, DEFAULTS, type Timeouts, withDefaults } from './options.js'

export function serverSettings(limits: Limits, given: Partial<Timeouts> | undefined): ServerSettings {
  const timeouts = withDefaults(DEFAULTS.timeouts, given)
  return {
    headers: limits.headers,
    headerBytes: limits.headerBytes,
    connections: limits.connections,
    headersTimeout: timeouts.headers,
    keepAliveTimeout: timeouts.keepAlive,
    bodyTimeout: timeouts.body,
    writeTimeout: timeouts.write,
    fastPath: true,
  }
}

export interface VersionSettings extends VersionSource {
  /** The version of requests that name none, as its author wrote it. */
  readonly fallback: string
  /** Whether `versioning.default` says so; else it is the version of the app. */
  readonly isPinned: boolean
}

export function versionSettings(options: Pick<CommonOptions, 'version' | 'versioning'>): VersionSettings {
  const { from, default: pinned } = withDefaults(DEFAULTS.versioning, options.versioning)
  const fallback = pinned ?? options.version ?? DEFAULTS.version
  return { ...versionSource(from), fallback, isPinned: pinned !== undefined }
}
