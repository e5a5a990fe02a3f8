/** Requests in progress: their number, for which `close()` waits, and a list of them. */

/** A request that a `WorkList` can contain. The list sets both properties. */
export interface OpenRequest<C> {
  previous: C | null
  next: C | null
}

/** Methods instead of properties, so that code without access to the requests does not need their type. */
export interface Work<C = never> {
  /** Number of requests in progress, of requests that wait for services, and of methods that outlive their request. */
  readonly running: number
  hold(): void
  release(): void
  add(call: C): void
  remove(call: C): void
  /** Resolves when `running` is 0. Call it once. */
  idle(): Promise<void>
}
