/** Commands of limits for Redis, and the parsing of its results. The script itself is tested with a real Redis, in `examples/scale`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { redisLimits, type RedisClient } from 'verbena/redis'
import { assertSetupError } from '#test/apps.js'

/** Creates a client that records commands and always returns the same result. */
function recording(answer: unknown): { client: RedisClient; sent: string[][] } {
  const sent: string[][] = []
  const call = (...args: string[]): Promise<unknown> => {
    sent.push(args)
    return Promise.resolve(answer)
  }
  return { client: { call }, sent }
}

const request = { key: 'a:60000:b', limit: 5, window: 60_000, cost: 2 }

describe('redisLimits()', () => {
  it('runs one script with one key, and uses the prefix', async () => {
    const { client, sent } = recording([1, 3, 1000, 0])
    const expected = { allowed: true, remaining: 2, reset: 1000, retryAfter: 0 }
    assert.deepEqual(await redisLimits(client).take(request), expected)
    await redisLimits(client, { prefix: 'shop:' }).take(request)
    const [[command, , ...args] = [], [, , , other] = []] = sent
    assert.deepEqual(
      [command, ...args, other],
      ['EVALSHA', '1', 'limit:a:60000:b', '60000', '5', '2', 'shop:a:60000:b'],
    )
    assert.equal(sent.length, 2)
  })

  it('parses a rejection, a count above the limit, and numbers as strings', async () => {
    const { client } = recording(['0', '7', '1000', '2000'])
    const expected = { allowed: false, remaining: 0, reset: 1000, retryAfter: 2000 }
    assert.deepEqual(await redisLimits(client).take(request), expected)
  })

  it('rejects with the error of the client', async () => {
    const client = { call: () => Promise.reject(new Error('gone')) }
    await assert.rejects(async () => redisLimits(client).take(request), /gone/)
  })

  it('rejects an invalid client, and invalid options', () => {
    assertSetupError(
      // @ts-expect-error - no client
      () => redisLimits({}),
      'OPTION_INVALID',
      'the argument "client" of redisLimits(): it must be a connected client of redis or ioredis, not a plain object',
    )
    const { client } = recording(null)
    assertSetupError(
      // @ts-expect-error - no text
      () => redisLimits(client, { prefix: 1 }),
      'OPTION_INVALID',
      '"prefix" of redisLimits(): it must be a string',
    )
    // @ts-expect-error - no such option
    assertSetupError(() => redisLimits(client, { prefixes: '' }), 'OPTION_INVALID', 'Did you mean "prefix"?')
  })
})
