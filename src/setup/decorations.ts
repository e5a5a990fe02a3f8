/** Collects the decorators of an endpoint, and composes them into one function. */
import { listDecorators, readDecorators, repeatedUse } from '../route/decorator.js'
import type { Around, AroundCall, DecoratedEndpoint, DecoratorUse } from '../route/decorator.js'
import type { VerbMethod } from '../route/endpoints.js'
import { readStatic, type RouteClass } from '../route/route-class.js'

interface Decorations {
  readonly arounds: readonly Around[]
  readonly meta: object
  readonly errors: readonly number[]
  /** Names such as `@log`, outermost first. */
  readonly labels: readonly string[]
}

/** Order, outermost first: class, contract, method. A decorator of the contract or method replaces the same decorator of the class. */
export function collectDecorations(routeClass: RouteClass, name: string, endpoint: VerbMethod): Decorations {
  const ofClass = readDecorators(readStatic(routeClass, 'decorators') ?? [], `the class "${name}"`).map((read) =>
    read(),
  )
  const decorators = ownDecorators(routeClass, name, endpoint)
  checkRepeated(ofClass, `in the decorators of the class "${name}"`)
  checkRepeated(decorators, `on "${name}.${endpoint.verb}"`)
  const replaced = new Set(decorators.map(({ decorator }) => decorator))
  const uses = [...ofClass.filter(({ decorator }) => !replaced.has(decorator)), ...decorators]
  return {
    arounds: uses.flatMap(({ spec }) => spec.around ?? []),
    meta: Object.assign({}, ...uses.map(({ spec }) => spec.meta)),
    errors: [...new Set(uses.flatMap(({ spec }) => spec.errors ?? []))],
    labels: uses.map(({ label }) => label),
  }
}

export function mergeMeta(parts: readonly object[]): object {
  const meta: object = Object.assign({}, ...parts)
  for (const symbol of Object.getOwnPropertySymbols(meta)) Object.defineProperty(meta, symbol, { enumerable: false })
  return meta
}

function ownDecorators(routeClass: RouteClass, name: string, { verb, contract }: VerbMethod): readonly DecoratorUse[] {
  const onMethod = listDecorators(Reflect.get(routeClass.prototype, verb))
  const { decorators } = contract ?? {}
  if (decorators === undefined) return onMethod
  // If a subclass overrides the method, but not the contract, the contract stays valid, except for its decorators.
  for (let owner: object = routeClass; !Object.hasOwn(owner, verb); owner = Object.getPrototypeOf(owner)) {
    if (Object.hasOwn(Reflect.get(owner, 'prototype'), verb)) return onMethod
  }
  return [...readDecorators(decorators, `"${name}.${verb}"`).map((read) => read()), ...onMethod]
}

function checkRepeated(uses: readonly DecoratorUse[], where: string): void {
  for (const [index, { decorator, label }] of uses.entries()) {
    if (uses.findIndex((other) => other.decorator === decorator) < index) throw repeatedUse(label, where)
  }
}

/** Composes decorators into one function; `null` if the list is empty. */
export function composeWrappers(arounds: readonly Around[], endpoint: DecoratedEndpoint): AroundCall | null {
  return arounds.reduceRight<AroundCall | null>((inner, around) => {
    if (inner === null) return (input, proceed) => around(input, proceed, endpoint)
    return (input, proceed) => around(input, () => inner(input, proceed), endpoint)
  }, null)
}
