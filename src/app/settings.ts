/** From the options of an app to what its server holds. */
import type { ServerSettings } from '../http/settings.js'
import type { Limits } from './core.js'
import { DEFAULTS, withDefaults, type Timeouts } from './options.js'

/**
 * What a server holds of an app's options.
 *
 * @param limits complete
 * @param given time-outs as given to `createApp`
 * @returns the settings
 */
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
  }
}
