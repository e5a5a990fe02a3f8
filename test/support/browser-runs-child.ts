/**
 * An app with faults, in a separate process: `node --import=tsx test/support/browser-runs-child.ts <port> <broken|fixed> [file]`. The fixed
 * one has one of its faults left, and a new one. Prints its port.
 */
import '#test/development.js'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp, HttpError, Route, type Input } from 'verbena'
import * as z from 'zod'

const [, , port = '0', version = 'broken', keep] = process.argv
const isBroken = version === 'broken'

class Orders extends Route {
  static readonly post = this.contract({ body: z.object({ item: z.string(), count: z.int() }) })
  post({ body }: Input<typeof Orders.post>) {
    if (isBroken)
      throw new TypeError(`No stock for ${body.count} of "${body.item}"`, { cause: new Error('Stock is null') })
    return { item: body.item }
  }
}

class OrderById extends Route {
  static readonly path = '/orders/{id}'
  static readonly get = this.contract({})
  get({ params }: Input<typeof OrderById.get>) {
    if (isBroken) throw new RangeError(`Order ${params.id} is out of range`)
    return { id: params.id }
  }
}

class Accounts extends Route {
  static readonly get = this.contract({ headers: z.object({ authorization: z.string() }) })
  get({ headers }: Input<typeof Accounts.get>) {
    if (headers.authorization !== 'Bearer the-token') throw new HttpError(401)
    if (isBroken) throw new Error('The account is empty')
    return 'account'
  }
}

class Reports extends Route {
  get(): never {
    throw new SyntaxError(`Report ${process.pid} has no end`)
  }
}

class News extends Route {
  get() {
    if (!isBroken) throw new URIError('No news')
    return 'news'
  }
}

class Searches extends Route {
  async get() {
    await sleep(isBroken ? 1_100 : 1)
    return 'found'
  }
}

class Crash extends Route {
  get() {
    setImmediate(() => {
      throw new Error('The process ends')
    })
    return 'soon'
  }
}

const app = createApp({
  name: 'orders',
  routes: { Orders, OrderById, Accounts, Reports, News, Searches, Crash },
  logger: false,
  // Reading source maps at the first error can take 200 ms on a busy machine.
  devConsole: { slow: 1_000, stall: 5_000, ...(keep === undefined ? {} : { keep }) },
})
const listening = await app.listen({ port: Number(port) })
console.log(`listens at ${listening.port}`)
