/** Setup errors: mistakes in your code that Verbena finds while the app is created, before the first request. */
import { callerFrames, startAtCaller, type PublicFunction } from './author-calls.js'

/** Codes of setup errors with a one-line summary; `docs/errors.md` explains each. */
export const SETUP_CODES = {
  APP_STATE: 'The app is in the wrong state for this call',
  CHECK_FAILED: 'The app has findings, and `strict` makes them errors',
  CONTRACT_INVALID: 'A contract has an invalid part, or parts that contradict each other',
  CONTRACT_UNUSED: 'A contract has no method with the same name',
  DECORATOR_HIDDEN: 'Another decorator has replaced a decorated method',
  DECORATOR_INVALID: 'A decorator is invalid',
  DECORATOR_MISUSED: 'A decorator is used in an unsupported place',
  DECORATOR_REPEATED: 'A decorator is used twice on the same method',
  ENVIRONMENT_INVALID: 'Environment variables are missing or invalid',
  LISTEN_FAILED: 'The server cannot listen on the address',
  MIDDLEWARE_INVALID: 'A value in a list of middleware is not a middleware function',
  OPTION_INVALID: 'An option or an argument is unknown, missing or invalid',
  PROOF_INVALID: 'A proof cannot use its app, its actors, its examples or its file',
  PROVIDER_CYCLE: 'Providers use each other in a cycle',
  PROVIDER_INVALID: 'Providers of credentials cannot be combined',
  ROUTE_CONFLICT: 'Two routes match the same requests',
  ROUTE_EMPTY: 'A route has no endpoint',
  ROUTE_FIELD: 'A property of a route class is declared in an unsupported way',
  ROUTE_INVALID: 'A value in `routes` is neither a route class nor a section',
  ROUTE_NAME: 'The name of a route cannot be used to derive its path',
  SCHEMA_INEXPRESSIBLE: 'A query, header, cookie or form has a member that text cannot express',
  SCHEMA_INVALID: 'A value that should be a schema does not follow Standard Schema',
  SERVICE_FAILED: 'A service could not be created',
  SERVICE_MISSING: 'A service reads another service that does not exist yet',
  SERVICE_NAME: 'The name of a service is reserved',
  TEMPLATE_INVALID: 'A path template is malformed',
  TEST_INVALID: 'A test replaces or calls something that does not exist',
  USES_INVALID: 'A value in `uses` is not a provider, or cannot be used there',
  VERSION_CONFLICT: 'Version constraints of one path overlap or cannot be compared',
  VERSION_CONSTRAINT: 'A version constraint is malformed or never satisfied',
} as const

/** The code of a setup error. */
export type SetupCode = keyof typeof SETUP_CODES

/**
 * A mistake in the setup of an app. The message says what failed, why, and how to fix it.
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
  /** Stable code, listed in `docs/errors.md`. */
  readonly code: SetupCode

  /**
   * @param code stable code of the mistake
   * @param message `Cannot <do what>: <state>. <Fix>`, without a final period
   * @param options `cause`: the error that caused this one
   */
  constructor(code: SetupCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SetupError'
    this.code = code
    startAtCaller(this)
  }
}

/** Runs an asynchronous function. Stacks of its setup errors begin at the call of `entry`. */
export async function setupErrorsFrom<T>(entry: PublicFunction, work: () => Promise<T>): Promise<T> {
  const frames = callerFrames(entry)
  try {
    return await work()
  } catch (error) {
    if (error instanceof SetupError) error.stack = [`${error.name}: ${error.message}`, ...frames()].join('\n')
    throw error
  }
}
