/** Commands and scripts for Redis stores, sent through the Redis client of the app. */
import { createHash } from 'node:crypto'
import type { SetupError } from '../../errors/setup-error.js'
import { hasMethods, isObject } from '../../values/objects.js'

/** A Redis client of the package `ioredis`, or of `redis` 4 or later. */
export type RedisClient = CallingClient | SendingClient

/** A client of `ioredis`. */
interface CallingClient {
  call(command: string, ...args: string[]): Promise<unknown>
}

/** A client of `redis`. */
interface SendingClient {
  sendCommand(args: string[]): Promise<unknown>
}

/** Sends one command to Redis and returns the reply. */
export type RedisCommand = (...args: [name: string, ...args: string[]]) => Promise<unknown>

/** Runs a script in Redis, which executes it atomically. */
export type RedisScript = (keys: readonly string[], args: readonly string[]) => Promise<unknown>

/** Returns a function that sends commands through the client. Throws the error of `invalid` unless it is a Redis client. */
export function redisCommand(client: RedisClient, invalid: (why: string) => SetupError): RedisCommand {
  const untrusted: unknown = client
  if (hasCommand(untrusted, 'call')) return (...args) => sendCommand(untrusted.call(...args))
  if (hasCommand(untrusted, 'sendCommand')) return (...args) => sendCommand(untrusted.sendCommand(args))
  throw invalid(
    'the client must be a Redis client. Pass the result of "createClient()" of redis, or "new Redis()" of ioredis',
  )
}

/** Keeps only the message of an error, because errors of `ioredis` contain the command with its values, which must not be logged. */
function sendCommand(response: Promise<unknown>): Promise<unknown> {
  return response.catch((error: unknown) => {
    throw new Error(isObject(error) ? String(error['message']) : String(error))
  })
}

// In both packages, the method has only the signature that `RedisClient` declares.
function hasCommand<Name extends 'call' | 'sendCommand'>(
  client: unknown,
  name: Name,
): client is Extract<RedisClient, Readonly<Record<Name, unknown>>> {
  return hasMethods(client, [name])
}

/** Prepares a script. It is sent by its digest, and in full only if Redis has not run it since its last restart. */
export function redisScript(command: RedisCommand, lua: string): RedisScript {
  const digest = createHash('sha1').update(lua).digest('hex')
  return async (keys, args) => {
    const rest = [String(keys.length), ...keys, ...args]
    try {
      return await command('EVALSHA', digest, ...rest)
    } catch (error) {
      if (!isUnknownScript(error)) throw error
      return command('EVAL', lua, ...rest)
    }
  }
}

function isUnknownScript(error: unknown): boolean {
  return isObject(error) && String(error['message']).startsWith('NOSCRIPT')
}
