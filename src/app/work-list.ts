import type { ListedRequest, Work } from '../request/work-types.js'

/** A linked list: a `Set` costs 100 ns more for each request. */
export class WorkList<C extends ListedRequest<C>> implements Work<C> {
  running: number = 0
  #first: C | null = null
  #onIdle: (() => void) | null = null

  hold(): void {
    this.running++
  }

  release(): void {
    this.running--
    if (this.running === 0) this.#onIdle?.()
  }

  add(call: C): void {
    this.running++
    call.next = this.#first
    if (this.#first !== null) this.#first.previous = call
    this.#first = call
  }

  /** Does nothing if the request is not in the list. */
  remove(call: C): void {
    const { previous, next } = call
    if (previous === null && this.#first !== call) return
    if (previous === null) this.#first = next
    else previous.next = next
    if (next !== null) next.previous = previous
    call.previous = null
    call.next = null
    this.running--
    if (this.running === 0) this.#onIdle?.()
  }

  /** Calls a function for each request. The function may remove its request. */
  each(act: (call: C) => void): void {
    let next: C | null
    for (let call = this.#first; call !== null; call = next) {
      next = call.next
      act(call)
    }
  }

  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.running === 0) resolve()
      else this.#onIdle = resolve
    })
  }
}
