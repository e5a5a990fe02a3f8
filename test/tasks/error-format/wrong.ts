/** The method returns its error in the format, and errors of the framework have another one. */
import { createApp, reply, Route, type Input } from 'verbena'
import * as z from 'zod'

const Failure = z.object({ error: z.object({ code: z.string(), message: z.string() }) })

class Coupons extends Route {
  static readonly post = this.contract({
    body: z.object({ code: z.string().min(4) }),
    returns: { 200: z.object({ percent: z.int() }), 409: Failure },
  })
  async post({ body }: Input<typeof Coupons.post>) {
    if (body.code === 'SPRING') {
      return reply(409, { error: { code: 'COUPON_EXPIRED', message: 'The coupon has expired' } })
    }
    return reply(200, { percent: 10 })
  }
}

export const app = createApp({ routes: { Coupons } })
