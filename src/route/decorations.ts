/** What decorators say of an endpoint: those of its class, of its contract, and those that stand on its method. */
import type { Verb } from '../http/methods.js'
import { type RouteClass, staticOf } from './class-statics.js'
import type { Around, DecoratedEndpoint, DecoratorInput } from './decorator-types.js'
import { readDecorators, repeatedUse, type DecoratorUse, decoratorsOf } from './decorator.js'
import type { VerbMethod } from './endpoints.js'

interface Decorations {
  readonly arounds: readonly Around[]
  readonly meta: object
  /** Statuses of problems they answer with, each once. */
  readonly errors: readonly number[]
  /** Their names, outermost first: `@log`. */
  readonly labels: readonly string[]
}

/**
 * Collects the decorators of an endpoint: outermost those of the class, then those of the contract, then those on the
 * method. One of the endpoint's own replaces the same one of its class.
 */
export function collectDecorations(routeClass: RouteClass, name: string, endpoint: VerbMethod): Decorations {
  const ofClass = readDecorators(staticOf(routeClass, 'decorators') ?? [], `the class "${name}"`).map((read) => read())
  const own = ownDecorators(routeClass, name, endpoint)
  checkRepeated(ofClass, `in the decorators of the class "${name}"`)
  checkRepeated(own, `on "${name}.${endpoint.verb}"`)
  const replaced = new Set(own.map(({ decorator }) => decorator))
  const uses = [...ofClass.filter(({ decorator }) => !replaced.has(decorator)), ...own]
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
  const onMethod = decoratorsOf(Reflect.get(routeClass.prototype, verb))
  const { decorators } = contract ?? {}
  if (decorators === undefined || isOverridden(routeClass, verb)) return onMethod
  return [...readDecorators(decorators, `"${name}.${verb}"`).map((read) => read()), ...onMethod]
}

/** A method that was overridden below its contract keeps what the contract says, and drops its decorators. */
function isOverridden(routeClass: RouteClass, verb: Verb): boolean {
  for (let owner: object = routeClass; !Object.hasOwn(owner, verb); owner = Object.getPrototypeOf(owner)) {
    if (Object.hasOwn(Reflect.get(owner, 'prototype'), verb)) return true
  }
  return false
}

function checkRepeated(uses: readonly DecoratorUse[], where: string): void {
  for (const [index, { decorator, label }] of uses.entries()) {
    if (uses.findIndex((other) => other.decorator === decorator) < index) throw repeatedUse(label, where)
  }
}

/** Calls a method through its decorators; a method that is no promise stays none. */
export type AroundCall = (input: DecoratorInput, proceed: () => unknown) => unknown

/** Puts decorators around each other. Returns all of them as one, `null` for none. */
export function aroundOf(arounds: readonly Around[], endpoint: DecoratedEndpoint): AroundCall | null {
  return arounds.reduceRight<AroundCall | null>((inner, around) => {
    if (inner === null) return (input, proceed) => around(input, proceed, endpoint)
    return (input, proceed) => around(input, () => inner(input, proceed), endpoint)
  }, null)
}
