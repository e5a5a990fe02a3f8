/**
 * `decorator`: what decorators for verb methods are made with, an author's and ours. None of them replaces the method: each
 * records what it says, `decorations.ts` collects that for an endpoint, and the app acts on it.
 *
 * A decorator of ours carries its data in `meta` under a `MetaKey`:
 *
 *     const SPEED = new MetaKey<SpeedData>('speed')
 *     export const speed: Decorator<[options?: SpeedOptions]> = decorator(function speed(options: SpeedOptions = {}) {
 *       return { meta: SPEED.carry({ slow: options.slow ?? Infinity }) }
 *     })
 *
 * `SPEED.read(endpoint.meta)` reads it at registration, and `SPEED.read(end.meta)` of an event of telemetry.
 */
import { asDecorator, isDecoratorCall, recordUse, type Use } from './decorator-record.js'
import { checkSpec } from './decorator-spec.js'
import type { Decorator, DecoratorSpec } from './decorator-types.js'

/**
 * Makes a decorator for verb methods. It is used as `@audit('read')` on a method, as `decorators: [audit('read')]` in a contract, or
 * as `static readonly decorators = [audit('read')]` for a whole class; and without the call where all options can be left out.
 *
 * @param define called with the options of each use; says what the decorator does there. Its name stands in the texts of errors.
 * @returns the decorator
 * @throws SetupError `DECORATOR_MISUSED`, `DECORATOR_INVALID`, `DECORATOR_REPEATED` where it is used
 *
 * @example
 * ```ts
 * import { createApp, decorator, Route } from 'verbena'
 *
 * const trail: string[] = []
 * const audit = decorator((action: string) => ({
 *   around(_input, proceed, endpoint) {
 *     trail.push(`${action} by ${endpoint.method} ${endpoint.path}`)
 *     return proceed()
 *   },
 * }))
 *
 * class Orders extends Route {
 *   @audit('list')
 *   async get() {
 *     return []
 *   }
 * }
 * const app = createApp({ routes: { Orders } })
 * await app.fetch(new Request('http://localhost/orders'))
 * trail // => ['list by GET /orders']
 * ```
 */
export function decorator<Options extends readonly unknown[]>(
  define: (...options: Options) => DecoratorSpec,
): Decorator<Options> {
  const label = define.name === '' ? 'a decorator' : `@${define.name}`
  function useWith(options: Options): Use {
    return { decorator: make, label, spec: checkSpec(label, define(...options)) }
  }
  // Proof: without arguments it is used bare, which the types allow only where `define` needs none.
  const useBare = (): Use => useWith([] as unknown as Options)

  function make(...given: readonly unknown[]): unknown {
    if (isDecoratorCall(given)) return recordUse(useBare(), given)
    // Proof: the types let nothing but options pass.
    const applied = useWith(given as Options)
    return asDecorator(
      (...target: readonly unknown[]) => recordUse(applied, target),
      () => applied,
    )
  }
  return asDecorator(make, useBare)
}
