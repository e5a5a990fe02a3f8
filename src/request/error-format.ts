/** Finds the error format of a request. */
import { parseTarget } from '../http/target.js'
import { match } from '../router/match.js'
import type { Call } from './call.js'
import type { FormatPlan } from './endpoint.js'

/** Errors thrown by formats, by request; for tests. */
export const formatFaults: WeakMap<Call, unknown> = new WeakMap<Call, unknown>()

/** Returns the format of the endpoint, its path, the longest matching mount or the app, in that order; `null` for problem details. */
export function findErrorFormat({ endpoint, pathMatch, path, exchange, app }: Call): FormatPlan | null {
  const located = endpoint ?? pathMatch?.entry
  if (located !== undefined) return located.errorFormat
  // Requests that fail before routing may still have a path.
  const target = path === '' ? parseTarget(exchange.url) : { path }
  if (typeof target === 'string') return app.errorFormat
  return (match(app.router, target.path)?.value ?? app.mounts?.of(target.path) ?? app).errorFormat
}
