/** Sends the events of requests to observers: logs, metrics, the console and tracing tools. The core does not know the observers. */
import { channel, type Channel as DiagnosticsChannel } from 'node:diagnostics_channel'
import type { CallEventName, CallEvents, CallListener, CallListeners, CallTimer, SentHead } from './event-types.js'
import type { CallContext, AppObserver } from './request-recorder.js'

/** The same events for observers outside of the app, such as tracing tools. */
export const DIAGNOSTICS: Readonly<Record<CallEventName, DiagnosticsChannel>> = {
  start: channel('verbena:request:start'),
  routed: channel('verbena:request:routed'),
  end: channel('verbena:request:end'),
  error: channel('verbena:request:error'),
}

export class Channel {
  observer: AppObserver | null = null
  /** Tracks the async work of each request. `null` unless the console captures `console.*`, because it makes each `await` slower. */
  context: CallContext | null = null
  timer: CallTimer | null = null
  /** Whether the app's logger is writing a line. */
  isWriting: boolean = false
  /** Whether there are listeners. */
  isSubscribed: boolean = false
  readonly #listeners: { readonly [Name in CallEventName]: CallListener<Name>[] } = {
    start: [],
    routed: [],
    end: [],
    error: [],
  }

  hasListeners(name: CallEventName): boolean {
    return this.#listeners[name].length > 0 || DIAGNOSTICS[name].hasSubscribers
  }

  subscribe({ start, end }: CallListeners): void {
    if (start !== undefined) this.#listeners.start.push(start)
    if (end !== undefined) this.#listeners.end.push(end)
    this.isSubscribed = true
  }

  emit<Name extends CallEventName>(name: Name, event: CallEvents[Name], head: SentHead | null = null): void {
    for (const listener of this.#listeners[name]) {
      try {
        listener(event, head)
      } catch {
        // A failing listener, such as a logger whose disk is full, must not crash the process.
      }
    }
    // Node reports errors of subscribers. They are not thrown here.
    DIAGNOSTICS[name].publish(event)
  }
}
