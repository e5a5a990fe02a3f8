/** Views of services that put each call on a trail. What cannot be wrapped without a difference is passed on as it is. */
import { isProxy } from 'node:util/types'
import { isObject, type Known } from '../values/objects.js'
import type { OpenServiceCall, Trail } from './trail.js'

type Method = (this: unknown, ...args: readonly unknown[]) => unknown
/** Whether a function is a method like any other, by function: what tells a class from a function is its text. */
const plain = new WeakMap<object, boolean>()

export function viewService(name: string, service: unknown, trail: Trail): unknown {
  if (!isObject(service)) return service
  trail.views ??= new Map()
  const known = trail.views.get(name)
  if (known !== undefined) return known
  const view = isProxy(service) || Object.isFrozen(service) ? service : new Proxy(service, handlerOf(name, trail))
  trail.views.set(name, view)
  return view
}

export function viewServices(services: Known, trail: Trail): Known {
  return Object.fromEntries(Object.entries(services).map(([name, value]) => [name, viewService(name, value, trail)]))
}

/** Members are read from the service itself: a view has none of its private fields. */
function handlerOf(name: string, trail: Trail): ProxyHandler<object> {
  return {
    get(service, key) {
      const value: unknown = Reflect.get(service, key)
      if (typeof value !== 'function' || typeof key === 'symbol' || key === 'constructor') return value
      if (!isPlain(value) || isFixed(service, key)) return value
      // Proof: it is a function, and no class.
      return observedMethod(value as Method, service, `${name}.${key}`, trail)
    },
    set: (service, key, value) => Reflect.set(service, key, value),
  }
}

/** A class is made with `new`, and a function with members of its own is more than a method. */
function isPlain(value: object): boolean {
  const known = plain.get(value)
  if (known !== undefined) return known
  const isClass = Function.prototype.toString.call(value).startsWith('class')
  const answer = !isClass && !isProxy(value) && Object.keys(value).length === 0
  plain.set(value, answer)
  return answer
}

/** Of a member that cannot change a proxy must give the value itself. */
function isFixed(service: object, key: string): boolean {
  const own = Object.getOwnPropertyDescriptor(service, key)
  return own !== undefined && own.configurable === false && own.writable === false
}

function observedMethod(method: Method, service: object, name: string, trail: Trail): Method {
  return (...args) => {
    const open = trail.called(name, args, method)
    if (open === null) return Reflect.apply(method, service, args)
    try {
      return observedResult(Reflect.apply(method, service, args), open)
    } catch (error) {
      failed(open, error)
    }
  }
}

/** Of thenables only plain promises are waited for: to ask a query builder for its value would send the query. */
function observedResult(value: unknown, open: OpenServiceCall): unknown {
  if (!(value instanceof Promise) || value.constructor !== Promise) {
    open.end(undefined)
    return value
  }
  // The promise that is returned is the one that was listened to: if nobody handles its rejection, Node still says so.
  return value.then(
    (settled) => {
      open.end(undefined)
      return settled
    },
    (error: unknown) => failed(open, error),
  )
}

function failed(open: OpenServiceCall, error: unknown): never {
  open.end(error ?? new Error('Nothing was thrown'))
  throw error
}
