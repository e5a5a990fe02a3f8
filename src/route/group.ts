/** `group`, which applies options to several routes. */
import { startStackAtCaller } from '../errors/author-calls.js'
import type { Middleware } from '../context/middleware.js'
import { markCopy } from '../errors/copies.js'
import {
  anyRule,
  checkOptions,
  orFalse,
  mandatory,
  rule,
  stringListRule,
  SWITCH,
  type Rule,
  type Rules,
} from '../errors/options.js'
import { ERRORS_RULE, readUses } from '../injection/provide.js'
import type { ErrorsSpec, NamedProvider, Uses } from '../injection/provide.js'
import { isPlainRecord } from '../values/objects.js'
import { checkOrigins, CORS, SECURITY_HEADERS } from './response-options.js'
import type { ResponseChanges, CorsOptions, SecurityHeaders } from './response-options.js'
import { ERROR_FORMAT, type ErrorFormat, type ErrorFormatSpec } from './error-format.js'
import type { CheckedInput, Group, Routes } from './route-types.js'

startStackAtCaller(group)

/** Options of a group, which apply to all its routes. */
export interface GroupOptions<R, GroupUses = Uses, Format = unknown> {
  /** Middleware for the paths of the group. Runs inside the middleware of the app. */
  readonly middleware?: readonly Middleware[]
  /** Providers that run as guards of all endpoints, before the providers of the class. Handlers do not receive their values. */
  readonly uses?: GroupUses
  /** Declared problems of all endpoints, as in a contract. Class and contract override equal statuses. */
  readonly errors?: ErrorsSpec
  /** Tags in the OpenAPI document. */
  readonly tags?: readonly string[]
  /** Declares that endpoints without a security scheme do not require authentication. */
  readonly public?: boolean
  /** Format of error responses, including the 404 of unknown paths below the group; default: the format of the enclosing group or app. */
  readonly errorFormat?: ErrorFormat<Format>
  /** CORS of responses, including the 404 of unknown paths below the group; `false` disables CORS. */
  readonly cors?: CorsOptions | false
  /** Security headers of the same responses; `false` disables them. */
  readonly securityHeaders?: SecurityHeaders | false
  /** Routes, groups and sections of the group. */
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
  readonly responseChanges: ResponseChanges

  constructor(options: GroupOptions<R, Uses, Format>) {
    const { routes, middleware = [], uses, errors = [], tags = [], public: isPublic, errorFormat } = options
    this['~group'] = routes
    this.middleware = middleware
    this.uses = uses === undefined ? [] : readUses(uses, 'a group')
    this.errors = errors
    this.tags = tags
    this.isPublic = isPublic
    this.errorFormat = errorFormat
    this.responseChanges = options
  }
}

markCopy(RouteGroup.prototype, 'a group')

/** Rule for routes, which are checked one by one when the app is created. */
export const ROUTES: Rule = rule(
  (value) => Array.isArray(value) || isPlainRecord(value),
  'be an object of routes',
  '{ Users }',
)

/**
 * Applies middleware, guards, declared problems, an error format, tags, CORS and security headers to several routes.
 *
 * @param options routes, and the options that apply to them
 * @returns a value for `routes`
 * @throws SetupError `OPTION_INVALID`, `USES_INVALID` for invalid `uses`
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
  checkOptions(options, RULES, 'group()')
  const { cors = false } = options
  if (cors !== false) checkOrigins(cors, 'cors.', 'group()')
  return new RouteGroup(options)
}

const RULES: Rules<GroupOptions<Routes, Uses, unknown>> = {
  middleware: anyRule('[first, second]'),
  uses: anyRule('{ user }'),
  errors: ERRORS_RULE,
  tags: stringListRule("['users']"),
  public: SWITCH,
  errorFormat: ERROR_FORMAT,
  cors: orFalse(CORS),
  securityHeaders: orFalse(SECURITY_HEADERS),
  routes: mandatory(ROUTES),
}
