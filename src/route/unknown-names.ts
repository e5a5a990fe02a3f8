/** Makes `this.name` throw in a route if `name` is neither a service nor a member, which helps authors without TypeScript. */
import { suggestion } from '../errors/known-keys.js'
import { strictPrototype } from '../values/strict-reads.js'

interface BoundNames {
  readonly name: string
  readonly services: readonly string[]
}

const bound = new WeakMap<object, BoundNames>()

/** Enables the check for instances with this prototype. */
export function rejectUnknownNames(prototype: object, names: BoundNames): void {
  bound.set(prototype, names)
}

/**
 * Last prototype of every route, so it only receives names that the route does not have. Reading services and declared fields is as fast
 * as without it. A field that is only assigned in the constructor costs 0.1 µs.
 */
export const UNKNOWN_NAMES: object = strictPrototype((key, route, frames) => {
  const names = bound.get(Object.getPrototypeOf(route))
  if (names === undefined) return null
  const { name, services } = names
  const method = findMethodName(frames, route.constructor.name)
  const where = method === undefined ? name : `${name}.${method}`
  const state = `it is neither a service nor a member of the class.${suggestion(key, services)}`
  const available =
    services.length === 0 ? 'the app has no services' : `the app has the services ${services.join(', ')}`
  return new Error(`Cannot read "${key}" in "${where}": ${state} Add it to "services"; ${available}`)
})

function findMethodName(frames: readonly string[], className: string): string | undefined {
  const named = frames.map((frame) => /^\s+at (?:async )?(?<owner>[^\s.]+)\.(?<method>[\w$]+) /.exec(frame)?.groups)
  return named.find((groups) => groups?.['owner'] === className)?.['method']
}
