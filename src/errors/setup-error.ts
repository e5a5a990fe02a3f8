/** Setup errors: mistakes of the author, found while the app is being put together and never at request time. */
import { callerFrames, startAtCaller, type PublicFunction } from './author-calls.js'

/** Every code a setup error can carry, with what it is about in one line; `docs/errors.md` explains each. */
export const SETUP_CODES = {
  APP_STATE: 'The app was asked for something its present state does not allow',
  CHECK_FAILED: 'The app has findings, and `strict` makes them errors',
  CONTRACT_INVALID: 'A contract says something that cannot hold',
  CONTRACT_UNUSED: 'A contract stands beside no method of its name',
  DECORATOR_HIDDEN: 'Another decorator has replaced a method that is decorated',
  DECORATOR_INVALID: 'A decorator is not valid, or has an option that cannot be used',
  DECORATOR_MISUSED: 'A decorator stands where it cannot be used',
  DECORATOR_REPEATED: 'The same decorator is used twice for one method',
  ENVIRONMENT_INVALID: 'Environment variables are missing or wrong',
  JWT_INVALID: 'Options of `jwt` say something that cannot hold',
  LISTEN_FAILED: 'The server could not be opened',
  MIDDLEWARE_INVALID: 'Something that is not a middleware stands where middleware is expected',
  OPTION_INVALID: 'An option is unknown or has a value that cannot be used',
  PROVIDER_CYCLE: 'Providers use each other in a circle',
  PROVIDER_INVALID: 'A provider says something that cannot hold',
  ROUTE_CONFLICT: 'Two routes claim the same requests',
  ROUTE_EMPTY: 'A route has no endpoint',
  ROUTE_FIELD: 'A member of a route class stands where the framework cannot use it',
  ROUTE_INVALID: 'A value in `routes` is neither a route class nor a section',
  ROUTE_NAME: 'The name of a route cannot be used to derive its path',
  SCHEMA_INEXPRESSIBLE: 'A query, header, cookie or form has a member that text cannot express',
  SCHEMA_INVALID: 'A value that should be a schema does not follow Standard Schema',
  SERVICE_FAILED: 'A service could not be made',
  SERVICE_INVALID: 'A service says something that cannot hold',
  SERVICE_MISSING: 'A service reads another service that does not exist yet',
  SERVICE_NAME: 'The name of a service is taken',
  TEMPLATE_INVALID: 'A path template is malformed',
  TEST_INVALID: 'A test replaces or calls what is not there',
  UPGRADE_INVALID: 'An upgrade says something that cannot hold',
  USES_INVALID: 'Something in `uses` is no provider, or cannot be used there',
  VERSION_CONFLICT: 'Version constraints of one path overlap or cannot be compared',
  VERSION_CONSTRAINT: 'A version constraint is malformed or never satisfied',
} as const

/** The code of a setup error. */
export type SetupCode = keyof typeof SETUP_CODES

/**
 * A mistake in how an app is put together. The text says what cannot be done, why, and the way out.
 *
 * @example
 * ```ts
 * import { createApp, Route, SetupError } from 'verbena'
 *
 * class Empty extends Route {}
 * try {
 *   createApp({ routes: { Empty } })
 * } catch (error) {
 *   if (!(error instanceof SetupError)) throw error
 *   error.code // => 'ROUTE_EMPTY'
 * }
 * ```
 */
export class SetupError extends Error {
  /** Stable name of the mistake, listed in `docs/errors.md`. */
  readonly code: SetupCode

  /**
   * @param code which mistake it is
   * @param message `Cannot <do> <what>: <state>. <Way out>`, without a final period
   * @param options `cause`, where another error is behind this one
   */
  constructor(code: SetupCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SetupError'
    this.code = code
    startAtCaller(this)
  }
}

/** Runs an asynchronous function: the stacks of its setup errors begin where `entry` was called. */
export async function setupErrorsFrom<T>(entry: PublicFunction, work: () => Promise<T>): Promise<T> {
  const frames = callerFrames(entry)
  try {
    return await work()
  } catch (error) {
    if (error instanceof SetupError) error.stack = [`${error.name}: ${error.message}`, ...frames()].join('\n')
    throw error
  }
}
