/** Recognizes upgrades: requests for the protocol of their path. */
import type { UpgradeRequest } from '../../http/upgrade-exchange.js'
import { parseTarget } from '../../http/target.js'
import { serveUpgrades } from '../../http/upgrades.js'
import type { TakeUpgrades, UpgradePaths } from '../../route/upgrade-mark.js'
import { match, withoutSlash } from '../../router/match.js'

export const takeUpgrades: TakeUpgrades = (own, paths, serve, isOther) => {
  serveUpgrades(own, (request) => isUpgrade(request, paths) || isOther(request), serve)
}

/**
 * Rejects HTTP/1.0, which has no upgrades, and requests with a body. Checks `Connection` again, because Node's parser also reports an
 * upgrade for `Proxy-Connection`.
 */
function isUpgrade({ method, httpVersion, url, headers }: UpgradeRequest, paths: UpgradePaths): boolean {
  if (method !== 'GET' || httpVersion !== '1.1' || 'expect' in headers) return false
  if ('transfer-encoding' in headers || Number(headers['content-length']) > 0) return false
  if (!includesProtocol(headers.connection, 'upgrade')) return false
  const protocol = requestedProtocol(String(url), paths)
  return protocol !== undefined && includesProtocol(headers.upgrade, protocol)
}

/** Whether a comma-separated header contains the name. */
function includesProtocol(field: string | undefined, name: string): boolean {
  return field?.split(',').some((each) => each.trim().toLowerCase() === name) === true
}

function requestedProtocol(url: string, { router, trailingSlash }: UpgradePaths): string | undefined {
  const target = parseTarget(url)
  if (typeof target === 'string') return undefined
  const { path } = target
  // Clients of WebSockets do not follow redirects.
  const plainPath = trailingSlash === 'strict' ? null : withoutSlash(path)
  const leaf = match(router, path) ?? (plainPath === null ? undefined : match(router, plainPath))
  return leaf?.value.upgrade?.protocol
}
