/** One `EventSource`: it brings the events of the feed with their names, and tells what becomes of the connection. */
import type { FeedEvents } from '../../wire/feed-types.js'
import { BASE } from './api.js'

/** An event of the feed. */
export type FeedMessage = {
  readonly [Name in keyof FeedEvents]: { readonly name: Name; readonly data: FeedEvents[Name] }
}[keyof FeedEvents]

/** Who hears of a stream. */
interface StreamListener {
  readonly message: (message: FeedMessage) => void
  /** The connection broke; the browser tries again by itself. */
  readonly broken: () => void
  /** The server refused: the browser will not try again. */
  readonly refused: () => void
}

const NAMES: readonly (keyof FeedEvents)[] = [
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

/** Opens the feed. */
export function openStream(listener: StreamListener): () => void {
  const source = new EventSource(`${BASE}/events`)
  for (const name of NAMES) {
    source.addEventListener(name, (event: Event) => {
      // `open` is also what the browser calls the moment when the connection stands.
      if (!(event instanceof MessageEvent)) return
      // Proof: the event carries the data that `FeedEvents` gives its name; the server is built with the same types.
      listener.message({ name, data: JSON.parse(event.data) } as FeedMessage)
    })
  }
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED) listener.refused()
    else listener.broken()
  })
  return () => source.close()
}
