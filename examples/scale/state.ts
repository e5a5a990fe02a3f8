/** State that all processes share through Redis: sessions, rate limits, and responses for retries. */
import { idempotency, redisIdempotency } from 'verbena/idempotency'
import { rateLimit, redisLimits } from 'verbena/limits'
import { redisSessions, session, signedIn } from 'verbena/session'
import type pg from 'pg'
import * as z from 'zod'
import { client } from './redis.js'
import { settings } from './settings.js'
import { accountById } from './shop.js'

const MINUTE = 60_000
const DAY = 1_440 * MINUTE

/** The session of a client: the cookie contains a random id, Redis the data. Every process knows every session. */
export const visitor = session({
  schema: z.object({ account: z.int() }),
  keys: settings.SESSION_KEYS,
  store: redisSessions(client, { prefix: 'shop:session:' }),
})

/** The signed-in account; responds 401 without one. */
export const user = signedIn(visitor, ({ account }, { db }: { db: pg.Pool }) => accountById(db, account))

/** Five sign-in attempts per minute and address, counted over all processes. While Redis is down, all attempts get a 503. */
export const attempts = rateLimit({
  by: ({ request }) => request.ip,
  limit: 5,
  window: MINUTE,
  store: redisLimits(client),
})

/** A limit for fairness, not for security: while Redis is down, it accepts all requests. */
export const purchases = rateLimit({
  by: ({ user }) => user.id,
  uses: { user },
  limit: settings.PURCHASES,
  window: MINUTE,
  store: redisLimits(client),
  whenDown: 'open',
})

/** One order for each `Idempotency-Key` of an account, regardless of the process and of the number of retries. */
export const once = idempotency({
  by: ({ user }) => String(user.id),
  uses: { user },
  ttl: DAY,
  store: redisIdempotency(client, { prefix: 'shop:once:' }),
  required: true,
})
