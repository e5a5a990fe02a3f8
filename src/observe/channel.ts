/** Sends the events of requests to observers: logs, metrics, the console and tracing tools. The core does not know the observers. */
import { channel, type Channel as DiagnosticsChannel } from 'node:diagnostics_channel'
import { noop } from '../values/noop.js'
import { discardPromise } from '../values/promises.js'
import type { CallEventName, CallEvents, CallListener, CallListeners, CallTimer, SentHead } from './event-types.js'
import type { CallContext, AppObserver } from './request-recorder.js'

/** The same events for observers outside of the app, such as tracing tools. */
export const DIAGNOSTICS: Readonly<Record<CallEventName, DiagnosticsChannel>> = {
  start: channel('verbena:request:start'),
  routed: channel('verbena:request:routed'),
  end: channel('verbena:request:end'),
  error: channel('verbena:request:error'),
}

/** The failure of a subscriber outside of the app: fields of its log line. */
interface SubscriberFailure {
  readonly err: unknown
  readonly requestId: string
  /** Name of the channel of `node:diagnostics_channel`. */
  readonly channel: string
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

  readonly #report: (failure: SubscriberFailure) => void

  /** @param report logs failures of subscribers outside of the app */
  constructor(report: (failure: SubscriberFailure) => void = noop) {
    this.#report = report
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
    this.#publish(DIAGNOSTICS[name], event)
  }

  /** Calls the subscribers as `publish` does, which makes an error of one an `uncaughtException`, so that the process ends. */
  #publish(to: DiagnosticsChannel, event: CallEvents[CallEventName]): void {
    const subscribers: unknown = Reflect.get(to, '_subscribers')
    // Without subscribers, and in runtimes that store them elsewhere.
    if (!Array.isArray(subscribers)) return to.publish(event)
    const channel = String(to.name)
    const report = (err: unknown): void => this.#report({ err, requestId: event.requestId, channel })
    for (const subscriber of subscribers) {
      try {
        discardPromise(subscriber(event, channel), report)
      } catch (error) {
        report(error)
      }
    }
  }
}
