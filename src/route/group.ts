/** Groups: a section of routes with middleware and tags of its own. */
import type { Middleware } from '../context/middleware.js'
import { ANYTHING, checkMembers, rule, type Rules } from '../errors/known-keys.js'
import { SetupError } from '../errors/setup-error.js'
import { type Uses, type NamedProvider, readUses } from '../injection/provide.js'
import { isRecord } from '../values/objects.js'
import { isTextList, switchRule } from './contract.js'
import type { Checked, Group, Routes } from './route-types.js'

/** What is common to the routes of a group. */
export interface GroupOptions<R, GroupUses = Uses> {
  /** Wraps the answers of its paths, inside of what wraps the app's. */
  readonly middleware?: readonly Middleware[]
  /** Providers that run as guards of all its endpoints, before those of the class; handlers do not get their values. */
  readonly uses?: GroupUses
  /** Tags in the document. */
  readonly tags?: readonly string[]
  /** Says of its endpoints without a security scheme that nobody has to say who they are. */
  readonly public?: boolean
  /** Its routes. */
  readonly routes: R & Checked<R>
}

export class RouteGroup<R> implements Group<R> {
  readonly '~group': R
  readonly middleware: readonly Middleware[]
  readonly uses: readonly NamedProvider[]
  readonly tags: readonly string[]
  readonly isPublic: boolean | undefined

  constructor({ routes, middleware = [], uses, tags = [], public: isPublic }: GroupOptions<R>) {
    this['~group'] = routes
    this.middleware = middleware
    this.uses = uses === undefined ? [] : readUses(uses, 'a group')
    this.tags = tags
    this.isPublic = isPublic
  }
}

/**
 * Gives middleware, guards and tags to some routes.
 *
 * @param options routes, and what is common to them
 * @returns a value for `routes`
 * @throws SetupError `ROUTE_INVALID` for an unknown key or tags that are no texts, `USES_INVALID`
 *
 * @example
 * ```ts
 * import { createApp, group, Route } from 'verbena'
 *
 * class Health extends Route {
 *   async get() {
 *     return 'fine'
 *   }
 * }
 * const app = createApp({ routes: { '/v1': group({ tags: ['internal'], routes: { Health } }) } })
 * app.routes().map(({ method, path }) => `${method} ${path}`) // => ['GET /v1/health']
 * ```
 */
export function group<const R extends Routes, const GroupUses extends Uses = {}>(
  options: GroupOptions<R, GroupUses>,
): Group<R, GroupUses> {
  const given: unknown = options
  if (!isRecord(given)) throw invalid('its options are no record. Write "group({ routes: { … } })"')
  checkMembers(given, RULES, invalid, 'A group has')
  return new RouteGroup(options)
}

const RULES: Rules = {
  ...{ middleware: ANYTHING, uses: ANYTHING },
  tags: rule(isTextList, `"tags" is not an array of strings. Write "tags: ['users']"`),
  public: switchRule('public'),
  routes: ANYTHING,
}

function invalid(why: string): SetupError {
  return new SetupError('ROUTE_INVALID', `Cannot make a group: ${why}`)
}
