/** The one channel by which those who watch see the requests of an app; the core never knows who they are. */
import { CHANNELS, isWatched, publish } from './diagnostics.js'
import type { CallEventName, CallEvents, CallListener, CallListeners, CallTimer, SentHead } from './event-types.js'
import type { CallContext, CallWatcher } from './trail.js'

type Subscribed = { readonly [Name in CallEventName]: CallListener<Name>[] }

/** Brings events to listeners. Without a listener it costs the core one branch. */
export class Channel {
  /** Follows all calls step by step; `null` where nobody does. */
  watcher: CallWatcher | null = null
  /** Follows the work of calls wherever it leads; `null` where nobody has asked for that, since it costs something at each `await`. */
  context: CallContext | null = null
  /** Whether a line of the app's logger is being written just now. */
  isWriting: boolean = false
  readonly #subscribed: Subscribed = { start: [], located: [], end: [], error: [] }
  /** Whether there is a list to go through: each call asks, and the length of a list lies further, where it is cold. */
  readonly #isHeard: Record<CallEventName, boolean> = { start: false, located: false, end: false, error: false }
  #timer: CallTimer | null = null
  #isActive = false

  /** Whether anybody listens; the core makes no event otherwise. */
  get isActive(): boolean {
    return this.#isActive || this.watcher !== null || isWatched()
  }

  /** Whether anybody hears that a call begins; the core makes no event for nobody. */
  get hearsStart(): boolean {
    return this.#isHeard.start || CHANNELS.start.hasSubscribers
  }

  /** Whether anybody hears what will answer a call. */
  get hearsLocated(): boolean {
    return this.#isHeard.located || CHANNELS.located.hasSubscribers
  }

  /** Whether anybody hears that a call was answered. */
  get hearsEnd(): boolean {
    return this.#isHeard.end || CHANNELS.end.hasSubscribers
  }

  /** Whether anybody hears that something failed. */
  get hearsError(): boolean {
    return this.#isHeard.error || CHANNELS.error.hasSubscribers
  }

  /** Takes the time of all calls; `null` where nobody does. */
  get timer(): CallTimer | null {
    return this.#timer
  }

  /** Has the time of all calls taken. */
  time(timer: CallTimer): void {
    this.#timer = timer
    this.#isActive = true
  }

  /** Adds a listener. */
  subscribe(listeners: CallListeners): void {
    this.#add('start', listeners.start)
    this.#add('located', listeners.located)
    this.#add('end', listeners.end)
    this.#add('error', listeners.error)
    this.#isActive = true
  }

  /** Brings an event to all who listen to it. */
  emit<Name extends CallEventName>(name: Name, event: CallEvents[Name], head: SentHead | null = null): void {
    for (const listener of this.#subscribed[name]) {
      try {
        listener(event, head)
      } catch {
        // A listener that fails, a logger whose disk is full for one, must not end the process of who is watched.
      }
    }
    publish(name, event)
  }

  #add<Name extends CallEventName>(name: Name, listener: CallListener<Name> | undefined): void {
    if (listener === undefined) return
    this.#subscribed[name].push(listener)
    this.#isHeard[name] = true
  }
}
