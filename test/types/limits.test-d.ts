/** Rate limits: parameters of their functions, and their value in endpoints. */
import { bearer, createApp, provide, Route, type Input, type Provider } from 'verbena'
import { memoryLimits, rateLimit, type LimitStore, type RateLimitState } from 'verbena/limits'
import { redisLimits } from 'verbena/redis'
import { sameType } from './same-type.js'

interface Db {
  planOf(user: string): number
}
declare const db: Db
const user = bearer((token) => ({ name: token }))
const tenant = provide({}, ({ request }, { db }: { db: Db }) => db.planOf(request.id))

const plain = rateLimit({ by: ({ request }) => request.ip, limit: 5, window: 60_000 })
sameType<typeof plain, Provider<RateLimitState>>()

const full = rateLimit({
  by: ({ user, request }, { db }: { db: Db }) => [user.name, request.ip, db.planOf(user.name)],
  limit: ({ tenant }) => tenant,
  cost: ({ user }) => user.name.length,
  window: 1000,
  name: 'full',
  store: memoryLimits({ keys: 5 }),
  whenDown: 'open',
  uses: { user, tenant },
})
sameType<typeof full, Provider<RateLimitState, { db: Db } & { db: Db }>>()

class Home extends Route {
  static readonly get = this.contract({ uses: { plain, full } })
  async get({ plain, full }: Input<typeof Home.get>) {
    sameType<typeof plain, RateLimitState>()
    sameType<typeof full.remaining, number>()
  }
}
createApp({ services: { db }, routes: { Home } })
// @ts-expect-error - the service that the functions need is missing
createApp({ routes: { Home } })

// Each function has separate services, which the app must provide.
interface Plans {
  limitOf(user: string): number
}
interface Redis {
  readonly limits: LimitStore
}
declare const plans: Plans
declare const redis: Redis
const served = rateLimit({
  by: ({ user }, { db }: { db: Db }) => [user.name, db.planOf(user.name)],
  limit: ({ user }, { plans }: { plans: Plans }) => plans.limitOf(user.name),
  cost: ({ request }, { prices }: { prices: ReadonlyMap<string, number> }) => prices.get(request.path) ?? 1,
  window: 1000,
  store: async ({ redis }: { redis: Redis }) => redis.limits,
  uses: { user },
})
sameType<
  typeof served,
  Provider<RateLimitState, { db: Db } & { plans: Plans } & { prices: ReadonlyMap<string, number> } & { redis: Redis }>
>()
const two = rateLimit({
  by: ({ request }, { db }: { db: Db }) => db.planOf(request.ip),
  limit: (_input, { plans }: { plans: Plans }) => plans.limitOf('all'),
  window: 1000,
})
sameType<typeof two, Provider<RateLimitState, { db: Db } & { plans: Plans }>>()
class Served extends Route {
  static readonly get = this.contract({ uses: { served } })
  get() {}
}
createApp({ services: { db, plans, redis, prices: new Map<string, number>() }, routes: { Served } })
// @ts-expect-error - the service of the store is missing
createApp({ services: { db, plans, prices: new Map<string, number>() }, routes: { Served } })
// @ts-expect-error - the service of the limit is missing
createApp({ services: { db, redis, prices: new Map<string, number>() }, routes: { Served } })
// @ts-expect-error - no store
rateLimit({ by: () => 'a', limit: 5, window: 1, store: ({ redis }: { redis: Redis }) => redis })

// @ts-expect-error - a header that may be absent would let everybody through
rateLimit({ by: ({ request }) => request.headers['x-key'], limit: 5, window: 1 })
// @ts-expect-error - nothing gives the user
rateLimit({ by: ({ user }) => user.name, limit: 5, window: 1 })
// @ts-expect-error - it cannot wait
rateLimit({ by: async () => 'a', limit: 5, window: 1 })
// @ts-expect-error - a window is missing
rateLimit({ by: () => 'a', limit: 5 })
// @ts-expect-error - no such option
rateLimit({ by: () => 'a', limit: 5, window: 1, windows: 1 })
// @ts-expect-error - the name is taken by the context
rateLimit({ by: () => 'a', limit: 5, window: 1, uses: { request: user } })

/** Calls that clients of both Redis packages support. */
export function stores(
  calling: { call(command: string, ...args: string[]): Promise<unknown> },
  sending: { sendCommand(args: string[]): Promise<unknown> },
): LimitStore[] {
  return [redisLimits(calling), redisLimits(sending, { prefix: 'a:' })]
}
// @ts-expect-error - no client
redisLimits({ get: () => 'a' })
