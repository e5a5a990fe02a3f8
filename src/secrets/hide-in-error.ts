/** Hides secrets in logged errors. Their messages and stacks can quote a secret that the client sent. */
import { valueOr } from '../values/value-or.js'

/** Maximum depth of causes and aggregated errors. */
const MAX_DEPTH = 5
const TEXTS = ['message', 'stack', 'cause'] as const
/** Copy of each error. An error can be logged more than once, and its secrets may be unknown the second time. */
const copies = new WeakMap<Error, Error>()

/** Hides secrets in an error and its causes. Returns the error itself if it contains no secrets, otherwise a copy of the same class. */
export function hideInError(error: unknown, hide: (text: string) => string): unknown {
  // A thrown value can throw when it is read. The logger then reports that it cannot be read.
  return valueOr(() => hiddenCopy(error, hide, 0), error)
}

function hiddenCopy(error: unknown, hide: (text: string) => string, depth: number): unknown {
  if (typeof error === 'string') return hide(error)
  if (!(error instanceof Error) || depth > MAX_DEPTH) return error
  const cachedCopy = copies.get(error)
  if (cachedCopy !== undefined) return cachedCopy
  const changes = hiddenProperties(error, (value) => hiddenCopy(value, hide, depth + 1))
  if (Object.keys(changes).length === 0) return error
  // The `name` getter of some errors, such as `DOMException`, throws on a copy.
  hideProperty(changes, 'name', undefined, error.name)
  const copy: unknown = Object.create(Object.getPrototypeOf(error), {
    ...Object.getOwnPropertyDescriptors(error),
    ...changes,
  })
  // Proof: the copy has the prototype of an error.
  copies.set(error, copy as Error)
  return copy
}

function hiddenProperties(error: Error, hide: (value: unknown) => unknown): PropertyDescriptorMap {
  const changes: PropertyDescriptorMap = {}
  for (const key of TEXTS) hideProperty(changes, key, error[key], hide(error[key]))
  if (!(error instanceof AggregateError)) return changes
  const errors = error.errors.map(hide)
  if (errors.some((each, index) => each !== error.errors[index])) hideProperty(changes, 'errors', error.errors, errors)
  return changes
}

function hideProperty(changes: PropertyDescriptorMap, key: string, is: unknown, becomes: unknown): void {
  if (is !== becomes) changes[key] = { value: becomes, writable: true, enumerable: false, configurable: true }
}
