/** The providers of one request: their values, and the ends that are still to come. */
import type { RequestContext } from '../context/request-context.js'
import { isHttpError } from '../errors/http-error.js'
import type { ProviderStep } from './plan.js'
import type { Ends, ProviderRecipe } from './provide.js'
import { refusalError } from './credentials.js'
import type { ServiceValues } from './service-store.js'
import { isThenable } from '../values/objects.js'
import { discardPromise } from '../values/promises.js'
import { noop } from '../values/ignore.js'

/** What was thrown: anything, `undefined` included. */
export interface ScopeFailure {
  readonly error: unknown
}

/** A generator of any kind; what its methods give may be a promise. */
interface AnyGenerator {
  next(): unknown
  throw(error: unknown): unknown
  return(value: undefined): unknown
}

interface PendingCleanup {
  readonly generator: AnyGenerator
  readonly name: string
}

/** The providers of one request. Nothing waits unless one of them is asynchronous. */
export class RequestScope {
  /** By slot. */
  readonly values: unknown[] = []
  /** By slot: what a provider gets, where its sources were read before its turn. */
  readonly inputs: RequestContext[] = []
  /** The bytes of the body, once they are there. */
  rawBody: Uint8Array = NO_BYTES
  /** What the request failed of; the ends that follow are told of it. */
  failure: ScopeFailure | null = null
  readonly #open: Readonly<Record<Ends, PendingCleanup[]>> = { 'before-response': [], 'after-response': [] }
  /** Whose end is awaited. */
  #ending: PendingCleanup | null = null
  readonly #report: (error: unknown, provider: string) => void

  /** `report` takes what a provider throws at its end beside the error that it was told of. */
  constructor(report: (error: unknown, provider: string) => void) {
    this.#report = report
  }

  /** Resolves a provider into its slot. Returns `null` when its value is there, else a promise. */
  resolve(step: ProviderStep, input: object, services: ServiceValues): Promise<void> | null {
    const { provider, name } = step
    const resolved = provider.resolve(input, services)
    if (!isGenerator(resolved)) return this.#keep(step, resolved)
    const cleanUp = (result: unknown): Promise<void> | null => {
      const { done, value } = readResult(result)
      if (done) throw new TypeError(`The provider "${name}" ended before it gave a value. Write "yield value"`)
      this.#add(provider, { generator: resolved, name })
      return this.#keep(step, value)
    }
    const first = resolved.next()
    return isThenable(first) ? Promise.resolve(first).then((result) => cleanUp(result) ?? undefined) : cleanUp(first)
  }

  /** Ends run from the last to the first. */
  #add({ ends, cleansUpLast }: ProviderRecipe, end: PendingCleanup): void {
    if (cleansUpLast) this.#open[ends].unshift(end)
    else this.#open[ends].push(end)
  }

  #keep(step: ProviderStep, value: unknown): Promise<void> | null {
    if (isThenable(value)) return Promise.resolve(value).then((settled) => this.#store(step, settled))
    this.#store(step, value)
    return null
  }

  #store({ slot, refusal }: ProviderStep, value: unknown): void {
    if (value === false && refusal !== null) throw refusalError(refusal)
    this.values[slot] = value
  }

  isOpen(when: Ends): boolean {
    return this.#open[when].length > 0
  }

  /** Names of the providers that have not ended, those included that are about to. */
  get unended(): string[] {
    const ending = this.#ending === null ? [] : [this.#ending]
    return [...ending, ...Object.values(this.#open).flat()].map(({ name }) => name)
  }

  /** Runs what stands after `yield`, in reverse order. Returns `null` when all have ended, else a promise that never rejects. */
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
    // Of a generator that is not async: nothing waits for what it returns.
    discardPromise(value, (error) => this.#report(error, name))
    if (done) return
    this.#threw(open, new TypeError(`The provider "${name}" yielded more than once. Write one "yield"`))
    Promise.resolve()
      .then(() => generator.return(undefined))
      .catch(noop)
  }

  /** The first failure stays, unless an HTTP error takes its place: that one is meant for the client. */
  #threw({ name }: PendingCleanup, error: unknown): void {
    this.#ending = null
    if (this.failure === null) this.failure = { error }
    else if (error === this.failure.error) return
    else if (isHttpError(error)) this.failure = { error }
    else this.#report(error, name)
  }
}

const NO_BYTES = new Uint8Array()

/** Stands for the providers of a request whose endpoint uses none. */
export const NO_SCOPE: RequestScope = new RequestScope(noop)

/** By its methods: compilers write generators of their own, and other iterators have no `throw`. */
function isGenerator(value: unknown): value is AnyGenerator {
  if (typeof value !== 'object' || value === null || !('next' in value) || !('throw' in value)) return false
  return 'return' in value && [value.next, value.throw, value.return].every((method) => typeof method === 'function')
}

function readResult(result: unknown): { readonly done: boolean; readonly value: unknown } {
  // Proof: it comes from a generator; whatever else it is has no `done` and is a value that was yielded.
  const { done, value } = Object(result) as { done?: unknown; value?: unknown }
  return { done: done === true, value }
}
