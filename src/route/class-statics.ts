/** The static members of a route class: path, prefix, uses, middleware, tags, meta. */
import type { Middleware } from '../context/middleware.js'
import type { Meta } from '../context/types.js'
import { SetupError } from '../errors/setup-error.js'
import { type NamedProvider, type ProviderRecipe, readUses, usesError } from '../injection/provide.js'
import { isObject } from '../values/objects.js'
import { isTextList } from './contract.js'

export type RouteClass = new () => object

export function staticOf(routeClass: RouteClass, key: string): unknown {
  return Reflect.get(routeClass, key)
}

export interface Statics {
  /** Put before the path; empty without one. */
  readonly prefix: string
  /** Path as given, `undefined` when it is derived from the name. */
  readonly path: string | undefined
  readonly uses: readonly NamedProvider[]
  readonly middleware: readonly Middleware[]
  readonly tags: readonly string[]
  readonly meta: Meta
}

/** Names that look as if they did something: a class must not look guarded when it is not. */
const SLIPS = { use: 'uses', guard: 'uses', guards: 'uses', decorator: 'decorators', middlewares: 'middleware' }

export function readStatics(routeClass: RouteClass, name: string): Statics {
  for (const [slip, meant] of Object.entries(SLIPS)) {
    if (staticOf(routeClass, slip) === undefined) continue
    throw fieldError(`static ${slip}`, name, `it would have no effect. Did you mean "static ${meant}"? Else rename it`)
  }
  const read = <T>(key: string, value: unknown, isFit: (value: unknown) => value is T, flaw: string): T => {
    if (isFit(value)) return value
    throw fieldError(`static ${key}`, name, flaw)
  }
  const readPath = (key: string): string | undefined =>
    read(key, staticOf(routeClass, key), isOptionalText, `it is not a string. Write "static readonly ${key} = '/…'"`)
  const notTexts = 'it is not an array of strings. Write "static readonly tags = [\'users\']"'
  const notObject = 'it is not an object. Write "static readonly meta = { … }"'
  return {
    prefix: readPath('prefix') ?? '',
    path: readPath('path'),
    uses: readClassUses(routeClass, name),
    middleware: checkMiddleware(staticOf(routeClass, 'middleware') ?? [], `static middleware of "${name}"`),
    tags: read('tags', staticOf(routeClass, 'tags') ?? [], isTextList, notTexts),
    meta: read('meta', staticOf(routeClass, 'meta') ?? {}, isObject, notObject),
  }
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string'
}

export function checkMiddleware(value: unknown, where: string): readonly Middleware[] {
  const flaw = (why: string): SetupError => new SetupError('MIDDLEWARE_INVALID', `Cannot use ${where}: ${why}`)
  if (!Array.isArray(value)) throw flaw('it is not an array. Write "[first, second]"')
  const index = value.findIndex((entry) => typeof entry !== 'function')
  if (index < 0) return value
  throw flaw(`entry ${index} is not a function. A middleware is a function "(context, next) => Promise<Reply>"`)
}

export function fieldError(member: string, name: string, why: string): SetupError {
  return new SetupError('ROUTE_FIELD', `Cannot use ${member} of "${name}": ${why}`)
}

/** `static uses` that overrides an inherited one contains all its entries: a guard of a base class holds for every subclass. */
function readClassUses(routeClass: RouteClass, name: string): readonly NamedProvider[] {
  const [own, ...inherited] = declaredUses(routeClass).map((value) => readUses(value, `the class "${name}"`))
  if (own === undefined) return []
  for (const uses of inherited) for (const entry of uses) checkKept(entry, own, name)
  return own
}

export function checkUsedNames(routeClass: RouteClass, name: string, uses: readonly NamedProvider[]): void {
  const used = uses.find((each) => each.name in routeClass.prototype)
  if (used === undefined) return
  throw usesError(`the class "${name}"`, `it has a member "${used.name}". Rename the provider or the member`)
}

function declaredUses(routeClass: RouteClass): unknown[] {
  const found: unknown[] = []
  for (let owner: object | null = routeClass; owner !== null; owner = Object.getPrototypeOf(owner)) {
    if (Object.hasOwn(owner, 'uses')) found.push(Reflect.get(owner, 'uses'))
  }
  return found
}

/** Another provider may take its place when it uses it. */
function checkKept({ name: kept, provider }: NamedProvider, own: readonly NamedProvider[], name: string): void {
  const now = own.find((entry) => entry.name === kept)
  if (now !== undefined && isBuiltOn(now.provider, provider, new Set())) return
  const state = now === undefined ? 'it is missing' : 'another provider stands there, which does not use it'
  const wayOut = 'Write "static override readonly uses = { ...super.uses, … }" with the base class for "super"'
  throw usesError(`the class "${name}"`, `"${kept}" is inherited, and ${state}. ${wayOut}`)
}

function isBuiltOn(provider: ProviderRecipe, wanted: ProviderRecipe, seen: Set<ProviderRecipe>): boolean {
  if (provider === wanted) return true
  if (seen.has(provider)) return false
  seen.add(provider)
  const used = readUses(provider.needs.uses ?? {}, 'a provider')
  return used.some((entry) => isBuiltOn(entry.provider, wanted, seen))
}
