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
  return typeof target === 'string' || target.path === '*' || isIn(paths, target.path, hasLeaf)
}

/**
 * Whether a route, a mounted handler or a fallback has the path of a request target, with the trailing slash that the app accepts. A
 * malformed target has a path if a template has its form, such as `/users/{id}` for `/users/%zz`.
 */
export function hasPath(paths: Paths, url: string): boolean {
  const target = parseTarget(url)
  if (typeof target === 'string') return isIn(paths, readRawPath(url), matchesForm)
  return isIn(paths, target.path, hasLeaf)
}

type Matcher = (router: Router<unknown>, path: string) => boolean

function hasLeaf(router: Router<unknown>, path: string): boolean {
  return match(router, path) !== undefined
}

function isIn({ router, fallbacks, handlers, trailingSlash }: Paths, path: string, isMatch: Matcher): boolean {
  if (isMatch(router, path) || handlers?.of(path) !== undefined) return true
  const plainPath = trailingSlash === 'strict' ? null : withoutSlash(path)
  if (plainPath !== null && isMatch(router, plainPath)) return true
  return fallbacks !== null && isMatch(fallbacks, fallbackPath(path))
}
