/** Result of `mount` from `verbena/mount`. */
import { markCopy } from '../errors/copies.js'
import type { RouteClass } from './route-class.js'
import type { Mount } from './route-types.js'

export class MountMark implements Mount<never> {
  declare readonly '~mount': never
  /** Class with the handler as its method `all`. */
  readonly routeClass: RouteClass

  constructor(routeClass: RouteClass) {
    this.routeClass = routeClass
  }
}

markCopy(MountMark.prototype, 'a mounted handler')
