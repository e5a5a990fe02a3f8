/** The readers of the feed, all of them: what they are told is written once. */
import { encodeEvent } from '../../http/event-stream.js'
import type { Viewer } from './viewer.js'
import type { FeedEvents } from '../wire/feed-types.js'

/** Readers at a time: browsers open six connections to a server, and the app needs some. */
export const MOST_VIEWERS = 4

export class Viewers implements Iterable<Viewer> {
  readonly #all = new Set<Viewer>()

  get size(): number {
    return this.#all.size
  }

  get hasRoom(): boolean {
    return this.#all.size < MOST_VIEWERS
  }

  add(viewer: Viewer): void {
    this.#all.add(viewer)
  }

  delete(viewer: Viewer): boolean {
    return this.#all.delete(viewer)
  }

  want(kind: string): boolean {
    for (const { wants } of this.#all) if (wants.has(kind)) return true
    return false
  }

  tell<Name extends keyof FeedEvents>(name: Name, data: FeedEvents[Name]): void {
    const text = encodeEvent({ event: name, data: JSON.stringify(data) })
    for (const viewer of this.#all) viewer.write(text)
  }

  tellThose<Name extends 'log' | 'open'>(name: Name, data: FeedEvents[Name]): void {
    const text = encodeEvent({ event: name, data: JSON.stringify(data) })
    for (const viewer of this.#all) if (viewer.wants.has(name)) viewer.write(text)
  }

  find(id: string): Viewer | undefined {
    return [...this.#all].find((viewer) => viewer.id === id)
  }

  [Symbol.iterator](): Iterator<Viewer> {
    return this.#all.values()
  }
}
