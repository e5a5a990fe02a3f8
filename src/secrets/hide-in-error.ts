/** Errors in a log: their messages and stacks are texts of the author, in which a secret of the client may stand. */
import { valueOr } from '../values/quietly.js'

/** Errors behind an error that are looked at. */
const MAX_DEPTH = 5
const TEXTS = ['message', 'stack', 'cause'] as const
/** Copies by error: an error may be written more than once, and what is known of its secrets may not be at hand again. */
const copies = new WeakMap<Error, Error>()

/** Hides secrets in an error and in its causes. Returns the error itself where it has none, else a copy of the same class. */
export function hideInError(error: unknown, hide: (text: string) => string): unknown {
  // Whatever was thrown may throw again at any touch; the logger says then that it cannot be read.
  return valueOr(() => hidden(error, hide, 0), error)
}

function hidden(error: unknown, hide: (text: string) => string, depth: number): unknown {
  if (typeof error === 'string') return hide(error)
  if (!(error instanceof Error) || depth > MAX_DEPTH) return error
  const cachedCopy = copies.get(error)
  if (cachedCopy !== undefined) return cachedCopy
  const changes = hiddenProperties(error, (value) => hidden(value, hide, depth + 1))
  if (Object.keys(changes).length === 0) return error
  // Of some errors a getter gives the name, which works on the error alone.
  hideProperty(changes, 'name', undefined, error.name)
  const copy: unknown = Object.create(Object.getPrototypeOf(error), {
    ...Object.getOwnPropertyDescriptors(error),
    ...changes,
  })
  // Proof: it has the prototype of an error.
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
