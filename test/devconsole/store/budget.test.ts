import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Budget } from '#src/devconsole/store/budget.js'

function taken(budget: Budget, now: number, tries: number): number {
  return Array.from({ length: tries }, () => budget.take(now)).filter(Boolean).length
}

describe('Budget', () => {
  it('allows a burst, then a fixed number per second', () => {
    const budget = new Budget({ atOnce: 10, perSecond: 5, inRow: 1 }, 0)
    assert.equal(taken(budget, 0, 50), 10)
    assert.equal(taken(budget, 50, 50), 0)
    assert.equal(taken(budget, 400, 50), 2)
    assert.equal(taken(budget, 100_000, 50), 10)
  })

  it('collects several permits before it grants them, without losing any', () => {
    const budget = new Budget({ atOnce: 10, perSecond: 5, inRow: 4 }, 0)
    assert.equal(taken(budget, 0, 50), 10)
    assert.equal(taken(budget, 790, 50), 0)
    assert.equal(taken(budget, 800, 50), 4)
    assert.equal(taken(budget, 1_500, 50), 0)
    assert.equal(taken(budget, 1_700, 50), 4)
  })

  it('delays the next batch by permits that were spent in addition', () => {
    const budget = new Budget({ atOnce: 10, perSecond: 5, inRow: 1 }, 0)
    assert.equal(taken(budget, 0, 4), 4)
    budget.spend(8)
    assert.equal(taken(budget, 0, 1), 0)
    assert.equal(taken(budget, 500, 1), 0)
    assert.equal(taken(budget, 700, 1), 1)
  })

  it('grants returned permits again', () => {
    const budget = new Budget({ atOnce: 2, perSecond: 5, inRow: 1 }, 0)
    assert.equal(taken(budget, 0, 3), 2)
    budget.giveBack()
    assert.equal(taken(budget, 0, 3), 1)
  })
})
