/** Whether an app has a path, before it handles the request. */
import { parseTarget, readRawPath } from '../http/target.js'
import type { AppState } from '../request/app-state.js'
import type { Call } from '../request/call.js'
import { fallbackPath, match, matchesForm, withoutSlash } from '../router/match.js'
import type { Router } from '../router/router.js'

type Paths = Pick<AppState<Call>, 'router' | 'fallbacks' | 'handlers' | 'trailingSlash'>

/** Whether the app has to respond to a request target itself, because it has its path, or because the target is malformed or `*`. */
export function isForApp(paths: Paths, url: string): boolean {
  const target = parseTarget(url)
  return typeof target === 'string' || target.path === '*' || hasPath(paths, url)
}

/**
 * Whether a route, a mounted handler or a fallback has the path of a request target, with the trailing slash that the app accepts. A
 * malformed target has a path if a template has its form, such as `/users/{id}` for `/users/%zz`.
 */
export function hasPath({ router, fallbacks, handlers, trailingSlash }: Paths, url: string): boolean {
  const target = parseTarget(url)
  const path = typeof target === 'string' ? readRawPath(url) : target.path
  const isIn = (paths: Router<unknown>, text: string): boolean =>
    typeof target === 'string' ? matchesForm(paths, text) : match(paths, text) !== undefined
  if (isIn(router, path) || handlers?.of(path) !== undefined) return true
  const plainPath = trailingSlash === 'strict' ? null : withoutSlash(path)
  if (plainPath !== null && isIn(router, plainPath)) return true
  return fallbacks !== null && isIn(fallbacks, fallbackPath(path))
}
