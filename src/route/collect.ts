/** From the `routes` of an app to a flat list: each class with its name, where it is mounted, and what wraps it. */
import type { Middleware } from '../context/middleware.js'
import { SetupError } from '../errors/setup-error.js'
import type { NamedProvider } from '../injection/provide.js'
import { isPlainRecord, isRecord } from '../values/objects.js'
import { checkMiddleware, type RouteClass, staticOf } from './class-statics.js'
import { kindOf } from './contract.js'
import { RouteGroup } from './group.js'
import { Route } from './route.js'

/** A class as an app registers it. */
export interface RouteEntry {
  /** Its key in `routes`, or its class name when it was given in an array or under `/`. */
  readonly name: string
  readonly routeClass: RouteClass
  readonly section: Section
  /** Whether it stands under the key `/`, which is its section's own path. */
  readonly isRoot: boolean
}

/** What surrounds a class. */
interface Section {
  /** Path before the class's own. */
  readonly mount: string
  readonly middleware: readonly Middleware[]
  /** Providers that guard the groups around it, outermost first. */
  readonly uses: readonly NamedProvider[]
  readonly tags: readonly string[]
}

/** Where registration has got to: a section, and the records around what stands in it. */
interface Place {
  readonly section: Section
  readonly around: readonly object[]
}

export const TOP: Section = { mount: '', middleware: [], uses: [], tags: [] }

export function collectRoutes(routes: unknown): RouteEntry[] {
  if (Array.isArray(routes)) return collectList(routes)
  if (isPlainRecord(routes)) return collectSection(routes, { section: TOP, around: [routes] })
  throw new SetupError('ROUTE_INVALID', 'Cannot read "routes": it is not a record. Write "routes: { UserProfiles }"')
}

export function isRouteClass(value: unknown): value is RouteClass {
  return typeof value === 'function' && value.prototype instanceof Route
}

function collectSection(routes: Readonly<Record<string, unknown>>, place: Place): RouteEntry[] {
  return Object.entries(routes).flatMap(([key, value]) => {
    if (isRouteClass(value)) return [entryOf(key, value, place.section)]
    if (value instanceof RouteGroup) return collectGroup(key, value, place)
    if (isPlainRecord(value)) return collectSection(value, inner(key, value, place))
    throw notARoute(key, value)
  })
}

function collectGroup(key: string, group: RouteGroup<unknown>, place: Place): RouteEntry[] {
  const routes = group['~group']
  if (!isPlainRecord(routes)) throw notARoute(key, routes)
  const own = checkMiddleware(group.middleware, `middleware of the group "${key}"`)
  const { section, around } = inner(key, routes, place)
  const middleware = [...section.middleware, ...own]
  const uses = [...section.uses, ...group.uses]
  const tags = [...section.tags, ...group.tags]
  return collectSection(routes, { section: { ...section, middleware, uses, tags }, around })
}

function inner(key: string, routes: object, { section, around }: Place): Place {
  if (around.includes(routes)) {
    throw invalid(key, 'it contains itself. Remove it, or give its routes a record of their own')
  }
  const mount = key.startsWith('/') ? section.mount + key : section.mount
  return { section: { ...section, mount }, around: [...around, routes] }
}

function entryOf(key: string, routeClass: RouteClass, section: Section): RouteEntry {
  if (key === '/') return rootEntry(routeClass, section)
  if (!key.startsWith('/')) return { name: key, routeClass, section, isRoot: false }
  const wayOut = `Write "static readonly path = '${key}'" in the class, or "'${key}': { '/': ${routeClass.name} }"`
  throw invalid(key, `a class stands under a path. ${wayOut}`)
}

/** Under `/` the section says the path. */
function rootEntry(routeClass: RouteClass, section: Section): RouteEntry {
  const name = routeClass.name || 'Root'
  if (staticOf(routeClass, 'path') === undefined) return { name, routeClass, section, isRoot: true }
  const wayOut = `Register it under a name, such as "{ ${name} }", or remove its path`
  throw new SetupError('ROUTE_INVALID', `Cannot register "${name}" under "/": it has a "static path". ${wayOut}`)
}

function notARoute(key: string, value: unknown): SetupError {
  const state = typeof value === 'function' ? 'it does not extend Route' : `it is ${stateOf(value)}`
  return invalid(key, `${state}. Give a class that extends Route, a group, or a record of these`)
}

function invalid(key: string, why: string): SetupError {
  return new SetupError('ROUTE_INVALID', `Cannot register "${key}": ${why}`)
}

function stateOf(value: unknown): string {
  if (!isRecord(value)) return kindOf(value)
  const name: unknown = value.constructor?.name
  return typeof name === 'string' && name !== '' ? `an instance of "${name}"` : 'an instance of a class'
}

function collectList(routes: readonly unknown[]): RouteEntry[] {
  const names = new Set<string>()
  return routes.map((value, index) => {
    if (!isRouteClass(value)) throw notARoute(`routes[${index}]`, value)
    if (staticOf(value, 'path') === undefined) checkClassName(value.name, names)
    names.add(value.name)
    return { name: value.name || `routes[${index}]`, routeClass: value, section: TOP, isRoot: false }
  })
}

/** Whether the name of a class looks as if a bundler had changed it. */
export function looksMangled(name: string): boolean {
  return name.startsWith('_') || name.length <= 2
}

/** Bundlers rename classes; a path must not change with them. */
function checkClassName(name: string, names: ReadonlySet<string>): void {
  const isTaken = names.has(name)
  if (!isTaken && !looksMangled(name)) return
  const state = isTaken ? 'two classes have this name' : 'it looks as if a bundler had changed it'
  const wayOut = 'Register the class in a record, "routes: { UserProfiles }", or give it a "static readonly path"'
  throw new SetupError('ROUTE_NAME', `Cannot derive a path from the class name "${name}": ${state}. ${wayOut}`)
}
