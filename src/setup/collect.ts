/** Flattens the `routes` of an app into a list of classes, each with its name, mount and options of its groups. */
import type { Middleware } from '../context/middleware.js'
import { describeForeign } from '../errors/copies.js'
import { SetupError } from '../errors/setup-error.js'
import type { ErrorsSpec, NamedProvider } from '../injection/provide.js'
import { describeType } from '../values/describe-type.js'
import { latePattern } from '../values/late-pattern.js'
import { isPlainRecord, isRecord, type UnknownRecord } from '../values/objects.js'
import { checkMiddleware, type RouteClass, readStatic } from '../route/route-class.js'
import type { ResponseSettings } from '../route/response-options.js'
import type { ErrorFormatSpec } from '../route/error-format.js'
import { RouteGroup } from '../route/group.js'
import { Route } from '../route/route.js'
import { MountMark } from '../route/mount-mark.js'
import { UpgradeMark } from '../route/upgrade-mark.js'
import { readResponseSettings } from './options.js'

export interface RouteEntry {
  /** Key in `routes`; the class name if `routes` is an array or the key is `/`. */
  readonly name: string
  readonly routeClass: RouteClass
  readonly section: Section
  /** Whether the mount is the whole path, because the key is `/`, or a path with an upgrade. */
  readonly isRoot: boolean
  /** `null` for a route class. */
  readonly upgrade: UpgradeMark | null
  /** Whether it is a mounted handler. */
  readonly isMount: boolean
}

/** Mount and options that a class gets from the groups around it. */
export interface Section {
  readonly mount: string
  readonly middleware: readonly Middleware[]
  /** Guards of the groups, outermost first. */
  readonly uses: readonly NamedProvider[]
  /** `errors` of the groups, outermost first. */
  readonly errors: readonly ErrorsSpec[]
  readonly tags: readonly string[]
  /** `public` of the innermost group that sets it. */
  readonly isPublic: boolean | undefined
  /** `undefined` for problem details. */
  readonly errorFormat: ErrorFormatSpec | undefined
  readonly responseSettings: ResponseSettings
  /** The enclosing sections that have a path, outermost first, including this one if it has a path. */
  readonly mounted: readonly Section[]
  /** The enclosing groups, outermost first. */
  readonly groups: readonly NamedGroup[]
}

/** A group, with its path or its key in `routes`. */
interface NamedGroup {
  readonly name: string
  readonly group: RouteGroup<unknown>
}

const NO_GROUPS: readonly never[] = []
export const TOP_SECTION: Section = {
  ...{ mount: '', middleware: NO_GROUPS, uses: NO_GROUPS, errors: NO_GROUPS, tags: NO_GROUPS },
  ...{ isPublic: undefined, errorFormat: undefined, mounted: NO_GROUPS, groups: NO_GROUPS },
  responseSettings: { cors: undefined, securityHeaders: undefined, compression: undefined },
}

export function collectRoutes(routes: unknown, top: Section = TOP_SECTION): RouteEntry[] {
  if (Array.isArray(routes)) return collectList(routes, top)
  // Proof: the rule of the option has checked it.
  const record = routes as UnknownRecord
  return collectSection(record, top, [record])
}

export function isRouteClass(value: unknown): value is RouteClass {
  return typeof value === 'function' && value.prototype instanceof Route
}

/** `around` contains `routes` and all enclosing objects, to detect cycles. */
function collectSection(routes: UnknownRecord, section: Section, around: readonly object[]): RouteEntry[] {
  return Object.entries(routes).flatMap(([key, value]) => {
    if (isRouteClass(value)) return [toRouteEntry(key, value, section)]
    if (value instanceof UpgradeMark) return [upgradeEntry(key, value, section)]
    if (value instanceof MountMark) return [mountEntry(key, value, section)]
    const records = value instanceof RouteGroup ? value['~group'] : value
    if (!isPlainRecord(records)) throw notARoute(key, records)
    if (around.includes(records)) {
      throw routeError(key, 'it contains itself. Remove it, or move its routes to a separate object')
    }
    const groupSection = value instanceof RouteGroup ? toSection(key, value, section) : section
    const inner = key.startsWith('/')
      ? mountSection(section.mount + (key === '/' ? '' : key), groupSection)
      : groupSection
    return collectSection(records, inner, [...around, records])
  })
}

function mountSection(mount: string, section: Section): Section {
  const nested = { ...section, mount }
  return { ...nested, mounted: [...section.mounted, nested] }
}

function toSection(key: string, group: RouteGroup<unknown>, section: Section): Section {
  const groupMiddleware = checkMiddleware(group.middleware, `middleware of the group "${key}"`)
  const middleware = [...section.middleware, ...groupMiddleware]
  const { errorFormat = section.errorFormat } = group
  return {
    ...section,
    ...{
      middleware,
      errorFormat,
      responseSettings: readResponseSettings(section.responseSettings, group.responseChanges),
    },
    uses: [...section.uses, ...group.uses],
    errors: [...section.errors, group.errors],
    tags: [...section.tags, ...group.tags],
    isPublic: group.isPublic ?? section.isPublic,
    groups: [...section.groups, { name: key.startsWith('/') ? section.mount + key : key, group }],
  }
}

const OF_CLASS = { isRoot: false, upgrade: null, isMount: false }

function toRouteEntry(key: string, routeClass: RouteClass, section: Section): RouteEntry {
  if (!key.startsWith('/')) return { ...OF_CLASS, name: key, routeClass, section }
  if (key !== '/') {
    const fix = `Write "static readonly path = '${key}'" in the class, or "'${key}': { '/': ${routeClass.name} }"`
    throw routeError(key, `the key of a class must be a name or "/", not a path. ${fix}`)
  }
  const name = routeClass.name || 'Root'
  if (readStatic(routeClass, 'path') === undefined) return { ...OF_CLASS, name, routeClass, section, isRoot: true }
  const fix = `Register it under a name, such as "{ ${name} }", or remove its path`
  throw new SetupError('ROUTE_INVALID', `Cannot register "${name}" under "/": it has a "static path". ${fix}`)
}

/** A path as the key of an upgrade is its whole path. */
function upgradeEntry(key: string, upgrade: UpgradeMark, section: Section): RouteEntry {
  const isRoot = key.startsWith('/')
  const mount = isRoot && key !== '/' ? section.mount + key : section.mount
  const nested = { ...section, mount, uses: [...upgrade.guards, ...section.uses] }
  return { name: key, routeClass: upgrade.routeClass, section: nested, isRoot, upgrade, isMount: false }
}

function mountEntry(key: string, { routeClass }: MountMark, section: Section): RouteEntry {
  if (!key.startsWith('/'))
    throw routeError(key, `the key of a mounted handler must be a path. Write "'/${key}': mount(…)"`)
  const mount = key === '/' ? section.mount : section.mount + key
  const fix = 'Write a path of literal segments. The handler gets all paths below, and reads its own parameters'
  if (mount.includes('{')) throw routeError(key, `the path "${mount}" of a mounted handler has parameters. ${fix}`)
  return { ...OF_CLASS, name: mount || '/', routeClass, section: { ...section, mount }, isMount: true }
}

function notARoute(key: string, value: unknown): SetupError {
  const foreign = describeForeign(value)
  if (foreign !== undefined) return routeError(key, `it is ${foreign}`)
  const state = typeof value === 'function' ? 'it does not extend Route' : `it is ${describeEntry(value)}`
  return routeError(key, `${state}. Pass a class that extends Route, a group, or a plain object of these`)
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
    const name = value.name || `routes[${index}]`
    return { ...OF_CLASS, name, routeClass: value, section: top }
  })
}

/**
 * Names of minifiers (`a`, `Ab`), of clashes (`users_Users`, `Users$1`), and of exports without a name (`default_1`, `Users_default`,
 * `$f3bd$export$7ae0`). A lower-case letter, a digit, `_` or `$` never begins the name of a class. Letters without case can.
 */
const MANGLED = /^(?:$|[_$]|[A-Z][A-Za-z0-9]?$)|[_$](?:exports?|default)(?:[_$\d]|$)|\$\d+$/
const FIRST_LETTER = latePattern(String.raw`^[\p{Ll}\p{N}]`, 'u')

/** Whether a bundler or compiler has probably changed a class name. It cannot distinguish `Users2` from `OAuth2`. */
export function looksMangled(name: string): boolean {
  return MANGLED.test(name) || FIRST_LETTER().test(name)
}

/** Rejects class names that a bundler has changed, because the path must not change with them. */
function checkClassName(name: string, names: ReadonlySet<string>): void {
  const isTaken = names.has(name)
  if (!isTaken && !looksMangled(name)) return
  const state = isTaken ? 'two classes have this name' : 'it looks like a name that a bundler has changed'
  const fix = 'Register the class in an object, "routes: { UserProfiles }", or add a "static readonly path"'
  throw new SetupError('ROUTE_NAME', `Cannot derive a path from the class name "${name}": ${state}. ${fix}`)
}
