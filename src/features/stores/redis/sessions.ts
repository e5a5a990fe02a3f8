/** Session store in Redis. */
import { startStackAtCaller } from '../../../errors/author-calls.js'
import { checkOptions, stringRule, type Rules } from '../../../errors/options.js'
import { redisCommand, type RedisClient } from './commands.js'
import { remainingLifetime, storedText, type SessionStore } from '../session-store.js'

startStackAtCaller(redisSessions)

/** Options of `redisSessions`. */
export interface RedisSessionsOptions {
  /** Prefix of all Redis keys; default `session:`. */
  readonly prefix?: string
}

/**
 * Creates a store for sessions in Redis, shared by all processes of an app. Redis deletes expired sessions.
 *
 * @param client connected client of the package `redis` or `ioredis`; Verbena does not close it
 * @param options `prefix`: prefix of all Redis keys
 * @returns a store for `session`
 * @throws SetupError `OPTION_INVALID`
 *
 * @example
 * ```ts
 * import { redisSessions } from 'verbena/redis'
 *
 * // With the package `redis`: await createClient({ url }).on('error', console.error).connect()
 * const client = { sendCommand: async (args: string[]) => (args[0] === 'GET' ? `the text of ${args[1]}` : 'OK') }
 * const store = redisSessions(client, { prefix: 'shop:session:' })
 * await store.get('a1b2') // => 'the text of shop:session:a1b2'
 * ```
 */
export function redisSessions(client: RedisClient, options: RedisSessionsOptions = {}): SessionStore {
  checkOptions(options, RULES, 'redisSessions()')
  const { prefix = 'session:' } = options
  const command = redisCommand(client, 'redisSessions')
  return {
    get: async (key) => storedText(await command('GET', `${prefix}${key}`)),
    set: async (key, text, end, write) => {
      const existing = write === 'changed' ? ['XX'] : []
      return isReply(
        'OK',
        await command('SET', `${prefix}${key}`, text, 'PX', String(remainingLifetime(end)), ...existing),
      )
    },
    delete: (key) => command('DEL', `${prefix}${key}`),
    touch: async (key, end) =>
      isReply('1', await command('PEXPIRE', `${prefix}${key}`, String(remainingLifetime(end)))),
  }
}

const RULES: Rules<RedisSessionsOptions> = { prefix: stringRule("'session:'") }

/** Clients can be configured to return strings as bytes, and integers as strings. */
function isReply(expected: string, reply: unknown): boolean {
  return String(reply) === expected
}
