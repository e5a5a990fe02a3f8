/** The same events for those who are no part of the app: the channels of `node:diagnostics_channel` that tracing tools listen to. */
import { channel, type Channel } from 'node:diagnostics_channel'
import type { CallEventName, CallEvents } from './event-types.js'

/** The channels, by the event that each carries. */
export const CHANNELS: Readonly<Record<CallEventName, Channel>> = {
  start: channel('verbena:request:start'),
  located: channel('verbena:request:located'),
  end: channel('verbena:request:end'),
  error: channel('verbena:request:error'),
}

/** Tells whether anybody in this process listens to any of the channels. */
export function isWatched(): boolean {
  const { start, located, end, error } = CHANNELS
  return start.hasSubscribers || located.hasSubscribers || end.hasSubscribers || error.hasSubscribers
}

/** Publishes an event in its channel. What a subscriber throws is reported by Node, and does not reach the app. */
export function publish<Name extends CallEventName>(name: Name, event: CallEvents[Name]): void {
  CHANNELS[name].publish(event)
}
