/** Keys and answers in Redis, for apps of more than one process. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { checkOptionValues, type Rules } from '../../errors/known-keys.js'
import { SetupError } from '../../errors/setup-error.js'
import { kindOption } from '../../route/kinds.js'
import { redisCommand, redisScript, type RedisClient, type RedisCommand, type RedisScript } from '../stores/redis.js'
import type { CompletedKey, IdempotencyStore, KeyClaim, KeyState, IncompleteKey } from './store.js'

startStackAtCaller(redisIdempotency)

/** How keys are kept in Redis. */
export interface RedisIdempotencyOptions {
  /** What the names of its keys begin with; `verbena:idempotency:` unless given. Apps that share a Redis need one each. */
  readonly prefix?: string
}

const RULES: Rules = {
  prefix: kindOption((value) => typeof value === 'string' && value !== '', 'Give a text, such as "shop:idempotency:"'),
}

/** Each key is a hash: who has claimed it, for which request, and its answer once there is one. */
const CLAIM = `local owner, request, answer = unpack(redis.call('HMGET', KEYS[1], 'owner', 'request', 'answer'))
if request and request ~= ARGV[2] then return {'mismatch'} end
if answer then return {'completed', answer} end
if owner and owner ~= ARGV[1] then return {'in-progress'} end
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'request', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {'claimed'}`

const KEEP = `local owner = redis.call('HGET', KEYS[1], 'owner')
if owner and owner ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'request', ARGV[2], 'answer', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1`

const FREE = `if redis.call('HGET', KEYS[1], 'owner') == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`

/**
 * Keeps idempotency keys and answers in Redis, from version 4 on, so that all processes of an app share them.
 *
 * @param client of the package `redis` or `ioredis`, connected; it stays yours to close
 * @param options the prefix of its keys
 * @returns the store, for `idempotency`
 * @throws SetupError `OPTION_INVALID`
 */
export function redisIdempotency(client: RedisClient, options: RedisIdempotencyOptions = {}): IdempotencyStore {
  checkOptionValues(options, RULES, (name) => `the option "${name}" of redisIdempotency()`)
  const { prefix = 'verbena:idempotency:' } = options
  const command = redisCommand(
    client,
    (why) => new SetupError('OPTION_INVALID', `Cannot use redisIdempotency(…): ${why}`),
  )
  return new RedisStore(command, prefix)
}

class RedisStore implements IdempotencyStore {
  readonly #prefix: string
  readonly #claim: RedisScript
  readonly #keep: RedisScript
  readonly #free: RedisScript

  constructor(command: RedisCommand, prefix: string) {
    this.#prefix = prefix
    this.#claim = redisScript(command, CLAIM)
    this.#keep = redisScript(command, KEEP)
    this.#free = redisScript(command, FREE)
  }

  async claim({ key, owner, request, lease }: KeyClaim): Promise<KeyState> {
    const reply = await this.#claim([this.#prefix + key], [owner, request, String(lease)])
    // Proof: what the script gives.
    const [state, answer] = reply as [IncompleteKey['state']] | [CompletedKey['state'], string]
    return state === 'completed' ? { state, answer: String(answer) } : { state }
  }

  async keep({ key, owner, request }: KeyClaim, answer: string, ttl: number): Promise<boolean> {
    return (await this.#keep([this.#prefix + key], [owner, request, answer, String(ttl)])) === 1
  }

  async free({ key, owner }: KeyClaim): Promise<void> {
    await this.#free([this.#prefix + key], [owner])
  }
}
