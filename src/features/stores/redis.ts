/** Redis, as far as stores need it: commands and scripts, through the client that an app has. */
import { createHash } from 'node:crypto'
import type { SetupError } from '../../errors/setup-error.js'
import { hasMethods, isObject } from '../../values/objects.js'

/** What stores use of a client of Redis, as the package `ioredis` makes it, or `redis` from its version 4 on. */
export type RedisClient = CallingClient | SendingClient

/** A client of `ioredis`. */
interface CallingClient {
  call(command: string, ...args: string[]): Promise<unknown>
}

/** A client of `redis`. */
interface SendingClient {
  sendCommand(args: string[]): Promise<unknown>
}

/** Sends one command to Redis and gives its answer. */
export type RedisCommand = (...args: [name: string, ...args: string[]]) => Promise<unknown>

/** Runs a script in Redis, where nothing else happens meanwhile. */
export type RedisScript = (keys: readonly string[], args: readonly string[]) => Promise<unknown>

/** Takes the client of an app. `invalid` makes the error for anything else. */
export function redisCommand(client: RedisClient, invalid: (why: string) => SetupError): RedisCommand {
  const untrusted: unknown = client
  if (hasCommand(untrusted, 'call')) return (...args) => sendCommand(untrusted.call(...args))
  if (hasCommand(untrusted, 'sendCommand')) return (...args) => sendCommand(untrusted.sendCommand(args))
  throw invalid('its client is none of Redis. Give what "createClient()" of redis makes, or "new Redis()" of ioredis')
}

/** `ioredis` puts the command into its errors, with what was to be kept: that is not for logs. */
function sendCommand(answer: Promise<unknown>): Promise<unknown> {
  return answer.catch((error: unknown) => {
    throw new Error(isObject(error) ? String(error['message']) : String(error))
  })
}

// Both packages have one form of the method only, which `RedisClient` describes.
function hasCommand<Name extends 'call' | 'sendCommand'>(
  client: unknown,
  name: Name,
): client is Extract<RedisClient, Readonly<Record<Name, unknown>>> {
  return hasMethods(client, [name])
}

/** Prepares a script. Redis knows a script that it has run by its digest, until it restarts. */
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
