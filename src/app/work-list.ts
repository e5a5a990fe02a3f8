import type { OpenRequest, Work } from '../request/work-types.js'

/** A linked list: for each request it costs 50 ns less than a `Set`. */
export class WorkList<C extends OpenRequest<C>> implements Work<C> {
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
    call.next = this.#first
    if (this.#first !== null) this.#first.previous = call
    this.#first = call
  }

  remove(call: C): void {
    const { previous, next } = call
    if (previous !== null) previous.next = next
    else if (this.#first === call) this.#first = next
    if (next !== null) next.previous = previous
    call.previous = null
    call.next = null
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
