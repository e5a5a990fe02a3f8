/** The static members of a route class: path, prefix, uses, middleware, tags, meta. */
import type { Middleware } from '../context/middleware.js'
import type { Meta } from '../context/types.js'
import { SetupError } from '../errors/setup-error.js'
import type { NamedProvider } from '../injection/uses.js'
import { readClassUses } from './class-uses.js'
import { isTextList } from './contract-checks.js'

/** A route class at run time: it extends `Route`. */
export type RouteClass = new () => object

/** Reads a static member, inherited ones included. */
export function staticOf(routeClass: RouteClass, key: string): unknown {
  return Reflect.get(routeClass, key)
}

/** What the static members of a class say. */
export interface Statics {
  /** Put before the path; empty without one. */
  readonly prefix: string
  /** Path as given, `undefined` when it is derived from the name. */
  readonly path: string | undefined
  /** Providers, guards among them. */
  readonly uses: readonly NamedProvider[]
  readonly middleware: readonly Middleware[]
  readonly tags: readonly string[]
  readonly meta: Meta
}

/** Names that look as if they did something: a class must not look guarded when it is not. */
const SLIPS: ReadonlyMap<string, string> = new Map([
  ['use', 'uses'],
  ['guard', 'uses'],
  ['guards', 'uses'],
  ['decorator', 'decorators'],
  ['middlewares', 'middleware'],
])

/** Reads the static members of a class, inherited ones included. */
export function readStatics(routeClass: RouteClass, name: string): Statics {
  for (const [slip, meant] of SLIPS) {
    if (staticOf(routeClass, slip) === undefined) continue
    throw fieldError(`static ${slip}`, name, `it would have no effect. Did you mean "static ${meant}"? Else rename it`)
  }
  return {
    prefix: readText(routeClass, name, 'prefix') ?? '',
    path: readText(routeClass, name, 'path'),
    uses: readClassUses(routeClass, name),
    middleware: checkMiddleware(staticOf(routeClass, 'middleware') ?? [], `static middleware of "${name}"`),
    tags: readTags(routeClass, name),
    meta: readMeta(routeClass, name),
  }
}

/** Checks a list of middleware. */
export function checkMiddleware(value: unknown, where: string): readonly Middleware[] {
  if (!Array.isArray(value)) {
    throw new SetupError('MIDDLEWARE_INVALID', `Cannot use ${where}: it is not an array. Write "[first, second]"`)
  }
  const list: readonly unknown[] = value
  for (const [index, entry] of list.entries()) {
    if (typeof entry === 'function') continue
    const wayOut = 'A middleware is a function "(context, next) => Promise<Reply>"'
    throw new SetupError('MIDDLEWARE_INVALID', `Cannot use ${where}: entry ${index} is not a function. ${wayOut}`)
  }
  return value
}

/** The error for a member that stands where it cannot be used. */
export function fieldError(member: string, name: string, why: string): SetupError {
  return new SetupError('ROUTE_FIELD', `Cannot use ${member} of "${name}": ${why}`)
}

function readText(routeClass: RouteClass, name: string, key: string): string | undefined {
  const value = staticOf(routeClass, key)
  if (value === undefined || typeof value === 'string') return value
  throw fieldError(`static ${key}`, name, `it is not a string. Write "static readonly ${key} = '/…'"`)
}

function readTags(routeClass: RouteClass, name: string): readonly string[] {
  const value = staticOf(routeClass, 'tags') ?? []
  if (isTextList(value)) return value
  throw fieldError('static tags', name, 'it is not an array of strings. Write "static readonly tags = [\'users\']"')
}

function readMeta(routeClass: RouteClass, name: string): Meta {
  const value = staticOf(routeClass, 'meta') ?? {}
  if (typeof value === 'object' && value !== null) return value
  throw fieldError('static meta', name, 'it is not an object. Write "static readonly meta = { … }"')
}
