import type { Work } from '../request/work-types.js'

export class WorkList<C> implements Work<C> {
  #holds = 0
  readonly #calls = new Set<C>()
  #onIdle: (() => void) | null = null

  get running(): number {
    return this.#calls.size + this.#holds
  }

  hold(): void {
    this.#holds++
  }

  release(): void {
    this.#holds--
    if (this.#onIdle !== null && this.running === 0) this.#onIdle()
  }

  add(call: C): void {
    this.#calls.add(call)
  }

  remove(call: C): void {
    this.#calls.delete(call)
    if (this.#onIdle !== null && this.running === 0) this.#onIdle()
  }

  /** Calls a function for each request. The function may remove its request. */
  each(act: (call: C) => void): void {
    for (const call of this.#calls) act(call)
  }

  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.running === 0) resolve()
      else this.#onIdle = resolve
    })
  }
}
