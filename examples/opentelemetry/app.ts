/** A small shop, some of whose answers end long after their method has. */
import { setTimeout as sleep } from 'node:timers/promises'
import { trace } from '@opentelemetry/api'
import { createApp, HttpError, Route, text, type App, type Input } from 'verbena'

const tracer = trace.getTracer('shop')

/** Work with a span of its own; OpenTelemetry makes it a child of the span of the request. */
function traced(name: string): Promise<void> {
  return tracer.startActiveSpan(name, async (span) => {
    await sleep(10)
    span.end()
  })
}

class Orders extends Route {
  static readonly path = '/orders/{id}'

  async get({ params }: Input) {
    if (params['id'] === '404') throw new HttpError(404, 'No such order')
    if (params['id'] === '500') throw new Error('The database is gone')
    return { id: params['id'] }
  }

  static readonly post = this.contract({ body: text() })
  async post({ body, response }: Input<typeof Orders.post>) {
    await traced('save')
    response.after(() => traced('pack'))
    return { saved: body }
  }
}

class Places extends Route {
  static readonly path = '/orders/{id}/places'

  async *get() {
    for (const place of ['Lima', 'Quito', 'Bogota']) {
      await traced('locate')
      yield `${place}\n`
    }
  }
}

/** The app. */
export const app: App = createApp({
  name: 'shop',
  routes: { Orders, Places },
  fastPath: process.env['FAST_PATH'] !== 'false',
})
