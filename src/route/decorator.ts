/**
 * `decorator`: what decorators for verb methods are made with, an author's and ours. None of them replaces the method: each records
 * what it says, `decorations.ts` collects that for an endpoint, and the app acts on it. Ours carry data in `meta` under a `MetaKey`,
 * such as `SPEED`: `SPEED.read(endpoint.meta)` reads it at registration, and `SPEED.read(end.meta)` when a call has ended.
 */
import { checkMembers, rule, type Rules } from '../errors/known-keys.js'
import { SetupError } from '../errors/setup-error.js'
import { isErrorList } from '../injection/provide.js'
import { isPlainRecord } from '../values/objects.js'
import type { Decorator, DecoratorSpec } from './decorator-types.js'
import { asDecorator, isDecoratorCall, recordUse, type DecoratorUse } from './decorator-use.js'

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
  function useWith(options: Options): DecoratorUse {
    return { decorator: make, label, spec: checkSpec(label, define(...options)) }
  }
  // Proof: without arguments it is used bare, which the types allow only where `define` needs none.
  const useBare = (): DecoratorUse => useWith([] as unknown as Options)

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

function checkSpec(label: string, spec: DecoratorSpec): DecoratorSpec {
  const given: unknown = spec
  if (!isPlainRecord(given)) throw flaw(label, 'its function returned no record. Return "{ around, meta, errors }"')
  checkMembers(given, RULES, (why) => flaw(label, why), 'A decorator has')
  return spec
}

const RULES: Rules = {
  around: rule(
    (value) => typeof value === 'function',
    '"around" is not a function. Write "around: (input, proceed, endpoint) => proceed()"',
  ),
  meta: rule(isPlainRecord, '"meta" is not a plain object. Write "meta: { … }"'),
  errors: rule(isErrorList, '"errors" is not a list of whole numbers from 400 to 599. Write "errors: [403]"'),
}

function flaw(label: string, why: string): SetupError {
  return new SetupError('DECORATOR_INVALID', `Cannot use ${label}: ${why}`)
}

/** A key in `meta` for data of one decorator: a symbol that is not enumerable there, so that authors do not see it. */
export class MetaKey<T> {
  readonly #symbol: symbol

  constructor(name: string) {
    this.#symbol = Symbol(name)
  }

  /** The `meta` of a decorator that carries the data. */
  carry(value: T): object {
    return { [this.#symbol]: value }
  }

  read(meta: object): T | undefined {
    // Proof: the symbol never leaves this object, and `carry` puts nothing else under it.
    return Reflect.get(meta, this.#symbol) as T | undefined
  }
}
