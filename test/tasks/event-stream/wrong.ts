/** Events have no id, so a page that reconnects cannot say which one was its last. */
import { EventEmitter, on } from 'node:events'
import { createApp, events, Route, service, type Input } from 'verbena'
import * as z from 'zod'

const Item = z.object({ text: z.string() })

class News extends Route<{ feed: EventEmitter }> {
  static readonly post = this.contract({ body: Item, returns: null })
  async post({ body }: Input<typeof News.post>) {
    this.feed.emit('item', body)
  }
}

class NewsEvents extends Route<{ feed: EventEmitter }> {
  static readonly path = '/news/events'
  static readonly get = this.contract({ returns: events(Item) })
  async *get({ signal }: Input<typeof NewsEvents.get>) {
    for await (const [data] of on(this.feed, 'item', { signal })) yield { data }
  }
}

export const app = createApp({ services: { feed: service(() => new EventEmitter()) }, routes: { News, NewsEvents } })
