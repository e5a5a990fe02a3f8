/** `redisSessions()`: the commands it sends. That Redis understands them is tested in `examples/scale`. */
import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { redisSessions, type RedisClient } from 'verbena/redis'
import { assertSetupError } from '#test/apps.js'

/** Creates a client that records its commands. */
function noting(answer: unknown): { client: RedisClient; sent: string[][] } {
  const sent: string[][] = []
  const call = async (...args: string[]): Promise<unknown> => {
    sent.push(args)
    return answer
  }
  return { client: { call }, sent }
}

describe('redisSessions()', () => {
  it('sends one command for each store method, with durations instead of dates', async (test) => {
    test.after(() => mock.timers.reset())
    mock.timers.enable({ apis: ['Date'], now: 1_000 })
    const { client, sent } = noting(null)
    const store = redisSessions(client)
    assert.equal(await store.get('k'), undefined)
    await store.set('k', 'text', 61_000, 'new')
    await store.set('k', 'text', 61_000, 'changed')
    await store.touch('k', 2_000)
    await store.touch('k', 999)
    await store.delete('k')
    assert.deepEqual(sent, [
      ['GET', 'session:k'],
      ['SET', 'session:k', 'text', 'PX', '60000'],
      ['SET', 'session:k', 'text', 'PX', '60000', 'XX'],
      ['PEXPIRE', 'session:k', '1000'],
      ['PEXPIRE', 'session:k', '1'],
      ['DEL', 'session:k'],
    ])
  })

  it('returns whether an existing session was updated', async () => {
    const replies: readonly (readonly [reply: unknown, isSet: boolean, isTouched: boolean])[] = [
      ['OK', true, false],
      [Buffer.from('OK'), true, false],
      [null, false, false],
      [1, false, true],
      ['1', false, true],
      [0, false, false],
    ]
    for (const [reply, isSet, isTouched] of replies) {
      const store = redisSessions(noting(reply).client)
      const end = Date.now() + 60_000
      assert.deepEqual([await store.set('k', 'text', end, 'changed'), await store.touch('k', end)], [isSet, isTouched])
    }
  })

  it('returns strings from get, and rejects other replies', async () => {
    assert.equal(await redisSessions(noting('text').client, { prefix: 'a:' }).get('k'), 'text')
    await assert.rejects(
      async () => redisSessions(noting(Buffer.from('text')).client).get('k'),
      /the store returned a value of type object/,
    )
  })

  it('rejects invalid clients and options', () => {
    const { client } = noting(null)
    // @ts-expect-error - no client
    const without = (): unknown => redisSessions({})
    assertSetupError(
      without,
      'OPTION_INVALID',
      'the argument "client" of redisSessions(): it must be a connected client of redis or ioredis',
    )
    assertSetupError(
      // @ts-expect-error - no text
      () => redisSessions(client, { prefix: 7 }),
      'OPTION_INVALID',
      '"prefix" of redisSessions(): it must be a string',
    )
    assertSetupError(
      // @ts-expect-error - unknown
      () => redisSessions(client, { ttl: 7 }),
      'OPTION_INVALID',
      '"ttl" of redisSessions(): it is unknown',
    )
    assertSetupError(
      // @ts-expect-error - no record
      () => redisSessions(client, null),
      'OPTION_INVALID',
      'the options of redisSessions(): they must be an object',
    )
  })
})
