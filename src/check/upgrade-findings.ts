/** Findings about upgrades that clients cannot reach. */
import type { Endpoint } from '../request/endpoint.js'
import type { Finding } from './findings.js'

/** Reports the upgrades of an app that has no server. Node passes upgrades to the event `upgrade` of a server, not to its `request` listeners. */
export function unreachableUpgrades(endpoints: readonly Endpoint[]): Finding[] {
  return endpoints.flatMap(({ route, method, path, upgrade }) => {
    if (upgrade === null) return []
    const message = `No client can connect to "${path}": "app.handler" receives no upgrades`
    const fix = 'Open the app on its own server with "app.listen()" or "app.attach(server)"'
    return [{ code: 'UPGRADE_UNREACHABLE', route, method, message, fix }]
  })
}
