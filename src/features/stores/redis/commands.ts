/** Commands and scripts for Redis stores, sent through the Redis client of the app. */
import { createHash } from 'node:crypto'
import { checkArgument, rule } from '../../../errors/options.js'
import { hasMethods, isObject } from '../../../values/objects.js'

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
type RedisCommand = (...args: [name: string, ...args: string[]]) => Promise<unknown>

/** Runs a script in Redis, which executes it atomically. */
type RedisScript = (keys: readonly string[], args: readonly string[]) => Promise<unknown>

/**
 * Returns a function that sends commands through the client. Throws `OPTION_INVALID` unless it is a Redis client.
 *
 * @param storeName name of the function that received the client
 */
export function redisCommand(client: RedisClient, storeName: string): RedisCommand {
  const isClient = (value: unknown): boolean => hasCommand(value, 'call') || hasCommand(value, 'sendCommand')
  const clientRule = rule(isClient, 'be a connected client of redis or ioredis', `${storeName}(new Redis())`)
  checkArgument(client, clientRule, 'client', `${storeName}()`)
  if (hasCommand(client, 'call')) return (...args) => sendCommand(client.call(...args))
  return (...args) => sendCommand(client.sendCommand(args))
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
    const scriptArguments = [String(keys.length), ...keys, ...args]
    try {
      return await command('EVALSHA', digest, ...scriptArguments)
    } catch (error) {
      if (!isUnknownScript(error)) throw error
      return command('EVAL', lua, ...scriptArguments)
    }
  }
}

function isUnknownScript(error: unknown): boolean {
  return isObject(error) && String(error['message']).startsWith('NOSCRIPT')
}
