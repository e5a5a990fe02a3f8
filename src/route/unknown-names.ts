/** Names that a route reads on `this` and that nothing has: a service that is missing, where no compiler has looked. */
import { suggestion } from '../errors/known-keys.js'

/** What is known of a class that an app has bound. */
interface BoundNames {
  readonly name: string
  readonly services: readonly string[]
}

const bound = new WeakMap<object, BoundNames>()

/** From now on instances with this prototype throw for names that they do not have. */
export function refuseUnknownNames(prototype: object, names: BoundNames): void {
  bound.set(prototype, names)
}

/**
 * Stands behind the members of every route, so that only names arrive here that it does not have. Services are found before: they cost
 * nothing. Nor do fields that a class declares; one that a constructor assigns costs 0.1 µs.
 */
export const UNKNOWN_NAMES: object = new Proxy({}, { get: readUnknown })

/** `await` and `JSON.stringify` ask every object for these. */
const ASKED_BY_LANGUAGE: readonly unknown[] = ['then', 'toJSON']

function readUnknown(target: object, key: string | symbol, route: object): unknown {
  if (typeof key === 'symbol' || key in target) return Reflect.get(target, key, route)
  const names = bound.get(Object.getPrototypeOf(route))
  if (names === undefined || ASKED_BY_LANGUAGE.includes(key)) return undefined
  const [reader = '', ...callers] = framesHere()
  // Node, for `console.log(this)`, and libraries look at what an object may be.
  if (/\bnode:|[\\/]node_modules[\\/]/.test(reader)) return undefined
  const { name, services } = names
  const method = methodIn([reader, ...callers], route.constructor.name)
  const where = method === undefined ? name : `${name}.${method}`
  const state = `it is neither a service nor a member of the class.${suggestion(key, services)}`
  const known = services.length === 0 ? 'there is none so far' : `so far there are ${services.join(', ')}`
  const error = new Error(`Cannot read "${key}" in "${where}": ${state} Give it in "services": ${known}`)
  Error.captureStackTrace(error, readUnknown)
  throw error
}

function framesHere(): readonly string[] {
  const place: { stack?: string } = {}
  Error.captureStackTrace(place, readUnknown)
  return String(place.stack)
    .split('\n')
    .filter((line) => line.trimStart().startsWith('at '))
}

/** The method of a class that stands innermost. */
function methodIn(frames: readonly string[], className: string): string | undefined {
  const named = frames.map((frame) => /^\s+at (?:async )?(?<owner>[^\s.]+)\.(?<method>[\w$]+) /.exec(frame)?.groups)
  return named.find((groups) => groups?.['owner'] === className)?.['method']
}
