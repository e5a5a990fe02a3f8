/** Redis store for idempotency keys and responses, for apps with several processes. */
import { startStackAtCaller } from '../../../errors/author-calls.js'
import { checkOptions, textRule, type Rules } from '../../../errors/options.js'
import { redisCommand, redisScript, type RedisClient } from './commands.js'
import type { CompletedKey, IdempotencyStore, IncompleteKey } from '../idempotency-store.js'

startStackAtCaller(redisIdempotency)

/** Options of `redisIdempotency`. */
export interface RedisIdempotencyOptions {
  /** Prefix of all Redis keys; default `verbena:idempotency:`. Apps that share a Redis need different prefixes. */
  readonly prefix?: string
}

const RULES: Rules<RedisIdempotencyOptions> = {
  prefix: textRule((text) => text !== '', 'be a non-empty string', "'shop:idempotency:'"),
}

/** Each key is a hash with the owner of the claim, the digest of the request, and the response after it is stored. */
const CLAIM = `local owner, request, answer = unpack(redis.call('HMGET', KEYS[1], 'owner', 'request', 'answer'))
if request and request ~= ARGV[2] then return {'mismatch'} end
if answer then return {'completed', answer} end
if owner and owner ~= ARGV[1] then return {'in-progress', redis.call('PTTL', KEYS[1])} end
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'request', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {'claimed'}`

const STORE = `local owner = redis.call('HGET', KEYS[1], 'owner')
if owner and owner ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'request', ARGV[2], 'answer', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1`

const RELEASE = `local owner, answer = unpack(redis.call('HMGET', KEYS[1], 'owner', 'answer'))
if owner == ARGV[1] and not answer then redis.call('DEL', KEYS[1]) end
return 1`

/**
 * Creates a store for idempotency keys in Redis 4 or later, shared by all processes of an app.
 *
 * @param client connected client of the package `redis` or `ioredis`; Verbena does not close it
 * @param options `prefix`: prefix of all Redis keys
 * @returns a store for `idempotency`
 * @throws SetupError `OPTION_INVALID`
 *
 * @example
 * ```ts
 * import { idempotency } from 'verbena/idempotency'
 * import { redisIdempotency, type RedisClient } from 'verbena/redis'
 *
 * const once = idempotency({
 *   by: ({ request }) => request.ip,
 *   ttl: 86_400_000,
 *   store: ({ redis }: { redis: RedisClient }) => redisIdempotency(redis, { prefix: 'shop:idempotency:' }),
 * })
 * typeof once // => 'object'
 * ```
 */
export function redisIdempotency(client: RedisClient, options: RedisIdempotencyOptions = {}): IdempotencyStore {
  checkOptions(options, RULES, 'redisIdempotency()')
  const { prefix = 'verbena:idempotency:' } = options
  const command = redisCommand(client, 'redisIdempotency')
  const claim = redisScript(command, CLAIM)
  const store = redisScript(command, STORE)
  const release = redisScript(command, RELEASE)
  return {
    async claim({ key, owner, request, lease }) {
      const reply = await claim([prefix + key], [owner, request, String(lease)])
      // Proof: the script returns one of these arrays.
      const [state, more] = reply as [IncompleteKey['state'], number?] | [CompletedKey['state'], string]
      if (state === 'completed') return { state, response: String(more) }
      return state === 'in-progress' ? { state, left: Number(more) } : { state }
    },
    async complete({ key, owner, request }, response, ttl) {
      return (await store([prefix + key], [owner, request, response, String(ttl)])) === 1
    },
    async release({ key, owner }) {
      await release([prefix + key], [owner])
    },
  }
}
