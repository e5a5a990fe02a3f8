import { createApp, HttpError, Route, type Input, type Problem, type Result } from 'verbena'
import * as z from 'zod'

const Failure = z.object({ error: z.object({ code: z.string(), message: z.string() }) })
const CODES = new Map([
  [404, 'NOT_FOUND'],
  [422, 'INVALID'],
])

function write({ status, title, detail = title }: Problem, { extensions }: HttpError) {
  const code = extensions['code'] ?? CODES.get(status) ?? 'FAILED'
  return { error: { code: String(code), message: detail } }
}

class Coupons extends Route {
  static readonly post = this.contract({
    body: z.object({ code: z.string().min(4) }),
    returns: z.object({ percent: z.int() }),
    errors: [409],
  })
  async post({ body }: Input<typeof Coupons.post>): Result<typeof Coupons.post> {
    if (body.code === 'SPRING') throw new HttpError(409, 'The coupon has expired', { code: 'COUPON_EXPIRED' })
    return { percent: 10 }
  }
}

const errorFormat = { mediaType: 'application/json', schema: Failure, write }
export const app = createApp({ routes: { Coupons }, errorFormat })
