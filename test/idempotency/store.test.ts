/** Stores: that of this process, and what is sent to Redis. `examples/scale` asks Redis itself. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { redisIdempotency, type KeyClaim } from 'verbena/idempotency'
import { MemoryStore } from '#src/idempotency/store.js'
import { assertRefused } from '#test/apps.js'

const claim: KeyClaim = { key: 'k', owner: 'first', request: 'r', lease: 1000 }
const second: KeyClaim = { ...claim, owner: 'second' }

describe('MemoryStore', () => {
  it('gives a key to one owner, until that has an answer or lets go', async () => {
    const store = new MemoryStore()
    assert.deepEqual(await store.claim(claim), { state: 'claimed' })
    assert.deepEqual(await store.claim(claim), { state: 'claimed' })
    assert.deepEqual(await store.claim(second), { state: 'in work' })
    assert.deepEqual(await store.claim({ ...second, request: 'other' }), { state: 'other request' })
    await store.free(claim)
    assert.deepEqual(await store.claim(second), { state: 'claimed' })
    assert.equal(await store.keep(second, 'answer', 60_000), true)
    assert.deepEqual(await store.claim(claim), { state: 'answered', answer: 'answer' })
    assert.deepEqual(await store.claim({ ...claim, request: 'other' }), { state: 'other request' })
  })

  it('keeps an answer as long as it is told', async (test) => {
    test.mock.timers.enable({ apis: ['Date'] })
    const store = new MemoryStore()
    await store.claim(claim)
    await store.keep(claim, 'answer', 1000)
    test.mock.timers.tick(999)
    assert.equal((await store.claim(second)).state, 'answered')
    test.mock.timers.tick(1)
    assert.equal((await store.claim(second)).state, 'claimed')
  })

  it('takes an answer, or the end of a claim, from the owner alone', async () => {
    const store = new MemoryStore()
    await store.claim(claim)
    assert.equal(await store.keep(second, 'of another', 60_000), false)
    await store.free(second)
    assert.equal((await store.claim(second)).state, 'in work')
    await store.free(claim)
    assert.equal(await store.keep(claim, 'too late', 60_000), false)
    assert.equal((await store.claim(second)).state, 'claimed')
  })

  it('drops the oldest answers beyond 10,000, and never a key in work', async () => {
    const store = new MemoryStore()
    await store.claim({ ...claim, key: 'in work' })
    for (let n = 0; n < 10_001; n++) {
      const each = { ...claim, key: `answer ${n}` }
      await store.claim(each)
      await store.keep(each, '', 60_000)
    }
    const stateOf = async (key: string): Promise<string> => (await store.claim({ ...second, key })).state
    assert.deepEqual(
      [await stateOf('in work'), await stateOf('answer 0'), await stateOf('answer 1')],
      ['in work', 'claimed', 'answered'],
    )
  })
})

describe('redisIdempotency()', () => {
  /** A client that keeps what was sent, and gives the next answer. */
  function clientOf(answers: unknown[]) {
    const sent: string[][] = []
    const call = async (...args: string[]): Promise<unknown> => {
      sent.push(args.filter((_, at) => at !== 1))
      return answers.shift()
    }
    return { sent, client: { call } }
  }

  it('sends one script for each step, and reads its answers', async () => {
    const { sent, client } = clientOf([['claimed'], ['in work'], ['other request'], ['answered', 'x'], 1, 0, 1])
    const store = redisIdempotency(client)
    const states = [await store.claim(claim), await store.claim(claim), await store.claim(claim)]
    assert.deepEqual(states, [{ state: 'claimed' }, { state: 'in work' }, { state: 'other request' }])
    assert.deepEqual(await store.claim(claim), { state: 'answered', answer: 'x' })
    assert.deepEqual([await store.keep(claim, 'x', 7), await store.keep(claim, 'x', 7)], [true, false])
    await store.free(claim)
    const key = 'verbena:idempotency:k'
    assert.deepEqual(sent.slice(3), [
      ['EVALSHA', '1', key, 'first', 'r', '1000'],
      ['EVALSHA', '1', key, 'first', 'r', 'x', '7'],
      ['EVALSHA', '1', key, 'first', 'r', 'x', '7'],
      ['EVALSHA', '1', key, 'first'],
    ])
  })

  it('takes a prefix of its own', async () => {
    const { sent, client } = clientOf([['claimed']])
    await redisIdempotency(client, { prefix: 'shop:' }).claim(claim)
    assert.equal(sent[0]?.[2], 'shop:k')
  })

  it('refuses what is no client, and options that it does not have', () => {
    // @ts-expect-error - no client
    assertRefused(() => redisIdempotency({}), 'OPTION_INVALID', 'Cannot use redisIdempotency(…): its client is none')
    const { client } = clientOf([])
    for (const options of [{ prefix: '' }, { prefix: 7 }, { prefx: 'a' }]) {
      // @ts-expect-error - wrong options
      assertRefused(() => redisIdempotency(client, options), 'OPTION_INVALID', 'of redisIdempotency()')
    }
  })
})
