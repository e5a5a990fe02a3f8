import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { requestIds } from '#src/app/request-id.js'

const LENGTH = 12

function idsOf(next: () => string, count: number): string[] {
  return Array.from({ length: count }, () => next())
}

describe('requestIds()', () => {
  it('creates unique ids across sources', () => {
    const [one, two] = [requestIds(), requestIds()]
    const ids = Array.from({ length: 100_000 }, (_, index) => (index % 2 === 0 ? one() : two()))
    assert.equal(new Set(ids).size, ids.length)
  })

  it('does not reveal how many ids were created, because no part of an id is constant or increases', () => {
    const ids = idsOf(requestIds(), 5_000)
    for (let at = 0; at < LENGTH; at++) {
      const seen = new Set(ids.map((id) => id[at]))
      assert.ok(seen.size > 50, `character ${at} is one of ${seen.size}`)
    }
    // One character in 63 equals the same character of the previous id by chance.
    const same = ids.flatMap((id, index) => [...id].filter((character, at) => character === ids[index - 1]?.[at]))
    assert.ok(same.length < ids.length * LENGTH * 0.05, `${same.length} characters stay`)
    const rising = ids.filter((id, index) => id > (ids[index - 1] ?? ''))
    assert.ok(Math.abs(rising.length / ids.length - 0.5) < 0.1, `${rising.length} of ${ids.length} go up`)
  })

  it('creates ids that are valid in a header, a URL, a file name and a command', () => {
    for (const id of idsOf(requestIds(), 5_000)) assert.match(id, /^\w{12}$/)
  })
})
