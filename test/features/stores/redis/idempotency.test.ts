/** `redisIdempotency`: the commands that it sends. `examples/scale` has the tests with a real Redis. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { KeyClaim } from 'verbena/idempotency'
import { redisIdempotency } from 'verbena/redis'
import { assertSetupError } from '#test/apps.js'

const claim: KeyClaim = { key: 'k', client: 'c', owner: 'first', request: 'r', lease: 1000 }

describe('redisIdempotency()', () => {
  /** Creates a client that records commands and returns the next of these results. */
  function clientOf(answers: unknown[]) {
    const sent: string[][] = []
    const call = async (...args: string[]): Promise<unknown> => {
      sent.push(args.filter((_, at) => at !== 1))
      return answers.shift()
    }
    return { sent, client: { call } }
  }

  it('runs one script for each method, and parses the results', async () => {
    const { sent, client } = clientOf([['claimed'], ['in-progress', 900], ['mismatch'], ['completed', 'x'], 1, 0, 1])
    const store = redisIdempotency(client)
    const states = [await store.claim(claim), await store.claim(claim), await store.claim(claim)]
    assert.deepEqual(states, [{ state: 'claimed' }, { state: 'in-progress', left: 900 }, { state: 'mismatch' }])
    assert.deepEqual(await store.claim(claim), { state: 'completed', response: 'x' })
    assert.deepEqual([await store.complete(claim, 'x', 7), await store.complete(claim, 'x', 7)], [true, false])
    await store.release(claim)
    const key = 'verbena:idempotency:k'
    assert.deepEqual(sent.slice(3), [
      ['EVALSHA', '1', key, 'first', 'r', '1000'],
      ['EVALSHA', '1', key, 'first', 'r', 'x', '7'],
      ['EVALSHA', '1', key, 'first', 'r', 'x', '7'],
      ['EVALSHA', '1', key, 'first'],
    ])
  })

  it('rejects a release if Redis is unavailable', async () => {
    const error = new Error('connection lost')
    const store = redisIdempotency({ call: () => Promise.reject(error) })
    await assert.rejects(store.release(claim), error)
  })

  it('uses the prefix option for its keys', async () => {
    const { sent, client } = clientOf([['claimed']])
    await redisIdempotency(client, { prefix: 'shop:' }).claim(claim)
    assert.equal(sent[0]?.[2], 'shop:k')
  })

  it('rejects an invalid client, and invalid options', () => {
    assertSetupError(
      // @ts-expect-error - no client
      () => redisIdempotency({}),
      'OPTION_INVALID',
      'the argument "client" of redisIdempotency(): it must be a connected client',
    )
    const { client } = clientOf([])
    for (const options of [{ prefix: '' }, { prefix: 7 }, { prefx: 'a' }]) {
      // @ts-expect-error - wrong options
      assertSetupError(() => redisIdempotency(client, options), 'OPTION_INVALID', 'of redisIdempotency()')
    }
  })
})
