/** What is recorded of decorators, by function: an inherited method keeps its decorations, an overriding one starts without. */
import { SetupError } from '../errors/setup-error.js'
import type { DecoratorSpec, VerbMethodContext } from './decorator-types.js'
import { isVerb, VERB_NAMES } from './verbs.js'

/** One use of a decorator. */
export interface Use {
  /** Which decorator: the function that `decorator` gave. */
  readonly decorator: object
  /** Its name in the texts of errors. */
  readonly label: string
  readonly spec: DecoratorSpec
}

type Loose = (...given: readonly unknown[]) => unknown

// Not `context.metadata`: Node has no `Symbol.metadata` before 24, and its data would pass on to an overriding method.
const recorded = new WeakMap<object, readonly Use[]>()
const uses = new WeakMap<object, () => Use>()

/** Makes a decorator of a function. */
export function asDecorator<D>(call: Loose, read: () => Use): D {
  uses.set(call, read)
  // Proof: `decorator` gives functions that behave as the type says; its brand is a type only.
  return call as unknown as D
}

/**
 * Reads an entry of a list of `decorators`. Returns what it says there, or `undefined` when it is no decorator; a
 * function, because an author's code runs in it.
 */
export function readUse(value: unknown): (() => Use) | undefined {
  return typeof value === 'function' ? uses.get(value) : undefined
}

/** Reads what decorators have recorded of a method. */
export function usesOf(method: object): readonly Use[] {
  return recorded.get(method) ?? []
}

/** Tells whether a decorator is being put on something, standing there bare, or is called with options. */
export function isDecoratorCall(given: readonly unknown[]): boolean {
  const [target, second] = given
  if (given.length === 2) return isContext(second)
  return given.length === 3 && isKey(second) && isClassSide(target)
}

/** Records a use of a decorator of the method it stands on. */
export function recordUse(use: Use, given: readonly unknown[]): void {
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
  const before = usesOf(method)
  if (before.some(({ decorator }) => decorator === use.decorator)) throw repeatedUse(label, `on "${name}"`)
  if (before.length === 0) context.addInitializer(watch(method, name, label))
  recorded.set(method, [use, ...before])
}

/** The error for a decorator that is used twice for one method. */
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
  return typeof value === 'object' && value !== null && 'kind' in value && 'addInitializer' in value
}

function isKey(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'symbol'
}

/** Legacy decorators get a class or its prototype. */
function isClassSide(value: unknown): boolean {
  return (
    typeof value === 'function' || (typeof value === 'object' && value !== null && Object.hasOwn(value, 'constructor'))
  )
}

/**
 * Looks at the first instance whether the class still has the method that was decorated. Another decorator may have put its own
 * function in the method's place: nothing leads from that one to what was recorded, a version would be lost in silence. Only an
 * instance shows it, so compilers call this for each: once it has looked that costs some 50 ns a request and decorated method.
 */
function watch(method: object, name: string, label: string): (this: unknown) => void {
  let isSeen = false
  return function look(this: unknown): void {
    if (isSeen) return
    if (!hasMethod(this, name, method)) throw hidden(`${nameOf(this)}.${name}`, label)
    isSeen = true
  }
}

function hasMethod(instance: unknown, name: string, method: object): boolean {
  for (
    let owner: unknown = instance;
    typeof owner === 'object' && owner !== null;
    owner = Object.getPrototypeOf(owner)
  ) {
    if (Object.getOwnPropertyDescriptor(owner, name)?.value === method) return true
  }
  return false
}

function nameOf(instance: unknown): string {
  return typeof instance === 'object' && instance !== null ? instance.constructor.name : String(instance)
}

function hidden(name: string, label: string): SetupError {
  const wayOut = `Put ${label} above it, or make it with decorator() of verbena`
  return new SetupError(
    'DECORATOR_HIDDEN',
    `Cannot use ${label} on "${name}": another decorator above it has replaced the method. ${wayOut}`,
  )
}
