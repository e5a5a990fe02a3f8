/** Decides which services get a view: a proxy must not change how an object behaves. */
import { Stream } from 'node:stream'
import { types } from 'node:util'

/** Checks for objects with internal slots, which built-in functions do not find in a proxy. */
const SLOT_CHECKS: readonly ((value: unknown) => boolean)[] = [
  types.isProxy,
  types.isMap,
  types.isSet,
  types.isDate,
  types.isRegExp,
  types.isPromise,
  types.isNativeError,
  types.isAnyArrayBuffer,
  types.isArrayBufferView,
  types.isWeakMap,
  types.isWeakSet,
  types.isBoxedPrimitive,
  types.isGeneratorObject,
  types.isMapIterator,
  types.isSetIterator,
  types.isArgumentsObject,
  types.isExternal,
]

interface PrototypeFacts {
  /** Whether it belongs to an object that a proxy can represent. */
  readonly isViewable: boolean
  readonly hasMethods: boolean
}

const known = new WeakMap<object, PrototypeFacts>()
const decided = new WeakMap<object, boolean>()

/** Whether a service gets a view. `services` are the services of its app: an object that contains one can return it. */
export function canView(value: object, services: ReadonlyMap<unknown, string>): boolean {
  const before = decided.get(value)
  if (before !== undefined) return before
  const decision = decideViewable(value, services)
  decided.set(value, decision)
  return decision
}

function decideViewable(value: object, services: ReadonlyMap<unknown, string>): boolean {
  // Piped streams compare each other with `===`.
  if (Array.isArray(value) || value instanceof Stream || SLOT_CHECKS.some((check) => check(value))) return false
  const facts = readChain(value)
  if (!facts.isViewable) return false
  const readValue = readOwnValue(value)
  if (readValue === null || (!Object.isFrozen(value) && readValue.some(isFixedFunction))) return false
  // Plain data has nothing to record, and `structuredClone` rejects a proxy.
  return facts.hasMethods || readValue.some((property) => isActive(property, services))
}

/** Returns `null` if a property cannot be read, as in a module that is still loading. */
function readOwnValue(value: object): PropertyDescriptor[] | null {
  try {
    return Object.values(Object.getOwnPropertyDescriptors(value))
  } catch {
    return null
  }
}

/** A proxy must return the property itself, so that the function would be called with the view as `this`. */
function isFixedFunction({ value, configurable, writable }: PropertyDescriptor): boolean {
  return typeof value === 'function' && configurable === false && writable === false
}

function isActive({ value, get }: PropertyDescriptor, services: ReadonlyMap<unknown, string>): boolean {
  return get !== undefined || typeof value === 'function' || types.isPromise(value) || services.has(value)
}

function readChain(value: object): PrototypeFacts {
  let hasMethods = false
  for (let each = safePrototype(value); each !== null && !isRoot(each); each = safePrototype(each)) {
    const facts = known.get(each) ?? readPrototype(each)
    known.set(each, facts)
    if (!facts.isViewable) return facts
    hasMethods ||= facts.hasMethods
  }
  return { isViewable: true, hasMethods }
}

function safePrototype(value: object): object | null {
  // Proof: a prototype is an object or `null`.
  return Object.getPrototypeOf(value) as object | null
}

/** Whether it is `Object.prototype`, in this realm or in another. */
function isRoot(prototype: object): boolean {
  return (
    prototype === Object.prototype ||
    (safePrototype(prototype) === null && readConstructor(prototype)?.name === 'Object')
  )
}

function readConstructor(prototype: object): Function | null {
  const value: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value
  return typeof value === 'function' ? value : null
}

function readPrototype(prototype: object): PrototypeFacts {
  if (types.isProxy(prototype)) return { isViewable: false, hasMethods: false }
  const maker = readConstructor(prototype)
  const isViewable = maker === null || !(isNative(maker) || isGlobal(maker) || readsOtherPrivates(maker))
  const { constructor: _, ...members } = Object.getOwnPropertyDescriptors(prototype)
  const hasMethods = Reflect.ownKeys(members).length > 0
  return { isViewable, hasMethods }
}

function sourceText(maker: Function): string {
  return Function.prototype.toString.call(maker)
}

/** Classes of V8 and of addons keep their state in internal slots. */
function isNative(maker: Function): boolean {
  return sourceText(maker).endsWith('{ [native code] }')
}

/**
 * Classes such as `URL` and `Headers` are JavaScript, but recognize their objects by private fields. Reads only the global of this name,
 * because some globals load a module.
 */
function isGlobal(maker: Function): boolean {
  return maker.name !== '' && Object.hasOwn(globalThis, maker.name) && Reflect.get(globalThis, maker.name) === maker
}

/** Private fields of objects that may not be `this`: `#sum in other`, and the helpers of compilers for older targets. */
const OTHER_PRIVATES =
  /#[\w$\u{80}-\u{10ffff}]+\s+in\s|__(?:private(?:In|Get|Set|Method)|classPrivateField\w{1,20})\((?!this\b)/u
const MAX_NAME_LENGTH = 100

/**
 * Whether a class reads private fields of other objects, as in `other.#sum`. Its methods can receive a view from code outside of
 * services, and a view has no private fields.
 */
function readsOtherPrivates(maker: Function): boolean {
  const text = sourceText(maker)
  if (OTHER_PRIVATES.test(text)) return true
  // esbuild puts an underscore before a class that its static members name.
  const allowed = new Set<string | undefined>(['this', maker.name, `_${maker.name}`])
  return [...text.matchAll(/\??\.#/g)].some(({ index }) => {
    const before = text.slice(Math.max(0, index - MAX_NAME_LENGTH), index).trimEnd()
    return !allowed.has(before.split(/[^\w$\u{80}-\u{10ffff}]/u).pop())
  })
}
