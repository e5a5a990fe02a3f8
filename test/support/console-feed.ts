/** A client of the console's event stream. */
import { EventReader, type ReadEvent } from './event-reader.js'

export interface FeedReader {
  readonly status: number
  readonly events: readonly ReadEvent[]
  readonly lastEventId: () => string
  /** Waits for an event, and returns its data. */
  until(
    type: string,
    holds?: (data: Readonly<Record<string, unknown>>) => boolean,
  ): Promise<Readonly<Record<string, unknown>>>
  /** Waits for the end of the stream. */
  readonly ended: Promise<void>
  close(): void
}

/** Opens the feed of a console. */
export async function openFeed(url: string, lastEventId?: string): Promise<FeedReader> {
  const leaving = new AbortController()
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const response = await fetch(`${url}/__dev__/events`, { headers, signal: leaving.signal })
  const reader = new EventReader(lastEventId)
  let wake = (): void => {}
  const ended = (async () => {
    try {
      for await (const bytes of response.body ?? []) {
        reader.push(bytes)
        wake()
      }
    } catch {
      // The reader closed the stream.
    }
  })()
  return {
    status: response.status,
    events: reader.events,
    lastEventId: () => reader.lastEventId,
    ended,
    async until(type, holds = () => true) {
      for (;;) {
        for (const event of reader.events) {
          const data: Record<string, unknown> = event.type === type ? JSON.parse(event.data) : {}
          if (event.type === type && holds(data)) return data
        }
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
    close: () => leaving.abort(),
  }
}
