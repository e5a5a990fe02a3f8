/** Reads the static properties of a route class, and binds the class to the services of an app. */
import { isOptionalText, isTextList } from '../errors/options.js'
import type { Middleware } from '../context/middleware.js'
import type { Meta } from '../context/types.js'
import { ERRORS_RULE, isErrors, readUses, usesError } from '../injection/provide.js'
import type { ErrorsSpec, NamedProvider } from '../injection/provide.js'
import { isObject } from '../values/objects.js'
import { SetupError } from '../errors/setup-error.js'
import { rejectUnknownNames } from './unknown-names.js'
import { isVerb, VERB_FACTS } from '../http/methods.js'
import { isBuiltOn } from '../injection/override.js'
import { type ServiceValues, ServiceRecipe } from '../injection/services.js'

export type RouteClass = new () => object

export function readStatic(routeClass: RouteClass, key: string): unknown {
  return Reflect.get(routeClass, key)
}

export interface Statics {
  /** Empty without a prefix. */
  readonly prefix: string
  /** `undefined` if the path is derived from the name. */
  readonly path: string | undefined
  readonly uses: readonly NamedProvider[]
  readonly middleware: readonly Middleware[]
  readonly errors: ErrorsSpec
  readonly tags: readonly string[]
  readonly meta: Meta
  /** Whether endpoints without a security scheme are declared public. */
  readonly isPublic: boolean | undefined
  /** Whether it only handles paths that no other route matches. Not inherited. */
  readonly isFallback: boolean
}

/** Mistyped names of static properties. They have no effect, so a class could look guarded when it is not. */
const MISSPELLED_NAMES = {
  use: 'uses',
  guard: 'uses',
  guards: 'uses',
  decorator: 'decorators',
  middlewares: 'middleware',
}

export function readStatics(routeClass: RouteClass, name: string): Statics {
  for (const [slip, meant] of Object.entries(MISSPELLED_NAMES)) {
    if (readStatic(routeClass, slip) === undefined) continue
    throw fieldError(
      `static ${slip}`,
      name,
      `it would have no effect. Did you mean "static ${meant}"? Otherwise, rename it`,
    )
  }
  const readStaticField = <T>(
    key: string,
    value: unknown,
    isFit: (value: unknown) => value is T,
    message: string,
  ): T => {
    if (isFit(value)) return value
    throw fieldError(`static ${key}`, name, message)
  }
  const readPath = (key: string): string | undefined =>
    readStaticField(
      key,
      readStatic(routeClass, key),
      isOptionalText,
      `it must be a string. Write "static readonly ${key} = '/…'"`,
    )
  const notTexts = 'it must be an array of strings. Write "static readonly tags = [\'users\']"'
  const readSwitch = (key: string): boolean | undefined =>
    readStaticField(
      key,
      readStatic(routeClass, key),
      isOptionalSwitch,
      `it must be true or false. Write "static readonly ${key} = true"`,
    )
  const notErrors = `it must ${ERRORS_RULE.must}. Write "static readonly errors = ${ERRORS_RULE.example}"`
  const notObject = 'it must be an object. Write "static readonly meta = { … }"'
  return {
    prefix: readPath('prefix') ?? '',
    path: readPath('path'),
    uses: readClassUses(routeClass, name),
    middleware: checkMiddleware(readStatic(routeClass, 'middleware') ?? [], `static middleware of "${name}"`),
    errors: readStaticField('errors', readStatic(routeClass, 'errors') ?? [], isErrors, notErrors),
    tags: readStaticField('tags', readStatic(routeClass, 'tags') ?? [], isTextList, notTexts),
    meta: readStaticField('meta', readStatic(routeClass, 'meta') ?? {}, isObject, notObject),
    isPublic: readSwitch('public'),
    isFallback: Object.hasOwn(routeClass, 'fallback') && readSwitch('fallback') === true,
  }
}

function isOptionalSwitch(value: unknown): value is boolean | undefined {
  return value === undefined || typeof value === 'boolean'
}

export function checkMiddleware(value: unknown, where: string): readonly Middleware[] {
  const toError = (why: string): SetupError => new SetupError('MIDDLEWARE_INVALID', `Cannot use ${where}: ${why}`)
  if (!Array.isArray(value)) throw toError('it must be an array. Write "[first, second]"')
  const index = value.findIndex((entry) => typeof entry !== 'function' || entry.length > 2)
  if (index < 0) return value
  const { [index]: entry }: readonly unknown[] = value
  const what = 'Write it as "(context, next) => Promise<Reply>"'
  if (typeof entry !== 'function') throw toError(`entry ${index} must be a function. ${what}`)
  const state = `entry ${index} has ${entry.length} parameters, like "(req, res, next)" in other frameworks`
  throw toError(`${state}. ${what}`)
}

export function fieldError(member: string, name: string, why: string): SetupError {
  return new SetupError('ROUTE_FIELD', `Cannot use ${member} of "${name}": ${why}`)
}

/** Throws if `static uses` lacks an entry of an inherited one, because guards of a base class apply to every subclass. */
function readClassUses(routeClass: RouteClass, name: string): readonly NamedProvider[] {
  const declared: (readonly NamedProvider[])[] = []
  for (let owner: object | null = routeClass; owner !== null; owner = Object.getPrototypeOf(owner)) {
    if (Object.hasOwn(owner, 'uses')) declared.push(readUses(Reflect.get(owner, 'uses'), `the class "${name}"`))
  }
  const [own, ...inherited] = declared
  if (own === undefined) return []
  for (const uses of inherited) for (const entry of uses) checkInheritedUses(entry, own, name)
  return own
}

export function checkUsedNames(routeClass: RouteClass, name: string, uses: readonly NamedProvider[]): void {
  const used = uses.find((each) => each.name in routeClass.prototype)
  if (used === undefined) return
  throw usesError(`the class "${name}"`, `it has a member "${used.name}". Rename the provider or the member`)
}

/** Another provider may have the same name if it uses the inherited one. */
function checkInheritedUses(
  { name: inherited, provider }: NamedProvider,
  own: readonly NamedProvider[],
  name: string,
): void {
  const now = own.find((entry) => entry.name === inherited)
  if (now !== undefined && isBuiltOn(now.provider, provider)) return
  const state = now === undefined ? 'is missing' : 'is replaced by a provider that does not use it'
  const fix = 'Write "static override readonly uses = { ...super.uses, … }" with the base class instead of "super"'
  throw usesError(`the class "${name}"`, `the inherited provider "${inherited}" ${state}. ${fix}`)
}

export interface BoundServices {
  readonly services: ServiceValues
  readonly property: (value: unknown, owner: object) => PropertyDescriptor
}

interface BoundClass {
  readonly create: new () => object
  readonly complete: ((services: ServiceValues) => void) | null
}

/** Creates a subclass whose instances have the services on `this`, also in constructors and field initializers. */
export function bindClass(routeClass: RouteClass, name: string, { services, property }: BoundServices): BoundClass {
  checkConstructor(routeClass, name)
  const Bound = class extends routeClass {}
  const { prototype } = Bound
  // Keeps the original class as `this.constructor`.
  Object.defineProperty(prototype, 'constructor', { value: routeClass, configurable: true, writable: true })
  rejectUnknownNames(prototype, { name, services: Object.keys(services) })
  let pending: string[] = []
  for (const [service, value] of Object.entries(services)) {
    if (service in routeClass.prototype) {
      const why = 'the class has a member with this name. Rename the service or the member'
      throw new SetupError('SERVICE_NAME', `Cannot add the service "${service}" to "${name}": ${why}`)
    }
    const isPending = value instanceof ServiceRecipe
    if (isPending) pending.push(service)
    Object.defineProperty(prototype, service, isPending ? notMade(service) : property(value, prototype))
  }
  const isSeen = checkFields(Bound, name, services)
  const complete = (values: ServiceValues): void => {
    for (const service of pending) {
      Object.defineProperty(prototype, service, { ...property(values[service], prototype), configurable: false })
    }
    // A later class can fail, and then the app may start again.
    pending = []
    // Fields that read a service can only be checked now.
    if (!isSeen) checkFields(Bound, name, services)
  }
  return { create: Bound, complete: isSeen && pending.length === 0 ? null : complete }
}

/** Rejects a constructor with parameters, because Verbena passes no arguments. */
function checkConstructor(routeClass: RouteClass, name: string): void {
  const { length } = findConstructor(routeClass)
  if (length === 0) return
  const state = `its constructor has ${length === 1 ? 'a parameter' : `${length} parameters`}, but Verbena passes no arguments`
  const fix = 'Name its services in the type, "extends Route<{ db: Db }>", and read them as "this.db"'
  throw new SetupError('ROUTE_INVALID', `Cannot register "${name}": ${state}. ${fix}`)
}

/** Returns the class with an explicit constructor, which does not only forward its arguments. Compilers emit such for a class without one. */
function findConstructor(routeClass: object): { readonly length: number } {
  for (let each: object | null = routeClass; typeof each === 'function'; each = Object.getPrototypeOf(each)) {
    const text = Function.prototype.toString.call(each)
    if (each.length > 0 || (/\bconstructor\s*\(/.test(text) && !forwardsArguments(text))) return each
  }
  return { length: 0 }
}

/** Whether a class contains `super(...arguments)`, or `super(...args)` with the rest parameter of its constructor. */
function forwardsArguments(text: string): boolean {
  const [, rest = ''] = /\bconstructor\s*\(\s*\.\.\.\s*([\w$]+)\s*\)/.exec(text) ?? []
  return ['arguments', rest].some((name) => text.includes(`super(...${name})`))
}

/** Property of a service whose calls are not observed. */
export function serviceProperty(value: unknown): PropertyDescriptor {
  return { value, enumerable: true }
}

/** Getter of a service on the trial instance, which is created before services are. It throws if the initializer of a field reads it. */
function notMade(service: string): PropertyDescriptor {
  const get = (): never => {
    throw new Error(`Cannot read the service "${service}": it is not created yet`)
  }
  return { get, enumerable: true, configurable: true }
}

/**
 * Creates a trial instance to check its fields. Returns `false` if the constructor throws.
 *
 * @see docs/decisions/0003-trial-instance.md
 */
function checkFields(Bound: new () => object, name: string, services: ServiceValues): boolean {
  const fields = instanceFields(Bound)
  for (const field of fields ?? []) {
    const toError = (why: string): SetupError => fieldError(`the field "${field}"`, name, why)
    if (field === 'path') throw toError(`it must be static. Write "static readonly path = '/…'"`)
    if (isVerb(field) && (VERB_FACTS[field].needsContract !== true || field in Bound))
      throw toError(`an endpoint must be a method. Write "async ${field}() { … }"`)
    if (!Object.hasOwn(services, field)) continue
    throw toError(`it hides the service with this name. Write "declare ${field}: …", or extend Route<{ ${field}: … }>`)
  }
  return fields !== null
}

function instanceFields(Bound: new () => object): string[] | null {
  try {
    return Object.keys(new Bound())
  } catch (error) {
    if (error instanceof SetupError && error.code === 'DECORATOR_HIDDEN') throw error
    return null
  }
}
