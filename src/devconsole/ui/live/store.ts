/** Holds what the page knows, and tells the views when it changed: once a frame, however much came. */
import { EMPTY, type State } from '../pure/state.js'

/** How often views are told in a page that nobody sees, in ms. */
const HIDDEN_MS = 1_000

/** Holds what the page knows. */
export class Store {
  #state: State = EMPTY
  readonly #listeners = new Set<(state: State) => void>()
  #isPending = false

  /** What the page knows now. */
  get state(): State {
    return this.#state
  }

  /** Changes what the page knows. */
  update(change: (state: State) => State): void {
    const next = change(this.#state)
    if (next === this.#state) return
    this.#state = next
    this.touch()
  }

  /** Tells the views that there is something to look at anew. */
  touch(): void {
    if (this.#isPending) return
    this.#isPending = true
    if (document.visibilityState === 'hidden') setTimeout(() => this.#tell(), HIDDEN_MS)
    else requestAnimationFrame(() => this.#tell())
  }

  /** Adds a listener. */
  subscribe(listener: (state: State) => void): void {
    this.#listeners.add(listener)
  }

  #tell(): void {
    this.#isPending = false
    for (const listener of this.#listeners) listener(this.#state)
  }
}
