/** The types of `@speed`, of `app.metrics()` and of the option `metrics`. */
import { createApp, Route, type AppMetrics, type EndpointFigures, type Figures } from 'verbena'
import { speed } from 'verbena/decorators'

class Cups extends Route {
  @speed
  async get() {
    return ['blue']
  }

  @speed()
  post() {}

  @speed({ slow: 200 })
  put() {}

  // @ts-expect-error - a time is a number
  @speed({ slow: '200 ms' })
  patch() {}

  // @ts-expect-error - unknown option
  @speed({ slower: 200 })
  delete() {}

  // @ts-expect-error - no verb method
  @speed
  wash() {}
}

class Whole extends Route {
  static readonly decorators = [speed, speed({ slow: 200 })]
  static readonly get = this.contract({ decorators: [speed] })
  get() {}
}

const app = createApp({ routes: { Cups, Whole }, metrics: '/metrics' })
// @ts-expect-error - a path is a text
createApp({ routes: { Cups }, metrics: true })

const metrics: AppMetrics = app.metrics()
const total: Figures = metrics.total
const endpoints: readonly EndpointFigures[] = metrics.endpoints
// @ts-expect-error - figures are read only
total.count = 0
// @ts-expect-error - the total has no path
void total.path
void endpoints
