/** Event stream of the app: an `EventSource` that reports events by name, and lost connections. */
import type { FeedEvents } from '../../../src/devconsole/wire/feed-types.js'
import { BASE } from './api.js'

export type FeedMessage = {
  readonly [Name in keyof FeedEvents]: { readonly name: Name; readonly data: FeedEvents[Name] }
}[keyof FeedEvents]

interface StreamListener {
  readonly message: (message: FeedMessage) => void
  /** The connection was lost. The browser reconnects automatically. */
  readonly broken: () => void
  /** The app rejected the request. The browser does not try again (WHATWG HTML 9.2.3). */
  readonly rejected: () => void
}

const EVENT_NAMES: readonly (keyof FeedEvents)[] = [
  'hello',
  'req',
  'open',
  'log',
  'tick',
  'problem',
  'routes',
  'cleared',
  'pinned',
  'gap',
  'bye',
]

/** Opens the stream. Returns a function that closes it. */
export function openStream(listener: StreamListener): () => void {
  const source = new EventSource(`${BASE}/events`)
  for (const name of EVENT_NAMES) {
    source.addEventListener(name, (event: Event) => {
      // The browser also has an event `open`, for the connection.
      if (!(event instanceof MessageEvent)) return
      // Proof: the app is built with the same types, and sends the data that `FeedEvents` has for this name.
      listener.message({ name, data: JSON.parse(event.data) } as FeedMessage)
    })
  }
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED) listener.rejected()
    else listener.broken()
  })
  return () => source.close()
}
