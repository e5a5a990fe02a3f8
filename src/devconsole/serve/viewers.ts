/** The readers of the feed, all of them: what they are told is written once. */
import { encodeEvent } from '../../http/event-stream.js'
import type { Viewer } from './viewer.js'
import type { FeedEvents } from '../wire/feed-types.js'

/** Readers at a time: browsers open six connections to a server, and the app needs some. */
export const MOST_VIEWERS = 4

/** Readers of the feed. */
export class Viewers implements Iterable<Viewer> {
  readonly #all = new Set<Viewer>()

  /** How many there are. */
  get size(): number {
    return this.#all.size
  }

  /** Whether another one may come. */
  get hasRoom(): boolean {
    return this.#all.size < MOST_VIEWERS
  }

  /** A reader comes. */
  add(viewer: Viewer): void {
    this.#all.add(viewer)
  }

  /** A reader goes. */
  delete(viewer: Viewer): boolean {
    return this.#all.delete(viewer)
  }

  /** Tells whether anybody wants a kind of event. */
  want(kind: string): boolean {
    for (const { wants } of this.#all) if (wants.has(kind)) return true
    return false
  }

  /** Tells all of them. */
  tell<Name extends keyof FeedEvents>(name: Name, data: FeedEvents[Name]): void {
    const text = encodeEvent({ event: name, data: JSON.stringify(data) })
    for (const viewer of this.#all) viewer.write(text)
  }

  /** Tells those that want it. */
  tellThose<Name extends 'log' | 'open'>(name: Name, data: FeedEvents[Name]): void {
    const text = encodeEvent({ event: name, data: JSON.stringify(data) })
    for (const viewer of this.#all) if (viewer.wants.has(name)) viewer.write(text)
  }

  /** Finds one. Returns the reader, or `undefined`. */
  find(id: string): Viewer | undefined {
    return [...this.#all].find((viewer) => viewer.id === id)
  }

  [Symbol.iterator](): Iterator<Viewer> {
    return this.#all.values()
  }
}
