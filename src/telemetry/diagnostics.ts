/** The same events for those who are no part of the app: the channels of `node:diagnostics_channel` that tracing tools listen to. */
import { channel } from 'node:diagnostics_channel'
import type { CallEventName, CallEvents } from './event-types.js'

const START = channel('verbena:request:start')
const END = channel('verbena:request:end')
const ERROR = channel('verbena:request:error')
const CHANNELS = { start: START, end: END, error: ERROR } as const

/**
 * Tells whether anybody in this process listens to any of the channels.
 *
 * @returns true when somebody does
 */
export function isWatched(): boolean {
  return START.hasSubscribers || END.hasSubscribers || ERROR.hasSubscribers
}

/**
 * Tells whether anybody in this process listens to the channel of an event.
 *
 * @param name of the event
 * @returns true when somebody does
 */
export function hasOutsiders(name: CallEventName): boolean {
  return CHANNELS[name].hasSubscribers
}

/**
 * Publishes an event in its channel. What a subscriber throws is reported by Node, and does not reach the app.
 *
 * @param name of the event
 * @param event of a call
 */
export function publish<Name extends CallEventName>(name: Name, event: CallEvents[Name]): void {
  CHANNELS[name].publish(event)
}
