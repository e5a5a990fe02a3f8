import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { siteHere, type CallSite } from '#src/devconsole/record/call-site.js'

const root = process.cwd()

function called(): CallSite {
  return siteHere()
}

/** Calls `siteHere` from a different stack for each path, by two calls at each level. */
function through(path: number, levels: number): CallSite {
  if (levels === 0) return siteHere()
  return path % 2 === 0 ? through(path >> 1, levels - 1) : through(path >> 1, levels - 1)
}

/** Counts how many stacks Node formats during `act`. */
function writings(act: () => void): number {
  const { prepareStackTrace } = Error
  let count = 0
  Error.prepareStackTrace = (error, sites) => {
    count++
    return `${error.name}\n${sites.map((site) => `    at ${String(site)}`).join('\n')}`
  }
  try {
    act()
  } finally {
    Error.prepareStackTrace = prepareStackTrace
  }
  return count
}

describe('siteHere()', () => {
  it('returns the first frame of the app, or null without one', () => {
    const line = Number(/call-site\.test\.ts:(\d+)/.exec(String(new Error('here').stack))?.[1])
    const site = siteHere()
    assert.deepEqual(site(root), { file: 'test/devconsole/record/call-site.test.ts', line: line + 1 })
    assert.equal(site('/elsewhere'), null)
  })

  it('formats one stack for each place in the code, and restores Error.stackTraceLimit and prepareStackTrace', () => {
    const before = [Error.stackTraceLimit, Error.prepareStackTrace]
    const places: unknown[] = []
    const count = writings(() => {
      for (let round = 0; round < 10; round++) places.push(called()(root))
      places.push(called()(root))
    })
    assert.equal(count, 2)
    assert.equal(new Set(places.map((place) => JSON.stringify(place))).size, 1)
    assert.deepEqual([Error.stackTraceLimit, Error.prepareStackTrace], before)
  })

  it('stores at most 500 positions', () => {
    const counts = [0, 0, 512].map((others) => {
      for (let path = 1; path < others; path++) through(path, 9)
      return writings(() => through(0, 9)(root))
    })
    assert.deepEqual(counts, [1, 0, 1])
  })

  it('returns the frame even if Error.stackTraceLimit is read-only', () => {
    const descriptor = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit')
    Object.defineProperty(Error, 'stackTraceLimit', { writable: false })
    try {
      assert.equal(called()(root)?.file, 'test/devconsole/record/call-site.test.ts')
    } finally {
      Object.defineProperty(Error, 'stackTraceLimit', descriptor ?? {})
    }
  })
})
