import { EventEmitter, on } from 'node:events'
import { createApp, events, Route, service, type Input } from 'verbena'
import * as z from 'zod'

const Item = z.object({ text: z.string() })

class Feed {
  readonly #emitter = new EventEmitter().setMaxListeners(0)
  #items: { id: number; text: string }[] = []
  #lastId = 0

  publish(text: string): void {
    const item = { id: ++this.#lastId, text }
    this.#items = [...this.#items, item].slice(-100)
    this.#emitter.emit('item', item)
  }

  /** Yields the items after an id, first the stored ones. Without an id, only new items. */
  async *after(id = this.#lastId, signal: AbortSignal): AsyncGenerator<{ id: number; text: string }> {
    const changes = on(this.#emitter, 'item', { signal })
    for (const item of this.#items) if (item.id > id) yield item
    for await (const [item] of changes) yield item
  }
}

class News extends Route<{ feed: Feed }> {
  static readonly post = this.contract({ body: Item, returns: null })
  async post({ body }: Input<typeof News.post>) {
    this.feed.publish(body.text)
  }
}

class NewsEvents extends Route<{ feed: Feed }> {
  static readonly path = '/news/events'
  static readonly get = this.contract({
    headers: z.object({ 'last-event-id': z.int().optional() }),
    returns: events(Item),
  })
  async *get({ headers, signal }: Input<typeof NewsEvents.get>) {
    for await (const { id, text } of this.feed.after(headers['last-event-id'], signal)) {
      yield { id: String(id), data: { text } }
    }
  }
}

export const app = createApp({ services: { feed: service(() => new Feed()) }, routes: { News, NewsEvents } })
