/**
 * Values and pending cleanup of the providers of one request.
 *
 * @see docs/decisions/0008-how-providers-end.md
 * @see docs/decisions/0018-false-of-providers.md
 */
import type { BaseContext, RequestContext } from '../context/request-context.js'
import { toHttpError } from '../errors/foreign-error.js'
import type { ProviderStep } from './plan.js'
import type { Ends, ProviderRecipe } from './provide.js'
import { rejectionError } from './credentials.js'
import type { ServiceValues } from './services.js'
import { isThenable } from '../values/objects.js'
import { discardPromise } from '../values/promises.js'
import { noop } from '../values/noop.js'

/** Wraps a thrown value, because code can also throw `undefined`. */
export interface ScopeFailure {
  readonly error: unknown
}

interface AnyGenerator {
  next(): unknown
  throw(error: unknown): unknown
  return(value: undefined): unknown
}

interface PendingCleanup {
  readonly generator: AnyGenerator
  readonly name: string
}

/** Verbena does not `await` synchronous providers. */
export class RequestScope {
  readonly values: unknown[] = []
  /** Inputs by slot, of providers whose sources are validated before they run. */
  readonly inputs: RequestContext[] = []
  /** Input of all providers without `needs` that are not guards. */
  sharedInput: BaseContext | null = null
  /** Error of the request, which cleanup receives at `yield`; `null` if it succeeded so far. */
  failure: ScopeFailure | null = null
  readonly #open: Readonly<Record<Ends, PendingCleanup[]>> = { 'before-response': [], 'after-response': [] }
  /** The provider whose cleanup is in progress. */
  #ending: PendingCleanup | null = null
  readonly #report: (error: unknown, provider: string) => void

  /** @param report receives errors of cleanup that do not become `failure` */
  constructor(report: (error: unknown, provider: string) => void) {
    this.#report = report
  }

  /** Stores the value of a provider in its slot. Returns `null` if it is stored, or a promise if the provider is asynchronous. */
  resolve(step: ProviderStep, input: object, services: ServiceValues): Promise<void> | null {
    const { provider, name } = step
    const resolved = provider.resolve(input, services)
    if (!isGenerator(resolved)) return isThenable(resolved) ? this.#settle(step, resolved) : this.#store(step, resolved)
    const cleanUp = (result: unknown): Promise<void> | null => {
      const { done, value } = readResult(result)
      if (done) throw new TypeError(`The provider "${name}" ended without a value. Write "yield value"`)
      this.#add(provider, { generator: resolved, name })
      return this.#settle(step, value)
    }
    const first = resolved.next()
    return isThenable(first) ? Promise.resolve(first).then((result) => cleanUp(result) ?? undefined) : cleanUp(first)
  }

  /** Cleanup starts with the last entry. */
  #add({ ends, cleansUpLast }: ProviderRecipe, end: PendingCleanup): void {
    if (cleansUpLast) this.#open[ends].unshift(end)
    else this.#open[ends].push(end)
  }

  #settle(step: ProviderStep, value: unknown): Promise<void> | null {
    if (!isThenable(value)) return this.#store(step, value)
    return Promise.resolve(value).then((settled) => void this.#store(step, settled))
  }

  #store({ slot, rejection }: ProviderStep, value: unknown): null {
    if (value === false && rejection !== null) throw rejectionError(rejection)
    this.values[slot] = value
    return null
  }

  isOpen(when: Ends): boolean {
    return this.#open[when].length > 0
  }

  /** Names of the providers whose cleanup is pending or in progress. */
  get unended(): string[] {
    const ending = this.#ending === null ? [] : [this.#ending]
    return [...ending, ...Object.values(this.#open).flat()].map(({ name }) => name)
  }

  /** Runs the cleanup in reverse order. Returns `null` if it is done, or a promise that never rejects. */
  end(when: Ends): Promise<void> | null {
    const open = this.#open[when]
    for (let last = open.pop(); last !== undefined; last = open.pop()) {
      const waiting = this.#endOne(last)
      if (waiting !== null) return waiting.then(() => this.end(when) ?? undefined)
    }
    return null
  }

  #endOne(open: PendingCleanup): Promise<void> | null {
    const { generator } = open
    try {
      const result = this.failure === null ? generator.next() : generator.throw(this.failure.error)
      if (isThenable(result)) {
        this.#ending = open
        return Promise.resolve(result).then(
          (settled) => this.#ended(open, settled),
          (error: unknown) => this.#threw(open, error),
        )
      }
      this.#ended(open, result)
    } catch (error) {
      this.#threw(open, error)
    }
    return null
  }

  #ended(open: PendingCleanup, result: unknown): void {
    this.#ending = null
    const { generator, name } = open
    const { done, value } = readResult(result)
    // A synchronous generator can return a promise. Verbena does not `await` it, and reports its rejection.
    discardPromise(value, (error) => this.#report(error, name))
    if (done) return
    this.#threw(open, new TypeError(`The provider "${name}" yielded more than once. Write one "yield"`))
    Promise.resolve()
      .then(() => generator.return(undefined))
      .catch(noop)
  }

  /** Keeps the first failure, unless a later one is an HTTP error, which is meant for the client. */
  #threw({ name }: PendingCleanup, error: unknown): void {
    this.#ending = null
    if (this.failure === null) this.failure = { error }
    else if (error === this.failure.error) return
    else if (toHttpError(error) !== undefined) this.failure = { error }
    else this.#report(error, name)
  }
}

/** Checks the methods, because compilers emit custom generators. Other iterators have no `throw`. */
function isGenerator(value: unknown): value is AnyGenerator {
  if (typeof value !== 'object' || value === null || !('next' in value) || !('throw' in value)) return false
  return 'return' in value && [value.next, value.throw, value.return].every((method) => typeof method === 'function')
}

function readResult(result: unknown): { readonly done: boolean; readonly value: unknown } {
  // Proof: `Object()` returns an object, and both properties are optional and `unknown`.
  const { done, value } = Object(result) as { done?: unknown; value?: unknown }
  return { done: done === true, value }
}
