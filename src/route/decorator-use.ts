/** What is recorded of decorators, by function: an inherited method keeps its decorations, an overriding one starts without. */
import { SetupError } from '../errors/setup-error.js'
import { isVerb, VERB_NAMES } from '../http/methods.js'
import { isObject } from '../values/objects.js'
import type { DecoratorSpec, VerbMethodContext } from './decorator-types.js'

/** One use of a decorator. */
export interface DecoratorUse {
  /** Which decorator: the function that `decorator` gave. */
  readonly decorator: object
  /** Its name in the texts of errors. */
  readonly label: string
  readonly spec: DecoratorSpec
}

type Loose = (...given: readonly unknown[]) => unknown

// Not `context.metadata`: Node has no `Symbol.metadata` before 24, and its data would pass on to an overriding method.
const recorded = new WeakMap<object, readonly DecoratorUse[]>()
/** What each decorator says in a list of `decorators`: functions, because an author's code runs in them. */
const uses = new WeakMap<object, () => DecoratorUse>()

export function asDecorator<D>(call: Loose, read: () => DecoratorUse): D {
  uses.set(call, read)
  // Proof: `decorator` gives functions that behave as the type says; its brand is a type only.
  return call as unknown as D
}

/** Reads a list of `decorators`, of a contract or a class. */
export function readDecorators(value: unknown, where: string): (() => DecoratorUse)[] {
  if (!Array.isArray(value)) throw invalidList(where, 'they are no array. Write "decorators: [first, second]"')
  return value.map((entry: unknown, index) => {
    const read = typeof entry === 'function' ? uses.get(entry) : undefined
    if (read !== undefined) return read
    const state = typeof entry === 'function' ? 'a function that decorator() has not made' : 'no decorator'
    const wayOut = 'Give "log", "log({ … })", or what decorator() of verbena gives'
    throw invalidList(where, `entry ${index} is ${state}. ${wayOut}`)
  })
}

function invalidList(where: string, why: string): SetupError {
  return new SetupError('DECORATOR_INVALID', `Cannot use the decorators of ${where}: ${why}`)
}

/** The decorators that stand on a method, outermost first. */
export function decoratorsOf(method: object): readonly DecoratorUse[] {
  return recorded.get(method) ?? []
}

/** Whether a decorator is being put on something, standing there bare, or is called with options. */
export function isDecoratorCall(given: readonly unknown[]): boolean {
  const [target, second] = given
  if (given.length === 2) return isContext(second)
  return given.length === 3 && isKey(second) && isClassSide(target)
}

/** Records a decorator of the method it stands on. */
export function recordUse(use: DecoratorUse, given: readonly unknown[]): void {
  const [method, context] = given
  const { label } = use
  if (!isContext(context)) {
    throw misused(label, 'the compiler runs legacy decorators. Remove "experimentalDecorators" from its options')
  }
  const name = String(context.name)
  if (context.kind === 'class') {
    throw misused(label, `"${name}" is a class. Write "static readonly decorators = […]" in it, or put it on a method`)
  }
  if (context.kind !== 'method' || context.static || typeof method !== 'function' || !isVerb(name)) {
    throw misused(label, `"${name}" is not a verb method. Put it on ${VERB_NAMES}`)
  }
  const before = decoratorsOf(method)
  if (before.some(({ decorator }) => decorator === use.decorator)) throw repeatedUse(label, `on "${name}"`)
  if (before.length === 0) context.addInitializer(checkAtInstance(method, name, label))
  recorded.set(method, [use, ...before])
}

export function repeatedUse(label: string, where: string): SetupError {
  return new SetupError('DECORATOR_REPEATED', `Cannot use ${label} ${where}: it stands there twice. Remove one of them`)
}

function misused(label: string, why: string): SetupError {
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

function isKey(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'symbol'
}

/** Legacy decorators get a class or its prototype. */
function isClassSide(value: unknown): boolean {
  return typeof value === 'function' || (isObject(value) && Object.hasOwn(value, 'constructor'))
}

/**
 * Checks at the first instance that the class still has the method that was decorated: another decorator may have put its own
 * function there, and what was recorded, such as a version, would be lost in silence. Later instances cost some 50 ns each.
 */
function checkAtInstance(method: object, name: string, label: string): (this: unknown) => void {
  let isSeen = false
  return function look(this: unknown): void {
    if (isSeen) return
    if (!hasMethod(this, name, method)) throw hidden(`${nameOf(this)}.${name}`, label)
    isSeen = true
  }
}

function hasMethod(instance: unknown, name: string, method: object): boolean {
  for (let owner: unknown = instance; isObject(owner); owner = Object.getPrototypeOf(owner)) {
    if (Object.getOwnPropertyDescriptor(owner, name)?.value === method) return true
  }
  return false
}

function nameOf(instance: unknown): string {
  return isObject(instance) ? instance.constructor.name : String(instance)
}

function hidden(name: string, label: string): SetupError {
  const why = 'another decorator above it has replaced the method'
  const wayOut = `Put ${label} above it, or make it with decorator() of verbena`
  return new SetupError('DECORATOR_HIDDEN', `Cannot use ${label} on "${name}": ${why}. ${wayOut}`)
}
