import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { requestIds } from '#src/app/request-id.js'

describe('requestIds()', () => {
  it('never gives an id twice, nor one of another source', () => {
    const [one, two] = [requestIds(), requestIds()]
    const ids = Array.from({ length: 1000 }, (_, index) => (index % 2 === 0 ? one() : two()))
    assert.equal(new Set(ids).size, 1000)
  })

  it('counts on beyond what two digits hold', () => {
    const next = requestIds()
    const counts = Array.from({ length: 3000 }, () => next().slice(9))
    assert.deepEqual(
      counts,
      counts.map((_, index) => (index + 1).toString(36)),
    )
  })

  it('gives ids that may stand in a header, a URL and a file name', () => {
    const next = requestIds()
    for (let times = 0; times < 100; times++) assert.match(next(), /^[A-Za-z0-9_-]{8}-[0-9a-z]+$/)
  })
})
