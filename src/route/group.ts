/** Groups: a section of routes with middleware and tags of its own. */
import { startStackAtCaller } from '../errors/author-calls.js'
import type { Middleware } from '../context/middleware.js'
import { ANYTHING, checkMembers, rule, type Rules } from '../errors/known-keys.js'
import { SetupError } from '../errors/setup-error.js'
import { ERRORS_FLAW, isErrors, readUses } from '../injection/provide.js'
import type { ErrorsSpec, NamedProvider, Uses } from '../injection/provide.js'
import { isRecord } from '../values/objects.js'
import { checkCors, checkSecurityHeaders } from './answer-options.js'
import type { AnswerChanges, CorsOptions, SecurityHeaders } from './answer-options.js'
import { isTextList, switchRule } from './contract.js'
import { checkErrorFormat, type ErrorFormat, type ErrorFormatSpec } from './error-format.js'
import type { CheckedInput, Group, Routes } from './route-types.js'

startStackAtCaller(group)

/** What is common to the routes of a group. */
export interface GroupOptions<R, GroupUses = Uses, Format = unknown> {
  /** Wraps the answers of its paths, inside of what wraps the app's. */
  readonly middleware?: readonly Middleware[]
  /** Providers that run as guards of all its endpoints, before those of the class; handlers do not get their values. */
  readonly uses?: GroupUses
  /** Problems that its endpoints answer on purpose, as in a contract; those of class and contract count before them. */
  readonly errors?: ErrorsSpec
  /** Tags in the document. */
  readonly tags?: readonly string[]
  /** Says of its endpoints without a security scheme that nobody has to say who they are. */
  readonly public?: boolean
  /** What their error answers look like, and those below its path that no route has; as around it unless given. */
  readonly errorFormat?: ErrorFormat<Format>
  /** Which pages of other origins may read its answers, and those below its path that no route has; `false` for none. */
  readonly cors?: CorsOptions | false
  /** The security headers of the same answers; `false` for none. */
  readonly securityHeaders?: SecurityHeaders | false
  /** Its routes. */
  readonly routes: R & CheckedInput<R>
}

export class RouteGroup<R, Format = unknown> implements Group<R> {
  readonly '~group': R
  readonly middleware: readonly Middleware[]
  readonly uses: readonly NamedProvider[]
  readonly errors: ErrorsSpec
  readonly tags: readonly string[]
  readonly isPublic: boolean | undefined
  readonly errorFormat: ErrorFormatSpec | undefined
  readonly answers: AnswerChanges

  constructor(options: GroupOptions<R, Uses, Format>) {
    const { routes, middleware = [], uses, errors = [], tags = [], public: isPublic, errorFormat } = options
    this['~group'] = routes
    this.middleware = middleware
    this.uses = uses === undefined ? [] : readUses(uses, 'a group')
    this.errors = errors
    this.tags = tags
    this.isPublic = isPublic
    this.errorFormat = errorFormat
    this.answers = options
  }
}

/**
 * Gives middleware, guards, problems and their format, tags and header fields to some routes.
 *
 * @param options routes, and what is common to them
 * @returns a value for `routes`
 * @throws SetupError `ROUTE_INVALID` for an unknown key, or a value that cannot be used, `USES_INVALID`
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
export function group<const R extends Routes, const GroupUses extends Uses = {}, Format = unknown>(
  options: GroupOptions<R, GroupUses, Format>,
): Group<R, GroupUses, Format> {
  const untrusted: unknown = options
  if (!isRecord(untrusted)) throw groupError('its options are no record. Write "group({ routes: { … } })"')
  checkMembers(untrusted, RULES, groupError, 'A group has')
  const { errorFormat, cors = false, securityHeaders = false } = untrusted
  if (errorFormat !== undefined) checkErrorFormat(errorFormat, (why) => unusable('errorFormat', why))
  if (cors !== false) checkCors(cors, (why) => unusable('cors', why))
  if (securityHeaders !== false) checkSecurityHeaders(securityHeaders, (why) => unusable('securityHeaders', why))
  return new RouteGroup(options)
}

const RULES: Rules = {
  ...{ middleware: ANYTHING, uses: ANYTHING },
  errors: rule(isErrors, ERRORS_FLAW),
  tags: rule(isTextList, `"tags" is not an array of strings. Write "tags: ['users']"`),
  public: switchRule('public'),
  ...{ errorFormat: ANYTHING, cors: ANYTHING, securityHeaders: ANYTHING, routes: ANYTHING },
}

function groupError(why: string): SetupError {
  return new SetupError('ROUTE_INVALID', `Cannot make a group: ${why}`)
}

function unusable(key: string, why: string): SetupError {
  return new SetupError('ROUTE_INVALID', `Cannot use the "${key}" of a group: ${why}`)
}
