/** State of the page. Listeners are called after a change, at most once per frame. */
import { EMPTY, type State } from '../pure/state.js'

/** Delay of listeners in a hidden page, in ms. */
const HIDDEN_MS = 1_000

export class Store {
  #state: State = EMPTY
  readonly #listeners = new Set<(state: State) => void>()
  #isPending = false

  get state(): State {
    return this.#state
  }

  update(change: (state: State) => State): void {
    const next = change(this.#state)
    if (next === this.#state) return
    this.#state = next
    this.touch()
  }

  /** Calls the listeners, even if the state has not changed. */
  touch(): void {
    if (this.#isPending) return
    this.#isPending = true
    if (document.visibilityState === 'hidden') setTimeout(() => this.#notify(), HIDDEN_MS)
    else requestAnimationFrame(() => this.#notify())
  }

  subscribe(listener: (state: State) => void): void {
    this.#listeners.add(listener)
  }

  #notify(): void {
    this.#isPending = false
    for (const listener of this.#listeners) listener(this.#state)
  }
}
