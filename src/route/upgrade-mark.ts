/** What `upgrade` of `verbena/upgrade` makes, as registration sees it. It brings the code that takes upgrades: no other app loads that. */
import type { OwnServer } from '../http/server.js'
import type { Serve } from '../http/node-exchange.js'
import type { NamedProvider } from '../injection/provide.js'
import type { Router } from '../router/router.js'
import type { RouteClass } from './route-class.js'
import type { Upgrade } from './route-types.js'

/** Where an app takes upgrades. */
export interface UpgradePaths {
  /** Knows all paths of the app; those without an upgrade have `null`. */
  readonly router: Router<{ readonly upgrade: { readonly protocol: string } | null }>
  readonly trailingSlash: string
}

/** Has a server take upgrades: `serve` gets the requests for them, all others are answered as if there were none. */
export type TakeUpgrades = (own: OwnServer, paths: UpgradePaths, serve: Serve) => void

export class UpgradeMark implements Upgrade<never> {
  declare readonly '~upgrade': never
  /** Its method `get` is the handler. */
  readonly routeClass: RouteClass
  /** What clients have to ask for, such as `websocket`. */
  readonly protocol: string
  /** They run before all other guards. */
  readonly guards: readonly NamedProvider[]
  readonly take: TakeUpgrades

  constructor(routeClass: RouteClass, protocol: string, guards: readonly NamedProvider[], take: TakeUpgrades) {
    this.routeClass = routeClass
    this.protocol = protocol
    this.guards = guards
    this.take = take
  }
}
