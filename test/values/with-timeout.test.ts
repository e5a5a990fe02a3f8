/** Waiting for a store that may be silent, with the patience of idempotency. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { PATIENCE } from '#src/features/idempotency/store.js'
import { withTimeout } from '#src/values/with-timeout.js'

describe('withTimeout()', () => {
  it('waits two seconds for a store, and takes apart what comes later', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const late: unknown[] = []
    let answer: (value: string) => void = () => {}
    const waiting = withTimeout(new Promise<string>((resolve) => (answer = resolve)), PATIENCE, (value) =>
      late.push(value),
    )
    test.mock.timers.tick(2000)
    await assert.rejects(waiting, /has not answered for 2000 ms/)
    answer('claimed')
    await turn()
    assert.deepEqual(late, ['claimed'])
  })

  it('lets go of what comes late where nobody takes it, errors too', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    for (const late of [() => Promise.resolve(7), () => Promise.reject(new Error('late'))]) {
      const waiting = withTimeout(turn().then(late), PATIENCE)
      test.mock.timers.tick(2000)
      await assert.rejects(waiting, /has not answered/)
      await turn()
    }
  })

  it('does not reject unheard if the function for late values throws', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const waiting = withTimeout(turn(), PATIENCE, () => {
      throw new Error('late')
    })
    test.mock.timers.tick(2000)
    await assert.rejects(waiting, /has not answered/)
    // The runner fails for each rejection without a handler.
    await turn()
  })

  it('gives what comes in time, errors too', async () => {
    assert.equal(await withTimeout(Promise.resolve(7), PATIENCE), 7)
    await assert.rejects(withTimeout(Promise.reject(new Error('down')), PATIENCE), /down/)
  })
})
