/** A small shop. Some responses end long after their method. */
import { setTimeout as sleep } from 'node:timers/promises'
import { trace } from '@opentelemetry/api'
import { createApp, HttpError, Route, stream, text, type App, type Input } from 'verbena'
import * as z from 'zod'

const tracer = trace.getTracer('shop')

/** Simulates work in a separate span, which OpenTelemetry makes a child of the request's span. */
function runInSpan(name: string): Promise<void> {
  return tracer.startActiveSpan(name, async (span) => {
    await sleep(10)
    span.end()
  })
}

abstract class ShopRoute extends Route {
  static readonly tags = ['orders']
}

class Orders extends ShopRoute {
  static readonly path = '/orders/{id}'

  static readonly get = this.contract({
    returns: z.object({ id: z.string() }),
    errors: [404],
    summary: 'Read an order',
    description: 'The ids 404 and 500 fail.',
  })
  async get({ params }: Input<typeof Orders.get>) {
    if (params.id === '404') throw new HttpError(404, 'No such order')
    if (params.id === '500') throw new Error('The database is gone')
    return { id: params.id }
  }

  static readonly post = this.contract({
    body: text(),
    returns: z.object({ saved: z.string() }),
    summary: 'Save an order',
    description: 'It is packed when the answer has left.',
  })
  async post({ body, response }: Input<typeof Orders.post>) {
    await runInSpan('save')
    response.after(() => runInSpan('pack'))
    return { saved: body }
  }
}

class Places extends ShopRoute {
  static readonly path = '/orders/{id}/places'

  static readonly get = this.contract({
    returns: stream(),
    errors: [404],
    summary: 'Follow an order',
    description: 'A line for each place where it has been.',
  })
  async *get({ params }: Input<typeof Places.get>) {
    if (params.id === '404') throw new HttpError(404, 'No such order')
    for (const place of ['Lima', 'Quito', 'Bogota']) {
      await runInSpan('locate')
      yield `${place}\n`
    }
  }
}

export const app: App = createApp({
  name: 'shop',
  routes: { Orders, Places },
  openapi: {
    info: {
      description: 'A shop whose requests are traced.',
      contact: { name: 'The shop', email: 'shop@example.com' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    tags: [{ name: 'orders', description: 'What was ordered, and where it is.' }],
  },
  fastPath: process.env['FAST_PATH'] !== 'false',
})
