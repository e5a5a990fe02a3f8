/** Redis store for rate limits, shared by all processes. A script counts with the clock of Redis. */
import { startStackAtCaller } from '../../../errors/author-calls.js'
import { checkOptions, stringRule, type Rules } from '../../../errors/options.js'
import { redisCommand, redisScript, type RedisClient } from './commands.js'
import type { LimitStore } from '../limit-store.js'
import { SLOTS } from '../slots.js'

startStackAtCaller(redisLimits)

/** Options of `redisLimits`. */
export interface RedisLimitsOptions {
  /** Prefix of all Redis keys; default `limit:`. */
  readonly prefix?: string
}

/**
 * Does the same as `charge` in `slots.ts`. Each client has a hash that maps slot numbers to used amounts. If the clock of Redis was set
 * back, slots in the future are merged into the current one, so that clients do not have to wait for the clock to catch up.
 */
const CHARGE = `
local window, limit, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local current = math.floor(now * ${SLOTS} / window)
local slots, used = {}, 0

local function name(number) return string.format('%.0f', number) end
local function add(amount)
  redis.call('HINCRBY', KEYS[1], name(current), amount)
  redis.call('PEXPIRE', KEYS[1], math.ceil(window * ${SLOTS + 1} / ${SLOTS}))
end

local stored = redis.call('HGETALL', KEYS[1])
for at = 1, #stored, 2 do
  local number, amount = tonumber(stored[at]), tonumber(stored[at + 1])
  if number < current - ${SLOTS} then
    redis.call('HDEL', KEYS[1], stored[at])
  else
    if number > current then
      redis.call('HDEL', KEYS[1], stored[at])
      add(amount)
      number = current
    end
    slots[#slots + 1] = { number, amount }
    used = used + amount
  end
end

local allowed = used + cost <= limit
local missing = used + cost - limit
if allowed and cost > 0 then
  add(cost)
  slots[#slots + 1] = { current, cost }
  used = used + cost
end

table.sort(slots, function(a, b) return a[1] < b[1] end)
local function left(slot) return math.max(0, math.ceil((slot[1] + ${SLOTS + 1}) * window / ${SLOTS} - now)) end
local reset, retry = slots[1] and left(slots[1]) or 0, allowed and 0 or window
for _, slot in ipairs(slots) do
  if allowed then break end
  missing = missing - slot[2]
  if missing <= 0 then
    retry = left(slot)
    break
  end
end
return { allowed and 1 or 0, used, reset, retry }
`

/**
 * Creates a store for rate limits in Redis, shared by all processes of an app. Each client is one key, which expires. Only the clock of Redis
 * is used, so the clocks of the processes may differ.
 *
 * @param client connected client of the package `redis` or `ioredis`; Verbena does not close it
 * @param options `prefix`: prefix of all Redis keys
 * @returns a store for `rateLimit`
 * @throws SetupError `OPTION_INVALID`
 *
 * @example
 * ```ts
 * import { rateLimit } from 'verbena/limits'
 * import { redisLimits, type RedisClient } from 'verbena/redis'
 *
 * const pages = rateLimit({
 *   by: ({ request }) => request.ip,
 *   limit: 100,
 *   window: 60_000,
 *   store: ({ redis }: { redis: RedisClient }) => redisLimits(redis, { prefix: 'shop:limit:' }),
 * })
 * typeof pages // => 'object'
 * ```
 */
export function redisLimits(client: RedisClient, options: RedisLimitsOptions = {}): LimitStore {
  checkOptions(options, RULES, 'redisLimits()')
  const { prefix = 'limit:' } = options
  const run = redisScript(redisCommand(client, 'redisLimits'), CHARGE)
  return {
    async take({ key, limit, window, cost }) {
      const result = await run([prefix + key], [window, limit, cost].map(String))
      // Proof: the script returns four integers. A client may be configured to return them as strings.
      const [allowed, used, reset, retryAfter] = result as readonly [unknown, unknown, unknown, unknown]
      return {
        allowed: Number(allowed) === 1,
        remaining: Math.max(0, limit - Number(used)),
        reset: Number(reset),
        retryAfter: Number(retryAfter),
      }
    },
  }
}

const RULES: Rules<RedisLimitsOptions> = { prefix: stringRule("'limit:'") }
