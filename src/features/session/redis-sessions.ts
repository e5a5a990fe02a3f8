/** Sessions in Redis. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { checkMembers, rule } from '../../errors/known-keys.js'
import { SetupError } from '../../errors/setup-error.js'
import { redisCommand, type RedisClient } from '../stores/redis.js'
import { isRecord } from '../../values/objects.js'
import { storedText, type SessionStore } from './store.js'

startStackAtCaller(redisSessions)

/** How sessions are kept in Redis. */
export interface RedisSessionsOptions {
  /** What their keys begin with; `session:` unless given. */
  readonly prefix?: string
}

/**
 * Keeps sessions in Redis, so that all processes of an app share them. Redis forgets them at their end.
 *
 * @param client of the package `redis`, connected, or of `ioredis`
 * @param options what the keys begin with
 * @returns the store, for `session`
 * @throws SetupError `OPTION_INVALID`
 *
 * @example
 * ```ts
 * import { redisSessions } from 'verbena/session'
 *
 * // With the package `redis`: await createClient({ url: 'redis://127.0.0.1:6379' }).connect()
 * const client = { sendCommand: async (args: string[]) => (args[0] === 'GET' ? `the text of ${args[1]}` : 'OK') }
 * const store = redisSessions(client, { prefix: 'shop:session:' })
 * await store.get('a1b2') // => 'the text of shop:session:a1b2'
 * ```
 */
export function redisSessions(client: RedisClient, options: RedisSessionsOptions = {}): SessionStore {
  if (!isRecord(options)) throw redisSessionsError('its options are no record. Write "{ prefix: \'session:\' }"')
  checkMembers(options, RULES, redisSessionsError)
  const { prefix = 'session:' } = options
  const command = redisCommand(client, redisSessionsError)
  return {
    get: async (key) => storedText(await command('GET', `${prefix}${key}`)),
    set: async (key, text, end, write) => {
      const existing = write === 'changed' ? ['XX'] : []
      return isOk(await command('SET', `${prefix}${key}`, text, 'PX', remainingLifetime(end), ...existing))
    },
    delete: (key) => command('DEL', `${prefix}${key}`),
    touch: async (key, end) => isOne(await command('PEXPIRE', `${prefix}${key}`, remainingLifetime(end))),
  }
}

const RULES = { prefix: rule((value) => typeof value === 'string', '"prefix" is not a text. Write one') }

/** The clock of Redis may be another one: it is told how long, not until when. */
function remainingLifetime(end: number): string {
  return String(Math.max(1, end - Date.now()))
}

/** Clients can be configured to return strings as bytes. */
function isOk(reply: unknown): boolean {
  return String(reply) === 'OK'
}

/** Clients can be configured to return integers as strings. */
function isOne(reply: unknown): boolean {
  return String(reply) === '1'
}

function redisSessionsError(why: string): SetupError {
  return new SetupError('OPTION_INVALID', `Cannot keep sessions in Redis: ${why}`)
}
