/** Checks and safe reads of objects with unknown keys. */

/** Object with unknown properties. */
export type UnknownRecord = Readonly<Record<string, unknown>>

/** Object without a prototype, in which `__proto__` is an ordinary key. Safe for keys from a client. */
export interface BareRecord<Value = unknown> {
  [key: string]: Value
}

// `new` with an empty prototype takes 32 ns, `Object.create(null)` 84 ns, because its shapes are not stable.
function Bare(): void {}
Bare.prototype = Object.create(null)
// Proof: `new` creates an object with the `prototype` of the function, which has neither properties nor a prototype.
export const BareRecord = Bare as unknown as new <Value = unknown>() => BareRecord<Value>

/** Whether a value is an object or an array, but not a function. */
export function isObject(value: unknown): value is UnknownRecord {
  return typeof value === 'object' && value !== null
}

/** Whether a value is an object, but not an array. */
export function isRecord(value: unknown): value is UnknownRecord {
  return isObject(value) && !Array.isArray(value)
}

/** Whether a value is a plain object: not an array, a promise or another instance of a class. */
export function isPlainRecord(value: unknown): value is UnknownRecord {
  if (!isObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Whether a value is an object with methods of these names. */
export function hasMethods(value: unknown, names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => typeof value[name] === 'function')
}

/** Whether a value is a promise, including promises of libraries. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return isObject(value) && typeof value['then'] === 'function'
}

/** Whether a value can have a `toJSON` method. */
export function isObjectOrFunction(value: unknown): value is UnknownRecord {
  return typeof value === 'object' ? value !== null : typeof value === 'function'
}

/** Returns the value that `JSON.stringify` writes for a value: the result of its `toJSON`, if it has one. */
export function toJsonValue(value: unknown): unknown {
  return isObjectOrFunction(value) && typeof value['toJSON'] === 'function' ? value['toJSON']('') : value
}

/**
 * Like `toJsonValue`, but the result has no `toJSON` method. `JSON.stringify` calls `toJSON` only once for each value, and here it was
 * already called.
 */
export function toJsonForm(value: UnknownRecord): unknown {
  if (typeof value['toJSON'] !== 'function') return value
  const json = toJsonValue(value)
  if (typeof json === 'function') return undefined
  if (!isObject(json) || typeof json['toJSON'] !== 'function') return json
  if (Array.isArray(json)) return Array.from(json)
  return Object.fromEntries(Object.entries(json).filter(([key]) => key !== 'toJSON'))
}

export function ownValue(record: UnknownRecord, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

/** Returns the array in a property, ignoring the prototype; an empty array if it is not an array. */
export function ownList(record: UnknownRecord, key: string): readonly unknown[] {
  const value = ownValue(record, key)
  return Array.isArray(value) ? value : []
}

/** Returns the entries of the object in a property, ignoring the prototype; an empty array if it is not an object. */
export function ownEntries(record: UnknownRecord, key: string): readonly (readonly [string, unknown])[] {
  const value = ownValue(record, key)
  return isObject(value) ? Object.entries(value) : []
}
