/** Requests in progress: their number, for which `close()` waits, and a list of them. */

/** A request that a `WorkList` can contain. The list sets both properties. */
export class ListedRequest<C> {
  previous: C | null = null
  next: C | null = null
}

/** Methods instead of properties, so that code without access to the requests does not need their type. */
export interface Work<C = never> {
  /** Number of requests in progress, including requests that wait for services and requests whose method outlives them. */
  readonly running: number
  /** Counts a request that is not in the list yet, because it waits for services. */
  hold(): void
  release(): void
  add(call: C): void
  remove(call: C): void
  /** Resolves when `running` is 0. Call it once. */
  idle(): Promise<void>
}
