/**
 * `decorator`, which creates all decorators of verb methods. A decorator does not replace the method, but records its spec by function.
 * An inherited method therefore keeps its decorators, and an overriding method starts without any. `setup/decorations.ts` reads the specs.
 *
 * @see docs/decisions/0009-decorators-record.md
 */
import { startStackAtCaller } from '../errors/author-calls.js'
import { describeForeign, markCopy } from '../errors/copies.js'
import { findWrongOption, functionRule, rule, type Rules } from '../errors/options.js'
import { SetupError } from '../errors/setup-error.js'
import { isVerb, VERB_NAMES, type Verb } from '../http/methods.js'
import { isErrorList } from '../injection/provide.js'
import { isObject, isPlainRecord } from '../values/objects.js'
import { discardPromise } from '../values/promises.js'
import type { Context, Meta } from '../context/types.js'

startStackAtCaller(decorator)

/** Input of `around`: the input of the method, without the types of its contract. */
export interface DecoratorInput extends Context {
  /** Path parameters, as the method receives them. */
  readonly params: unknown
  /** Query, as the method receives it. */
  readonly query: unknown
  /** Headers of the contract. */
  readonly headers: unknown
  /** Cookies of the contract. */
  readonly cookies: unknown
  /** Body, as the method receives it. */
  readonly body: unknown
}

/** The endpoint whose method is decorated. */
export interface DecoratedEndpoint {
  /** Name of the route. */
  readonly route: string
  /** HTTP method in upper case. */
  readonly method: string
  /** Path template, including prefix and mount. */
  readonly path: string
  /** Merged `meta` of class, decorators and contract. */
  readonly meta: Meta
}

/** Wraps the call of a verb method. `proceed()` calls it and returns its result; the result of `around` becomes the response. */
export type Around = (input: DecoratorInput, proceed: () => unknown, endpoint: DecoratedEndpoint) => unknown

/** Calls a method through its decorators. Stays synchronous if the method and the decorators are. */
export type AroundCall = (input: DecoratorInput, proceed: () => unknown) => unknown

/** Effect of one use of a decorator. */
export interface DecoratorSpec {
  /** Wraps the call of the method. */
  readonly around?: Around
  /** Merged into the `meta` of the endpoint. The contract overrides equal keys. */
  readonly meta?: Partial<Meta>
  /** Statuses of problems that `around` throws, for the OpenAPI document and the typed client. */
  readonly errors?: readonly number[]
}

/** Decorator context of a verb method. Decorating anything else is a compile error. */
export interface VerbMethodContext {
  /** Only methods can be decorated. */
  readonly kind: 'method'
  /** Name of the method. */
  readonly name: Verb
  /** Verb methods are instance methods. */
  readonly static: false
  /** Adds a function that is called for each new instance, with the instance as `this`. */
  addInitializer(initializer: (this: unknown) => void): void
}

/** A decorator that you can use on a verb method, and in `decorators` of a contract or a class. */
export interface EndpointDecorator {
  // With `experimentalDecorators`, TypeScript passes the method name here. Its error then shows this string type.
  (
    method: object,
    context:
      | VerbMethodContext
      | "remove 'experimentalDecorators' from tsconfig.json, or write 'decorators: [log]' in the contract",
  ): void
  /** Type brand, so that other functions are not accepted in `decorators`; not present at run time. */
  readonly '~decorator': true
}

type PlainDecorator<Options extends readonly unknown[]> = [] extends Options ? EndpointDecorator : unknown

/** Return type of `decorator`: call it with options, or use it without a call if all options are optional. */
export type Decorator<Options extends readonly unknown[]> = PlainDecorator<Options> &
  ((...options: Options) => EndpointDecorator)

export interface DecoratorUse {
  /** Identity of the decorator: the function that `decorator` returned. */
  readonly decorator: object
  readonly label: string
  readonly spec: DecoratorSpec
}

type AnyFunction = (...args: readonly unknown[]) => unknown

// Not `context.metadata`, because Node before 24 has no `Symbol.metadata`, and an overriding method would inherit the data.
const recorded = new WeakMap<object, readonly DecoratorUse[]>()
/** Maps each entry of `decorators` to a function that returns its use. It is called late, because it runs the code of `define`. */
const uses = new WeakMap<object, () => DecoratorUse>()

/**
 * Creates a decorator for verb methods. Use it as `@audit('read')` on a method, `decorators: [audit('read')]` in a contract, or
 * `static readonly decorators = [audit('read')]` for a whole class. Without options, you can omit the call: `@audit`.
 *
 * @param define called with the options of each use; returns the effect of the decorator. Error messages contain its name.
 * @returns the decorator
 * @throws SetupError `DECORATOR_MISUSED`, `DECORATOR_INVALID` or `DECORATOR_REPEATED`, when the decorator is used
 *
 * @example
 * ```ts
 * import { createApp, decorator, Route } from 'verbena'
 *
 * const trail: string[] = []
 * const audit = decorator((action: string) => ({
 *   around(_input, proceed, endpoint) {
 *     trail.push(`${action} by ${endpoint.method} ${endpoint.path}`)
 *     return proceed()
 *   },
 * }))
 *
 * class Orders extends Route {@audit('list') async get() { return [] }}
 *
 * const app = createApp({ routes: { Orders } })
 * await app.fetch(new Request('http://localhost/orders'))
 * trail // => ['list by GET /orders']
 * ```
 */
export function decorator<Options extends readonly unknown[]>(
  define: (...options: Options) => DecoratorSpec,
): Decorator<Options> {
  const label = define.name === '' ? 'a decorator' : `@${define.name}`
  function useWith(options: Options): DecoratorUse {
    return { decorator: make, label, spec: checkSpec(label, define(...options)) }
  }
  // Proof: the types allow a use without options only if all options of `define` are optional.
  const useBare = (): DecoratorUse => useWith([] as unknown as Options)

  function make(...args: readonly unknown[]): unknown {
    if (isDecoratorCall(args)) return recordUse(useBare(), args)
    // Proof: the types accept only options here.
    const applied = useWith(args as Options)
    return listable(
      (...target) => recordUse(applied, target),
      () => applied,
    )
  }
  // Proof: the function supports all calls of the type. The brand is not present at run time.
  return listable(make, useBare) as unknown as Decorator<Options>
}

function listable(call: AnyFunction, read: () => DecoratorUse): AnyFunction {
  const entry: AnyFunction = (...args) => {
    try {
      return call(...args)
    } catch (error) {
      if (error instanceof SetupError) Error.captureStackTrace(error, entry)
      throw error
    }
  }
  uses.set(entry, read)
  markCopy(entry, 'a decorator')
  return entry
}

function checkSpec(label: string, spec: DecoratorSpec): DecoratorSpec {
  const untrusted: unknown = spec
  discardPromise(untrusted)
  if (!isPlainRecord(untrusted))
    throw decoratorError(label, 'its function must return an object. Return "{ around, meta, errors }"')
  const wrong = findWrongOption(untrusted, RULES)
  if (wrong !== null) throw decoratorError(`"${wrong.key}" of ${label}`, wrong.why)
  return spec
}

const RULES: Rules<DecoratorSpec> = {
  around: functionRule('(input, proceed, endpoint) => proceed()'),
  meta: rule(isPlainRecord, 'be a plain object', '{ … }'),
  errors: rule(isErrorList, 'be an array of integers from 400 to 599', '[403]'),
}

function decoratorError(what: string, why: string): SetupError {
  return new SetupError('DECORATOR_INVALID', `Cannot use ${what}: ${why}`)
}

export function readDecorators(value: unknown, where: string): (() => DecoratorUse)[] {
  const what = `the decorators of ${where}`
  if (!Array.isArray(value)) throw decoratorError(what, 'they must be an array. Write "decorators: [first, second]"')
  return value.map((entry: unknown, index) => {
    const usedDecorator = typeof entry === 'function' ? uses.get(entry) : undefined
    if (usedDecorator !== undefined) return usedDecorator
    const foreign = describeForeign(entry)
    if (foreign !== undefined) throw decoratorError(what, `entry ${index} is ${foreign}`)
    const state = typeof entry === 'function' ? 'a function that decorator() did not create' : 'not a decorator'
    const fix = 'Pass "log", "log({ … })", or another decorator created with decorator()'
    throw decoratorError(what, `entry ${index} is ${state}. ${fix}`)
  })
}

/** Returns the decorators on a method, outermost first. */
export function listDecorators(method: object): readonly DecoratorUse[] {
  return recorded.get(method) ?? []
}

/** Whether the arguments come from `@audit` without options; otherwise they are options. */
function isDecoratorCall(args: readonly unknown[]): boolean {
  const [target, second] = args
  if (args.length === 2) return isContext(second)
  // Legacy decorators receive a class or a prototype, and a key.
  const isKey = typeof second === 'string' || typeof second === 'symbol'
  const isClassSide = typeof target === 'function' || (isObject(target) && Object.hasOwn(target, 'constructor'))
  return args.length === 3 && isKey && isClassSide
}

const LEGACY_FIX =
  'Remove "experimentalDecorators" from tsconfig.json, and set "decoratorVersion": "2022-03" in SWC and Rspack'

function recordUse(use: DecoratorUse, args: readonly unknown[]): void {
  const [method, context] = args
  const { label } = use
  if (!isContext(context)) {
    const entry = label.startsWith('@') ? `${label.slice(1)}(…)` : '…'
    const inContract = `Or write "decorators: [${entry}]" in the contract, which works with every compiler`
    throw misuseError(label, `the compiler uses legacy decorators. ${LEGACY_FIX}. ${inContract}`)
  }
  const name = String(context.name)
  if (context.kind === 'class') {
    throw misuseError(
      label,
      `"${name}" is a class. Write "static readonly decorators = […]" in it, or decorate a method`,
    )
  }
  if (context.kind !== 'method' || context.static || typeof method !== 'function' || !isVerb(name)) {
    throw misuseError(label, `"${name}" is not a verb method. Put it on ${VERB_NAMES}`)
  }
  const before = listDecorators(method)
  if (before.some(({ decorator }) => decorator === use.decorator)) throw repeatedUse(label, `on "${name}"`)
  if (before.length === 0) context.addInitializer(checkAtInstance(method, name, label))
  recorded.set(method, [use, ...before])
}

export function repeatedUse(label: string, where: string): SetupError {
  return new SetupError('DECORATOR_REPEATED', `Cannot use ${label} ${where}: it is used twice. Remove one of the uses`)
}

function misuseError(label: string, why: string): SetupError {
  return new SetupError('DECORATOR_MISUSED', `Cannot use ${label}: ${why}`)
}

interface AnyContext extends Pick<VerbMethodContext, 'addInitializer'> {
  readonly kind: string
  readonly name: string | symbol | undefined
  readonly static?: boolean
}

function isContext(value: unknown): value is AnyContext {
  return isObject(value) && 'kind' in value && 'addInitializer' in value
}

/** Detects that another decorator has replaced the method, which would lose the recorded spec, such as a version. */
function checkAtInstance(method: object, name: string, label: string): (this: unknown) => void {
  let isSeen = false
  return function look(this: unknown): void {
    if (isSeen) return
    if (!hasVerbMethod(this, name, method)) {
      const owner = isObject(this) ? this.constructor.name : String(this)
      const why = 'another decorator above it replaced the method'
      const fix = `Move ${label} above it, or create the other decorator with decorator()`
      throw new SetupError('DECORATOR_HIDDEN', `Cannot use ${label} on "${owner}.${name}": ${why}. ${fix}`)
    }
    isSeen = true
  }
}

function hasVerbMethod(instance: unknown, name: string, method: object): boolean {
  for (let owner: unknown = instance; isObject(owner); owner = Object.getPrototypeOf(owner)) {
    if (Object.getOwnPropertyDescriptor(owner, name)?.value === method) return true
  }
  return false
}

/** A hidden key of `meta` for the data of one decorator: a symbol that `mergeMeta` makes non-enumerable. */
export class MetaKey<T> {
  readonly #symbol: symbol

  constructor(name: string) {
    this.#symbol = Symbol(name)
  }

  /** Returns a `meta` object with the data, for a decorator. */
  carry(value: T): object {
    return { [this.#symbol]: value }
  }

  read(meta: object): T | undefined {
    // Proof: the symbol is private to this object, and only `carry` sets its value.
    return Reflect.get(meta, this.#symbol) as T | undefined
  }
}
