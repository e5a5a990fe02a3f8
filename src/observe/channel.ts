/** The one channel by which observers see the requests of an app; the core never knows who they are. */
import { channel } from 'node:diagnostics_channel'
import type { CallEventName, CallEvents, CallListener, CallListeners, CallTimer, SentHead } from './event-types.js'
import type { CallContext, AppObserver } from './request-recorder.js'

/** The same events for observers that are no part of the app, such as tracing tools. */
const DIAGNOSTICS = {
  start: channel('verbena:request:start'),
  routed: channel('verbena:request:routed'),
  end: channel('verbena:request:end'),
  error: channel('verbena:request:error'),
}

export class Channel {
  observer: AppObserver | null = null
  /** Follows the work of calls wherever it leads; `null` where nobody has asked for that, since it costs something at each `await`. */
  context: CallContext | null = null
  timer: CallTimer | null = null
  /** Whether a line of the app's logger is being written just now. */
  isWriting: boolean = false
  readonly #listeners: { readonly [Name in CallEventName]: CallListener<Name>[] } = {
    start: [],
    routed: [],
    end: [],
    error: [],
  }
  #hasListeners = false

  /** Whether anybody observes calls; without that, the core makes no event. */
  get isActive(): boolean {
    const { start, routed, end, error } = DIAGNOSTICS
    const isDiagnosed = start.hasSubscribers || routed.hasSubscribers || end.hasSubscribers || error.hasSubscribers
    return this.#hasListeners || this.timer !== null || this.observer !== null || isDiagnosed
  }

  hasListeners(name: CallEventName): boolean {
    return this.#listeners[name].length > 0 || DIAGNOSTICS[name].hasSubscribers
  }

  subscribe({ start, end }: CallListeners): void {
    if (start !== undefined) this.#listeners.start.push(start)
    if (end !== undefined) this.#listeners.end.push(end)
    this.#hasListeners = true
  }

  emit<Name extends CallEventName>(name: Name, event: CallEvents[Name], head: SentHead | null = null): void {
    for (const listener of this.#listeners[name]) {
      try {
        listener(event, head)
      } catch {
        // A listener that fails, such as a logger whose disk is full, must not end the process of the app.
      }
    }
    // Node reports what a subscriber throws; it does not reach the app.
    DIAGNOSTICS[name].publish(event)
  }
}
