import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeParts } from '#src/devconsole/serve/console-parts.js'
import { OpenCalls } from '#src/devconsole/record/open-calls.js'
import { RecordedTrail } from '#src/devconsole/record/recorded-trail.js'
import { hostOf } from '#test/console-host.js'

const { recorder } = makeParts(hostOf())

function trails(count: number): RecordedTrail[] {
  return Array.from({ length: count }, () => new RecordedTrail({ method: 'GET', url: '/' }, 0, recorder))
}

describe('OpenCalls', () => {
  it('holds calls in the order of their begins, wherever others are taken away', () => {
    const all = trails(12)
    const gone = [0, 11, 5, 6, 1, 10]
    const open = new OpenCalls()
    for (const trail of all) open.add(trail)
    for (const [taken, index] of gone.entries()) {
      const trail = all[index]
      if (trail !== undefined) open.delete(trail)
      const left = all.filter((_, at) => !gone.slice(0, taken + 1).includes(at))
      assert.deepEqual([[...open].map(({ id }) => id), open.size], [left.map(({ id }) => id), left.length])
    }
  })

  it('takes a call away once, and none that it does not hold', () => {
    const [one, two] = trails(2)
    assert.ok(one !== undefined && two !== undefined)
    const open = new OpenCalls()
    open.add(one)
    open.delete(two)
    open.delete(one)
    open.delete(one)
    assert.deepEqual([[...open], open.size], [[], 0])
    open.add(two)
    assert.deepEqual([...open], [two])
  })

  it('holds 2,000 at most', () => {
    const open = new OpenCalls()
    for (const trail of trails(2_100)) open.add(trail)
    assert.deepEqual([open.size, [...open].length], [2_000, 2_000])
  })
})
