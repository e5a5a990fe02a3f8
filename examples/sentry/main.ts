/** A small app whose order 1 fails. */
import { createApp, Route, type App, type Input } from 'verbena'

class Orders extends Route {
  static readonly path = '/orders/{id}'
  async get({ params }: Input) {
    if (params['id'] === '1') throw new Error('Order 1 is broken')
    return 'an order'
  }
}

const app: App = createApp({ routes: { Orders } })
const { url } = await app.listen({ port: Number(process.env['PORT'] ?? 3000) })

console.log(`The app listens on ${url}`)
