import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Work } from '#src/request/work.js'

describe('Work', () => {
  it('is idle at once when nothing was begun', async () => {
    const work = new Work()
    await work.idle()
    assert.equal(work.running, 0)
  })

  it('tells everyone who waits when the last piece is done, and not before', async () => {
    const work = new Work()
    work.begin()
    work.begin()
    const told: string[] = []
    const waiting = [work.idle().then(() => told.push('a')), work.idle().then(() => told.push('b'))]
    work.end()
    await Promise.resolve()
    assert.deepEqual([told, work.running], [[], 1])
    work.end()
    await Promise.all(waiting)
    assert.deepEqual(told, ['a', 'b'])
  })

  it('can be waited for again', async () => {
    const work = new Work()
    for (let times = 0; times < 2; times++) {
      work.begin()
      const idle = work.idle()
      work.end()
      await idle
    }
  })
})
