/** `Route`, the class that every route extends, and the places where contracts are written. */
import { startStackAtCaller } from '../errors/author-calls.js'
import type { Only } from '../errors/known-keys.js'
import { contract, type ContractOf, type ContractSpec } from './contract.js'
import { UNKNOWN_NAMES } from './unknown-names.js'

/** What every route has: no instance field `path` (it is static), and the services it needs, as a type. */
export interface RouteBase<Services> {
  /** Declare it static: `static readonly path = '/…'`. */
  readonly path?: 'declare it `static readonly path`'
  /** The services it needs; a type only, required so that no class but a route has it. */
  readonly '~services': (services: Services) => void
}

/** A class that extends `Route`, whatever services it needs: `any` because they are contravariant. */
// oxlint-disable-next-line no-explicit-any -- `unknown` would refuse every class that needs a service
export type AnyRoute = abstract new () => Pick<RouteBase<any>, '~services'>

/** The constructor side of `Route`. */
export interface RouteConstructor {
  /** Services named in `Services` are on `this`. */
  new <Services extends object = {}>(): RouteBase<Services> & Services
  /**
   * Says what an endpoint accepts and returns: `static readonly get = this.contract({ … })` beside the method `get`.
   *
   * @param spec schemas, statuses and words for the document; an unknown key is an error at that key
   * @returns the contract; `Input<typeof Users.get>` and `Result<typeof Users.get>` read their types from it
   * @throws SetupError `CONTRACT_INVALID`
   */
  contract<Class, const Spec extends ContractSpec>(
    this: Class,
    spec: Spec & Only<Spec, ContractSpec>,
  ): ContractOf<Class, Spec>
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

/**
 * Extend it, name methods after HTTP verbs, and they are endpoints. The path follows from the class's key in `routes`
 * (`UserProfiles` is `/user-profiles`), or from `static readonly path`.
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
// Proof: `RouteConstructor` says of `BaseRoute` what it does at run time; services are put on the prototype by each app.
export const Route: RouteConstructor = BaseRoute as unknown as RouteConstructor

const places = new WeakMap<object, { readonly stack?: string }>()
let isOn = false

export function keepPlaces(): void {
  isOn = true
}

export function notePlace(spec: object, below: (...given: readonly never[]) => unknown): void {
  if (!isOn) return
  const { stackTraceLimit } = Error
  const place: { stack?: string } = {}
  // Set in a way that does not throw: `node --frozen-intrinsics` freezes `Error`. There the stack is as deep as it always is.
  Reflect.set(Error, 'stackTraceLimit', 1)
  // The text of a stack is made when it is read.
  Error.captureStackTrace(place, below)
  Reflect.set(Error, 'stackTraceLimit', stackTraceLimit)
  places.set(spec, place)
}

/** The line of the stack where a contract was made; `undefined` where it was not kept. */
export function contractLocation(spec: object): string | undefined {
  return places
    .get(spec)
    ?.stack?.split('\n')
    .find((line) => line.trimStart().startsWith('at '))
}
