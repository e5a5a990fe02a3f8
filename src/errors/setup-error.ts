/** Setup errors: mistakes of the author, found while the app is being put together and never at request time. */
import type { SetupCode } from './catalogue.js'

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
  }
}
