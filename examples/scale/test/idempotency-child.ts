/** A process for tests that makes payments. It counts them in Redis, and prints its port. */
import { Redis } from 'ioredis'
import { createApp, Route, type Input } from 'verbena'
import { idempotency, type IdempotencyStore } from 'verbena/idempotency'
import { redisIdempotency } from 'verbena/redis'
import * as z from 'zod'

const [, , url = '', lease = ''] = process.argv
const redis = new Redis(url)
// The client reconnects automatically. Logging its errors would fill the output of the test.
redis.on('error', () => {})
const shared = redisIdempotency(redis)
/** A store with short leases, so that a test can wait until they expire. */
const store: IdempotencyStore = {
  claim: (claim) => shared.claim(lease === '' ? claim : { ...claim, lease: Number(lease) }),
  complete: (claim, response, ttl) => shared.complete(claim, response, ttl),
  release: (claim) => shared.release(claim),
}

const once = idempotency({ by: ({ request }) => request.headers['x-user'] ?? 'ada', ttl: 60_000, store })

class Payments extends Route {
  static readonly post = this.contract({
    idempotency: once,
    body: z.object({ to: z.string(), wait: z.number(), size: z.number() }),
    returns: z.object({ number: z.number(), process: z.number(), note: z.string() }),
    status: 201,
  })
  async post({ body }: Input<typeof Payments.post>) {
    const number = await redis.incr(`payments to ${body.to}`)
    await new Promise((resolve) => setTimeout(resolve, body.wait))
    return { number, process: process.pid, note: 'x'.repeat(body.size) }
  }
}

const { port } = await createApp({ routes: { Payments }, logger: false }).listen({ port: 0, host: '127.0.0.1' })
process.stdout.write(`${port}\n`)
