/** Result of `upgrade` from `verbena/upgrade`. It contains the code that handles upgrades, so that other apps do not load it. */
import { markCopy } from '../errors/copies.js'
import type { OwnServer } from '../http/server.js'
import type { UpgradeRequest } from '../http/upgrade-exchange.js'
import type { Serve } from '../http/node-exchange.js'
import type { NamedProvider } from '../injection/provide.js'
import type { Router } from '../router/router.js'
import type { RouteClass } from './route-class.js'
import type { Upgrade } from './route-types.js'

export interface UpgradePaths {
  /** Matches all paths of the app; `upgrade` is `null` for paths without one. */
  readonly router: Router<{ readonly upgrade: { readonly protocol: string } | null }>
  readonly trailingSlash: string
}

/**
 * Makes a server accept upgrades. `serve` receives the upgrade requests. Other paths ignore the upgrade and respond as usual.
 *
 * @param isOther whether another handler takes the upgrade
 */
export type TakeUpgrades = (
  own: OwnServer,
  paths: UpgradePaths,
  serve: Serve,
  isOther: (request: UpgradeRequest) => boolean,
) => void

export class UpgradeMark implements Upgrade<never> {
  declare readonly '~upgrade': never
  /** Class with the handler as its method `get`. */
  readonly routeClass: RouteClass
  /** Protocol that clients request in `Upgrade`, such as `websocket`. */
  readonly protocol: string
  /** Guards that run before all others. */
  readonly guards: readonly NamedProvider[]
  readonly take: TakeUpgrades

  constructor(routeClass: RouteClass, protocol: string, guards: readonly NamedProvider[], take: TakeUpgrades) {
    this.routeClass = routeClass
    this.protocol = protocol
    this.guards = guards
    this.take = take
  }
}

markCopy(UpgradeMark.prototype, 'an upgrade')
