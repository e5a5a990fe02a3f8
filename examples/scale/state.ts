/** What all processes share through Redis: sessions, limits, and the answers to requests that may be sent again. */
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

/** Who visits: the cookie holds a random id, Redis whose it is. A session that begins at one process is known at all. */
export const visitor = session({
  schema: z.object({ account: z.int() }),
  keys: settings.SESSION_KEYS,
  store: redisSessions(client, { prefix: 'shop:session:' }),
})

/** Who is signed in: 401 for nobody. */
export const user = signedIn(visitor, ({ account }, { db }: { db: pg.Pool }) => accountById(db, account))

/** Five attempts to sign in a minute from an address, at all processes together. While Redis is down nobody signs in. */
export const attempts = rateLimit({
  by: ({ request }) => request.ip,
  limit: 5,
  window: MINUTE,
  store: redisLimits(client),
})

/** A limit that keeps the shop fair and protects nothing: while Redis is down it lets everybody through. */
export const purchases = rateLimit({
  by: ({ user }) => user.id,
  uses: { user },
  limit: settings.PURCHASES,
  window: MINUTE,
  store: redisLimits(client),
  whenDown: 'open',
})

/** One order for each `Idempotency-Key` of an account, whichever process gets the request, and however often. */
export const once = idempotency({
  by: ({ user }) => String(user.id),
  uses: { user },
  ttl: DAY,
  store: redisIdempotency(client, { prefix: 'shop:once:' }),
  required: true,
})
