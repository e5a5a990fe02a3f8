import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { cut } from '#src/devconsole/cut.js'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

describe('cut()', () => {
  it('gives the beginning of a long text, and a short one as it is', () => {
    assert.equal(cut('hello', 5), 'hello')
    assert.equal(cut('hello', 2), 'he')
    assert.equal(cut('äöü', 2), 'äö')
  })

  it('does not keep the whole in memory', () => {
    const kept = Array.from({ length: 50 }, (_, index) => cut(`${index} `.repeat(500_000), 100))
    collect()
    assert.ok(process.memoryUsage().heapUsed < 40 * 1024 * 1024)
    assert.equal(kept.length, 50)
  })
})
