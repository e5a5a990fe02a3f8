/** Makes a flat list of the `routes` of an app: each class with its name, where it is mounted, and what wraps it. */
import type { Middleware } from '../context/middleware.js'
import { SetupError } from '../errors/setup-error.js'
import type { ErrorsSpec, NamedProvider } from '../injection/provide.js'
import { describeType } from '../values/describe-type.js'
import { isPlainRecord, isRecord, type UnknownRecord } from '../values/objects.js'
import { checkMiddleware, type RouteClass, readStatic } from './route-class.js'
import { answersIn, type ResponseSettings } from './answer-options.js'
import type { ErrorFormatSpec } from './error-format.js'
import { RouteGroup } from './group.js'
import { Route } from './route.js'
import { UpgradeMark } from './upgrade-mark.js'

export interface RouteEntry {
  /** Its key in `routes`, or its class name when it was given in an array or under `/`. */
  readonly name: string
  readonly routeClass: RouteClass
  readonly section: Section
  /** Whether its section says its path: it stands under the key `/`, or is an upgrade under a path. */
  readonly isRoot: boolean
  /** `null` for a class. */
  readonly upgrade: UpgradeMark | null
}

/** What surrounds a class. */
export interface Section {
  /** Path before the class's own. */
  readonly mount: string
  readonly middleware: readonly Middleware[]
  /** Providers that guard the groups around it, outermost first. */
  readonly uses: readonly NamedProvider[]
  /** What the groups around it say of problems, outermost first. */
  readonly errors: readonly ErrorsSpec[]
  readonly tags: readonly string[]
  /** What the innermost group says of it. */
  readonly isPublic: boolean | undefined
  /** What errors look like in it; `undefined` for problem details. */
  readonly errorFormat: ErrorFormatSpec | undefined
  readonly answers: ResponseSettings
  /** The sections with a path around it, outermost first, and itself where it has one. */
  readonly mounted: readonly Section[]
}

const NONE: readonly never[] = []
export const TOP: Section = {
  ...{ mount: '', middleware: NONE, uses: NONE, errors: NONE, tags: NONE },
  ...{ isPublic: undefined, errorFormat: undefined, mounted: NONE },
  answers: { cors: undefined, securityHeaders: undefined, compression: undefined },
}

export function collectRoutes(routes: unknown, top: Section = TOP): RouteEntry[] {
  if (Array.isArray(routes)) return collectList(routes, top)
  if (isPlainRecord(routes)) return collectSection(routes, top, [routes])
  throw new SetupError('ROUTE_INVALID', 'Cannot read "routes": it is not a record. Write "routes: { UserProfiles }"')
}

export function isRouteClass(value: unknown): value is RouteClass {
  return typeof value === 'function' && value.prototype instanceof Route
}

/** `around` holds the record itself and those around it. */
function collectSection(routes: UnknownRecord, section: Section, around: readonly object[]): RouteEntry[] {
  return Object.entries(routes).flatMap(([key, value]) => {
    if (isRouteClass(value)) return [toRouteEntry(key, value, section)]
    if (value instanceof UpgradeMark) return [upgradeEntry(key, value, section)]
    const records = value instanceof RouteGroup ? value['~group'] : value
    if (!isPlainRecord(records)) throw notARoute(key, records)
    if (around.includes(records)) {
      throw routeError(key, 'it contains itself. Remove it, or give its routes a record of their own')
    }
    const groupSection = value instanceof RouteGroup ? toSection(key, value, section) : section
    const inner = key.startsWith('/') ? mountedAt(section.mount + (key === '/' ? '' : key), groupSection) : groupSection
    return collectSection(records, inner, [...around, records])
  })
}

function mountedAt(mount: string, section: Section): Section {
  const nested = { ...section, mount }
  return { ...nested, mounted: [...section.mounted, nested] }
}

function toSection(key: string, group: RouteGroup<unknown>, section: Section): Section {
  const groupMiddleware = checkMiddleware(group.middleware, `middleware of the group "${key}"`)
  const middleware = [...section.middleware, ...groupMiddleware]
  const { errorFormat = section.errorFormat } = group
  return {
    ...section,
    ...{ middleware, errorFormat, answers: answersIn(section.answers, group.answers) },
    uses: [...section.uses, ...group.uses],
    errors: [...section.errors, group.errors],
    tags: [...section.tags, ...group.tags],
    isPublic: group.isPublic ?? section.isPublic,
  }
}

function toRouteEntry(key: string, routeClass: RouteClass, section: Section): RouteEntry {
  if (!key.startsWith('/')) return { name: key, routeClass, section, isRoot: false, upgrade: null }
  if (key !== '/') {
    const fix = `Write "static readonly path = '${key}'" in the class, or "'${key}': { '/': ${routeClass.name} }"`
    throw routeError(key, `a class stands under a path. ${fix}`)
  }
  // The section says the path.
  const name = routeClass.name || 'Root'
  if (readStatic(routeClass, 'path') === undefined) return { name, routeClass, section, isRoot: true, upgrade: null }
  const fix = `Register it under a name, such as "{ ${name} }", or remove its path`
  throw new SetupError('ROUTE_INVALID', `Cannot register "${name}" under "/": it has a "static path". ${fix}`)
}

/** Under a path it stands there, whatever else its class would say. */
function upgradeEntry(key: string, upgrade: UpgradeMark, section: Section): RouteEntry {
  const isRoot = key.startsWith('/')
  const mount = isRoot && key !== '/' ? section.mount + key : section.mount
  const nested = { ...section, mount, uses: [...upgrade.guards, ...section.uses] }
  return { name: key, routeClass: upgrade.routeClass, section: nested, isRoot, upgrade }
}

function notARoute(key: string, value: unknown): SetupError {
  const state = typeof value === 'function' ? 'it does not extend Route' : `it is ${describeEntry(value)}`
  return routeError(key, `${state}. Give a class that extends Route, a group, or a record of these`)
}

function routeError(key: string, why: string): SetupError {
  return new SetupError('ROUTE_INVALID', `Cannot register "${key}": ${why}`)
}

function describeEntry(value: unknown): string {
  if (!isRecord(value)) return describeType(value)
  const name: unknown = value.constructor?.name
  return typeof name === 'string' && name !== '' ? `an instance of "${name}"` : 'an instance of a class'
}

function collectList(routes: readonly unknown[], top: Section): RouteEntry[] {
  const names = new Set<string>()
  return routes.map((value, index) => {
    if (!isRouteClass(value)) throw notARoute(`routes[${index}]`, value)
    if (readStatic(value, 'path') === undefined) checkClassName(value.name, names)
    names.add(value.name)
    return { name: value.name || `routes[${index}]`, routeClass: value, section: top, isRoot: false, upgrade: null }
  })
}

export function looksMangled(name: string): boolean {
  return name.startsWith('_') || name.length <= 2
}

/** Bundlers rename classes; a path must not change with them. */
function checkClassName(name: string, names: ReadonlySet<string>): void {
  const isTaken = names.has(name)
  if (!isTaken && !looksMangled(name)) return
  const state = isTaken ? 'two classes have this name' : 'it looks as if a bundler had changed it'
  const fix = 'Register the class in a record, "routes: { UserProfiles }", or give it a "static readonly path"'
  throw new SetupError('ROUTE_NAME', `Cannot derive a path from the class name "${name}": ${state}. ${fix}`)
}
