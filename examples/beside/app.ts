/** An app with new routes. `main.ts` passes all other paths to an Express app. */
import { createApp, Route, type Input, type Result } from 'verbena'
import * as z from 'zod'

const Tea = z.object({ name: z.string() })

class Teas extends Route {
  static readonly path = '/new/teas'
  static readonly get = this.contract({ returns: z.array(Tea) })
  async get(): Result<typeof Teas.get> {
    return [{ name: 'green' }]
  }

  static readonly post = this.contract({ body: Tea, returns: Tea, status: 201 })
  async post({ body }: Input<typeof Teas.post>): Result<typeof Teas.post> {
    return body
  }
}

/** Creates the app. Tests create several. */
export function createNewApp() {
  return createApp({ routes: { Teas }, timeouts: { close: 5_000 } })
}
