/** Things that must not take too long, all looked at by one timer: a timer for each would cost a body 0.6 µs. */
import { LinkedList, type Linked } from './linked-list.js'

/**
 * The clock of time-outs, in ms: it never goes back, so that nobody has more time when somebody sets the time of day. The global of that
 * name is a property that Node makes anew each time: 0.1 µs a look.
 */
export const clock: Pick<typeof performance, 'now'> = performance

/** A thing that is looked at from time to time. */
export interface Watched<Item> extends Linked<Item> {
  /** Looks at it. */
  check(now: number): void
}

/** Looks at things from time to time, as long as there are any. */
export class Watch<Item extends Watched<Item>> {
  readonly #items = new LinkedList<Item>()
  readonly #period: number
  #timer: NodeJS.Timeout | undefined = undefined

  constructor(period: number) {
    this.#period = period
  }

  /** Looks at a thing from now on. */
  add(item: Item): void {
    if (item.isListed) return
    this.#items.add(item)
    // The connection keeps the process alive as long as it is needed; this must not, for a period after.
    this.#timer ??= setInterval(() => this.#look(), this.#period).unref()
  }

  /** Looks at a thing no more. */
  delete(item: Item): void {
    this.#items.delete(item)
  }

  #look(): void {
    const now = clock.now()
    for (const item of this.#items) item.check(now)
    if (this.#items.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** Keeps one watch for each limit. */
export function watches<Item extends Watched<Item>>(): (limit: number) => Watch<Item> {
  const all = new Map<number, Watch<Item>>()
  return (limit) => {
    const known = all.get(limit)
    if (known !== undefined) return known
    const watch = new Watch<Item>(Math.max(10, Math.min(1000, limit / 4)))
    all.set(limit, watch)
    return watch
  }
}
