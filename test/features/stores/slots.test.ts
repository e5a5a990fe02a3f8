/** The sliding window, held to a slow one that remembers every request. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { charge, lastSlotEnd, SLOTS, type Slots } from '#src/features/stores/slots.js'

const limit = 3
const window = 60_000
const ask = (slots: Slots, now: number, cost = 1) => charge(slots, now, { limit, window, cost })

describe('charge()', () => {
  it('allows requests up to the limit, and returns the remaining amount and the reset time', () => {
    const slots: Slots = []
    assert.deepEqual(ask(slots, 500), { allowed: true, remaining: 2, reset: 60_500, retryAfter: 0 })
    assert.deepEqual(ask(slots, 30_000), { allowed: true, remaining: 1, reset: 31_000, retryAfter: 0 })
    assert.deepEqual(ask(slots, 59_999), { allowed: true, remaining: 0, reset: 1001, retryAfter: 0 })
    assert.deepEqual(ask(slots, 60_000), { allowed: false, remaining: 0, reset: 1000, retryAfter: 1000 })
    assert.deepEqual(ask(slots, 60_999), { allowed: false, remaining: 0, reset: 1, retryAfter: 1 })
    // Only the slot of the first second has expired.
    assert.deepEqual(ask(slots, 61_000), { allowed: true, remaining: 0, reset: 30_000, retryAfter: 0 })
    assert.equal(ask(slots, 61_000).allowed, false)
  })

  it('does not count rejected requests', () => {
    const slots: Slots = []
    ask(slots, 0, 3)
    for (let now = 0; now < 61_000; now += 100) assert.equal(ask(slots, now).allowed, false)
    assert.deepEqual(ask(slots, 61_000), { allowed: true, remaining: 2, reset: 61_000, retryAfter: 0 })
  })

  it('returns the time until a costly request fits, or the whole window if its cost exceeds the limit', () => {
    const slots: Slots = []
    for (const now of [0, 10_000, 20_000]) ask(slots, now)
    assert.deepEqual(ask(slots, 20_000, 2), { allowed: false, remaining: 0, reset: 41_000, retryAfter: 51_000 })
    assert.deepEqual(ask(slots, 20_000, 4), { allowed: false, remaining: 0, reset: 41_000, retryAfter: window })
    assert.deepEqual(ask([], 0, 4), { allowed: false, remaining: 3, reset: 0, retryAfter: window })
  })

  it('allows a request with cost 0 without counting it', () => {
    const slots: Slots = []
    assert.deepEqual(ask(slots, 0, 0), { allowed: true, remaining: 3, reset: 0, retryAfter: 0 })
    assert.equal(slots.length, 0)
    assert.equal(lastSlotEnd(slots, window), 0)
  })

  it('handles a limit that was lowered', () => {
    const slots: Slots = []
    ask(slots, 0, 3)
    assert.deepEqual(charge(slots, 0, { limit: 2, window, cost: 1 }), {
      allowed: false,
      remaining: 0,
      reset: 61_000,
      retryAfter: 61_000,
    })
  })

  it('stores at most 61 slots per window', () => {
    const slots: Slots = []
    for (let now = 0; now < 300_000; now += 7) charge(slots, now, { limit: 1e9, window, cost: 1 })
    assert.equal(slots.length, 2 * (SLOTS + 1))
    assert.equal(lastSlotEnd(slots, window), 360_000)
  })
})

/** Requests, each some time after the one before. */
const requests = fc.array(fc.record({ after: fc.oneof(fc.nat(50), fc.nat(400), fc.nat(3000)), cost: fc.nat(4) }), {
  maxLength: 120,
})

describe('charge(): any sequence of requests', () => {
  it('never allows more than the limit in a window, nor rejects a request that fits into a window a sixtieth longer', () => {
    const check = (most: number, length: number, start: number, list: { after: number; cost: number }[]): void => {
      const slots: Slots = []
      const through: { at: number; cost: number }[] = []
      const usedSince = (start: number) => through.reduce((sum, { at, cost }) => sum + (at > start ? cost : 0), 0)
      let now = start
      for (const { after, cost } of list) {
        now += after
        const { allowed, remaining, reset, retryAfter } = charge(slots, now, { limit: most, window: length, cost })
        const [inWindow, inLonger] = [usedSince(now - length), usedSince(now - length - length / SLOTS - 1e-6)]
        if (allowed) assert.ok(inWindow + cost <= most, `more than ${most} at ${now}`)
        else assert.ok(inLonger + cost > most, `refused too much at ${now}`)
        assert.equal(retryAfter === 0, allowed)
        if (allowed) through.push({ at: now, cost })
        assert.ok(remaining <= most - usedSince(now - length))
        assert.ok(remaining >= most - usedSince(now - length - length / SLOTS - 1e-6))
        assert.ok(reset <= length + length / SLOTS + 1e-6)
      }
    }
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 2500 }), fc.nat(1e7), requests, check),
      { numRuns: 300 },
    )
  })

  it('allows a rejected request after exactly retryAfter', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 60, max: 5000 }),
        requests,
        (most, length, list) => {
          const slots: Slots = []
          let now = 0
          for (const { after, cost } of list) {
            now += after
            const { allowed, retryAfter } = charge(slots, now, { limit: most, window: length, cost })
            if (allowed || cost > most) continue
            const copy = structuredClone(slots)
            const early = charge(copy, now + retryAfter - 1e-3, { limit: most, window: length, cost })
            assert.equal(early.allowed, false)
            assert.equal(charge(copy, now + retryAfter + 1e-3, { limit: most, window: length, cost }).allowed, true)
          }
        },
      ),
    )
  })
})
