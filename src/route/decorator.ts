/**
 * `decorator`: what decorators for verb methods are made with, an author's and ours. None of them replaces the method: each records
 * what it says, by function, so an inherited method keeps its decorations and an overriding one starts without. `decorations.ts`
 * collects that for an endpoint, and the app acts on it.
 */
import { startStackAtCaller } from '../errors/author-calls.js'
import { checkMembers, rule, type Rules } from '../errors/known-keys.js'
import { SetupError } from '../errors/setup-error.js'
import { isVerb, VERB_NAMES, type Verb } from '../http/methods.js'
import { isErrorList } from '../injection/provide.js'
import { isObject, isPlainRecord } from '../values/objects.js'
import { discardPromise } from '../values/promises.js'
import type { Context, Meta } from '../context/types.js'

startStackAtCaller(decorator)

/** What `around` gets of the request: the input of the method, without the types of its contract. */
export interface DecoratorInput extends Context {
  /** Path parameters, as the method gets them. */
  readonly params: unknown
  /** The query, as the method gets it. */
  readonly query: unknown
  /** Headers that the contract names. */
  readonly headers: unknown
  /** Cookies that the contract names. */
  readonly cookies: unknown
  /** The body, as the method gets it. */
  readonly body: unknown
}

/** The endpoint whose method is decorated. */
export interface DecoratedEndpoint {
  /** Name of the route. */
  readonly route: string
  /** Method of the endpoint, upper case. */
  readonly method: string
  /** Path template, prefix and mount included. */
  readonly path: string
  /** What class, decorators and contract say of it. */
  readonly meta: Meta
}

/** Wraps the call of a verb method: `proceed()` makes it and gives what it returned; what is returned here is answered. */
export type Around = (input: DecoratorInput, proceed: () => unknown, endpoint: DecoratedEndpoint) => unknown

/** What one use of a decorator says of an endpoint. */
export interface DecoratorSpec {
  /** Wraps the call of the method. */
  readonly around?: Around
  /** Joins the `meta` of the endpoint; what the contract says under the same key wins. */
  readonly meta?: Partial<Meta>
  /** Statuses of problems that `around` answers with, for document and client. */
  readonly errors?: readonly number[]
}

/** What the compiler tells a decorator of a verb method; anything else it stands on is an error of the compiler. */
export interface VerbMethodContext {
  /** What is decorated. */
  readonly kind: 'method'
  /** `get`, `post`, `put`, `patch` or `delete`. */
  readonly name: Verb
  /** Verb methods belong to instances. */
  readonly static: false
  /** Asks for a call whenever an instance is made, which is `this` in it. */
  addInitializer(initializer: (this: unknown) => void): void
}

/** A decorator ready to be used: on a verb method, and in a list of `decorators` in a contract or on a class. */
export interface EndpointDecorator {
  // With `experimentalDecorators` the compiler passes the name of the method, and shows the types that it expected.
  (
    method: object,
    context:
      | VerbMethodContext
      | "remove 'experimentalDecorators' from tsconfig.json, or write 'decorators: [log]' in the contract",
  ): void
  /** A type only, required so that no other function stands in a list of decorators. */
  readonly '~decorator': true
}

type PlainDecorator<Options extends readonly unknown[]> = [] extends Options ? EndpointDecorator : unknown

/** A decorator as its author exports it: called with options, and bare where all of them can be left out. */
export type Decorator<Options extends readonly unknown[]> = PlainDecorator<Options> &
  ((...options: Options) => EndpointDecorator)

export interface DecoratorUse {
  /** Which decorator: the function that `decorator` gave. */
  readonly decorator: object
  readonly label: string
  readonly spec: DecoratorSpec
}

type AnyFunction = (...given: readonly unknown[]) => unknown

// Not `context.metadata`: Node has no `Symbol.metadata` before 24, and its data would pass on to an overriding method.
const recorded = new WeakMap<object, readonly DecoratorUse[]>()
/** What each decorator says in a list of `decorators`: functions, because an author's code runs in them. */
const uses = new WeakMap<object, () => DecoratorUse>()

/**
 * Makes a decorator for verb methods: `@audit('read')` on a method, `decorators: [audit('read')]` in a contract, or
 * `static readonly decorators = [audit('read')]` for a whole class. Without options the call can be left out: `@audit`.
 *
 * @param define called with the options of each use; says what the decorator does there. Its name stands in the texts of errors.
 * @returns the decorator
 * @throws SetupError `DECORATOR_MISUSED`, `DECORATOR_INVALID`, `DECORATOR_REPEATED` where it is used
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
 * class Orders extends Route {
 *   @audit('list')
 *   async get() {
 *     return []
 *   }
 * }
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
  // Proof: without arguments it is used bare, which the types allow only where `define` needs none.
  const useBare = (): DecoratorUse => useWith([] as unknown as Options)

  function make(...given: readonly unknown[]): unknown {
    if (isDecoratorCall(given)) return recordUse(useBare(), given)
    // Proof: the types let nothing but options pass.
    const applied = useWith(given as Options)
    return listable(
      (...target) => recordUse(applied, target),
      () => applied,
    )
  }
  // Proof: it behaves as the type says; its brand is a type only.
  return listable(make, useBare) as unknown as Decorator<Options>
}

function listable(call: AnyFunction, read: () => DecoratorUse): AnyFunction {
  const entry: AnyFunction = (...given) => {
    try {
      return call(...given)
    } catch (error) {
      if (error instanceof SetupError) Error.captureStackTrace(error, entry)
      throw error
    }
  }
  uses.set(entry, read)
  return entry
}

function checkSpec(label: string, spec: DecoratorSpec): DecoratorSpec {
  const untrusted: unknown = spec
  discardPromise(untrusted)
  if (!isPlainRecord(untrusted))
    throw decoratorError(label, 'its function returned no record. Return "{ around, meta, errors }"')
  checkMembers(untrusted, RULES, (why) => decoratorError(label, why), 'A decorator has')
  return spec
}

const RULES: Rules = {
  around: rule(
    (value) => typeof value === 'function',
    '"around" is not a function. Write "around: (input, proceed, endpoint) => proceed()"',
  ),
  meta: rule(isPlainRecord, '"meta" is not a plain object. Write "meta: { … }"'),
  errors: rule(isErrorList, '"errors" is not a list of whole numbers from 400 to 599. Write "errors: [403]"'),
}

export function decoratorError(what: string, why: string): SetupError {
  return new SetupError('DECORATOR_INVALID', `Cannot use ${what}: ${why}`)
}

export function readDecorators(value: unknown, where: string): (() => DecoratorUse)[] {
  const what = `the decorators of ${where}`
  if (!Array.isArray(value)) throw decoratorError(what, 'they are no array. Write "decorators: [first, second]"')
  return value.map((entry: unknown, index) => {
    const usedDecorator = typeof entry === 'function' ? uses.get(entry) : undefined
    if (usedDecorator !== undefined) return usedDecorator
    const state = typeof entry === 'function' ? 'a function that decorator() has not made' : 'no decorator'
    const fix = 'Give "log", "log({ … })", or what decorator() of verbena gives'
    throw decoratorError(what, `entry ${index} is ${state}. ${fix}`)
  })
}

/** The decorators that stand on a method, outermost first. */
export function listDecorators(method: object): readonly DecoratorUse[] {
  return recorded.get(method) ?? []
}

/** Whether a decorator is being put on something, standing there bare, or is called with options. */
function isDecoratorCall(given: readonly unknown[]): boolean {
  const [target, second] = given
  if (given.length === 2) return isContext(second)
  // Legacy decorators get a class or its prototype, and a key.
  const isKey = typeof second === 'string' || typeof second === 'symbol'
  const isClassSide = typeof target === 'function' || (isObject(target) && Object.hasOwn(target, 'constructor'))
  return given.length === 3 && isKey && isClassSide
}

function recordUse(use: DecoratorUse, given: readonly unknown[]): void {
  const [method, context] = given
  const { label } = use
  if (!isContext(context)) {
    throw misuseError(label, 'the compiler runs legacy decorators. Remove "experimentalDecorators" from its options')
  }
  const name = String(context.name)
  if (context.kind === 'class') {
    throw misuseError(
      label,
      `"${name}" is a class. Write "static readonly decorators = […]" in it, or put it on a method`,
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
  return new SetupError('DECORATOR_REPEATED', `Cannot use ${label} ${where}: it stands there twice. Remove one of them`)
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

/** Another decorator may put its own function in the place of the method: what was recorded, such as a version, would be lost. */
function checkAtInstance(method: object, name: string, label: string): (this: unknown) => void {
  let isSeen = false
  return function look(this: unknown): void {
    if (isSeen) return
    if (!hasVerbMethod(this, name, method)) {
      const owner = isObject(this) ? this.constructor.name : String(this)
      const why = 'another decorator above it has replaced the method'
      const fix = `Put ${label} above it, or make it with decorator() of verbena`
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

/** A key in `meta` for data of one decorator, such as `SPEED`: a symbol that is not enumerable there, so authors do not see it. */
export class MetaKey<T> {
  readonly #symbol: symbol

  constructor(name: string) {
    this.#symbol = Symbol(name)
  }

  /** The `meta` of a decorator that carries the data. */
  carry(value: T): object {
    return { [this.#symbol]: value }
  }

  read(meta: object): T | undefined {
    // Proof: the symbol never leaves this object, and `carry` puts nothing else under it.
    return Reflect.get(meta, this.#symbol) as T | undefined
  }
}
