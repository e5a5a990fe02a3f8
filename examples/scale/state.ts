/** State that all processes share through Redis: sessions, rate limits, and responses for retries. */
import { idempotency } from 'verbena/idempotency'
import { rateLimit } from 'verbena/limits'
import { session, signedIn } from 'verbena/session'
import { redisIdempotency, redisLimits, redisSessions, type RedisClient } from 'verbena/redis'
import type pg from 'pg'
import * as z from 'zod'
import type { Settings } from './settings.js'
import { accountById } from './shop.js'

const MINUTE = 60_000
const DAY = 1_440 * MINUTE

/** The services that keys and stores come from. The app creates them before it calls these functions. */
interface Redis {
  readonly redis: RedisClient
}

/** The session of a client: the cookie contains a random id, Redis the data. Every process knows every session. */
export const visitor = session({
  schema: z.object({ account: z.int() }),
  keys: ({ settings }: { settings: Settings }) => settings.SESSION_KEYS,
  store: ({ redis }: Redis) => redisSessions(redis, { prefix: 'shop:session:' }),
})

/** The signed-in account; responds 401 without one. */
export const user = signedIn(visitor, ({ account }, { db }: { db: pg.Pool }) => accountById(db, account))

/** Five sign-in attempts per minute and address, counted over all processes. While Redis is down, all attempts get a 503. */
export const attempts = rateLimit({
  by: ({ request }) => request.ip,
  limit: 5,
  window: MINUTE,
  name: 'attempts',
  store: ({ redis }: Redis) => redisLimits(redis),
})

/** A limit for fairness, not for security: while Redis is down, it accepts all requests. */
export const purchases = rateLimit({
  by: ({ user }) => user.id,
  uses: { user },
  limit: (_input, { settings }: { settings: Settings }) => settings.PURCHASES,
  window: MINUTE,
  name: 'purchases',
  store: ({ redis }: Redis) => redisLimits(redis),
  whenDown: 'open',
})

/** One order for each `Idempotency-Key` of an account, regardless of the process and of the number of retries. */
export const once = idempotency({
  by: ({ user }) => String(user.id),
  uses: { user },
  ttl: DAY,
  store: ({ redis }: Redis) => redisIdempotency(redis, { prefix: 'shop:once:' }),
  required: true,
})
