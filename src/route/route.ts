/** `Route`, the base class of all routes, and the source locations of contracts. */
import { markCopy } from '../errors/copies.js'
import { startStackAtCaller } from '../errors/author-calls.js'
import { contract, type ContractMethod } from './contract.js'
import { UNKNOWN_NAMES } from './unknown-names.js'

/** Instance type of every route. */
export interface RouteBase<Services> {
  /** Declare it static: `static readonly path = '/…'`. */
  readonly path?: 'declare it `static readonly path`'
  /** Type of the required services, and brand of routes; not present at run time. */
  readonly '~services': (services: Services) => void
}

/** A class that extends `Route`, with any services. `any`, because the services are contravariant. */
// oxlint-disable-next-line no-explicit-any -- with `unknown`, classes that need services would not be assignable
export type AnyRoute = abstract new () => Pick<RouteBase<any>, '~services'>

/** The constructor side of `Route`. */
export interface RouteConstructor {
  /** The services in `Services` are properties of `this`. */
  new <Services extends object = {}>(): RouteBase<Services> & Services
  /** Defines the input and the responses of an endpoint: `static readonly get = this.contract({ … })` for the method `get`. */
  readonly contract: ContractMethod
}

class BaseRoute {
  static contract(this: { readonly name: string }, spec: unknown): unknown {
    const contracted = contract(this.name, spec)
    notePlace(contracted['~spec'], BaseRoute.contract)
    return contracted
  }
}

Object.setPrototypeOf(BaseRoute.prototype, UNKNOWN_NAMES)
startStackAtCaller(BaseRoute.contract)
markCopy(BaseRoute, 'a route class')

/**
 * Base class of routes. Methods named after HTTP verbs are endpoints. The path is `static readonly path`, or derived from the key in
 * `routes`: `UserProfiles` becomes `/user-profiles`.
 *
 * @example
 * ```ts
 * import { createApp, Route } from 'verbena'
 *
 * class Home extends Route {
 *   async get() {
 *     return { hello: 'world' }
 *   }
 * }
 * const app = createApp({ routes: { Home } })
 * const response = await app.fetch(new Request('http://localhost/home'))
 * await response.json() // => { hello: 'world' }
 * ```
 */
// Proof: `RouteConstructor` matches `BaseRoute` at run time. Each app adds its services to the prototype of a subclass.
export const Route: RouteConstructor = BaseRoute as unknown as RouteConstructor

const places = new WeakMap<object, { readonly stack?: string }>()
let isOn = false

export function recordPlaces(): void {
  isOn = true
}

export function notePlace(spec: object, below: (...args: readonly never[]) => unknown): void {
  if (!isOn) return
  const { stackTraceLimit } = Error
  const place: { stack?: string } = {}
  // `Reflect.set` does not throw if `node --frozen-intrinsics` has frozen `Error`. The stack then has its default depth.
  Reflect.set(Error, 'stackTraceLimit', 1)
  // Cheap, because V8 formats the stack only when it is read.
  Error.captureStackTrace(place, below)
  Reflect.set(Error, 'stackTraceLimit', stackTraceLimit)
  places.set(spec, place)
}

/** Returns the stack line that created a contract; `undefined` if locations are not recorded. */
export function contractLocation(spec: object): string | undefined {
  return places
    .get(spec)
    ?.stack?.split('\n')
    .find((line) => line.trimStart().startsWith('at '))
}
