/** `withTimeout`, tested with the timeout of idempotency stores. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { PATIENCE } from '#src/features/idempotency/key-lock.js'
import { storeTimeout, withTimeout } from '#src/values/with-timeout.js'

describe('withTimeout()', () => {
  it('rejects after two seconds, and passes a late value to the function', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const late: unknown[] = []
    let answer: (value: string) => void = () => {}
    const waiting = withTimeout(new Promise<string>((resolve) => (answer = resolve)), PATIENCE, (value) =>
      late.push(value),
    )
    test.mock.timers.tick(2000)
    await assert.rejects(waiting, /has not responded for 2000 ms/)
    answer('claimed')
    await turn()
    assert.deepEqual(late, ['claimed'])
  })

  it('discards late values and errors without a function', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    for (const late of [() => Promise.resolve(7), () => Promise.reject(new Error('late'))]) {
      const waiting = withTimeout(turn().then(late), PATIENCE)
      test.mock.timers.tick(2000)
      await assert.rejects(waiting, /has not responded/)
      await turn()
    }
  })

  it('handles an error of the function for late values', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const waiting = withTimeout(turn(), PATIENCE, () => {
      throw new Error('late')
    })
    test.mock.timers.tick(2000)
    await assert.rejects(waiting, /has not responded/)
    // The test runner fails on unhandled rejections.
    await turn()
  })

  it('returns the value or error of a store that responds in time', async () => {
    assert.equal(await withTimeout(Promise.resolve(7), PATIENCE), 7)
    await assert.rejects(withTimeout(Promise.reject(new Error('down')), PATIENCE), /down/)
  })
})

describe('storeTimeout()', () => {
  it('creates an error that states the timeout', () => {
    const { ms, error } = storeTimeout(1_000)
    assert.equal(ms, 1_000)
    assert.equal(error().message, 'The store did not respond within 1000 ms')
  })
})
