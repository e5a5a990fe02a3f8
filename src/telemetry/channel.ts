/** The one channel by which those who watch see the requests of an app; the core never knows who they are. */

/** A call that was answered. */
export interface CallEnd {
  /** Id of the request. */
  readonly requestId: string
  /** Name of the route; `undefined` where none answered. */
  readonly route: string | undefined
  /** Request method as sent. */
  readonly method: string
  /** Path template of the endpoint; `undefined` where none answered. */
  readonly template: string | undefined
  /** Path as sent, percent-encoded. */
  readonly path: string
  /** Status of the answer. */
  readonly status: number
  /** From the head of the request to the end of the answer's making, in ms. */
  readonly duration: number
  /** What was thrown; `undefined` when nothing was. */
  readonly error: unknown
  /** The method of the author's class; what decorators have noted of it hangs on it. */
  readonly handler: object | undefined
}

/** Takes each call that was answered. */
export type CallListener = (end: CallEnd) => void

/** Brings events to listeners. Without a listener it costs the core one branch. */
export class Channel {
  readonly #listeners: CallListener[] = []
  #isActive = false

  /** Whether anybody listens; the core makes no event otherwise. */
  get isActive(): boolean {
    return this.#isActive
  }

  /**
   * Adds a listener.
   *
   * @param listener takes each event; what it throws is dropped
   */
  subscribe(listener: CallListener): void {
    this.#listeners.push(listener)
    this.#isActive = true
  }

  /**
   * Brings an event to all listeners.
   *
   * @param end of a call
   */
  emit(end: CallEnd): void {
    for (const listener of this.#listeners) {
      try {
        listener(end)
      } catch {
        // A listener that fails, a logger whose disk is full for one, must not end the process of who is watched.
      }
    }
  }
}
