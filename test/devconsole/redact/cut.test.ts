// own process: it measures memory and sets flags of V8
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { cutToLength, cut, shorten } from '#src/devconsole/redact/cut.js'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

describe('cut()', () => {
  it('returns the beginning of a long string, and a short string unchanged', () => {
    assert.equal(cut('hello', 5), 'hello')
    assert.equal(cut('hello', 2), 'he')
    assert.equal(cut('äöü', 2), 'äö')
  })

  it('does not keep the original string in memory', () => {
    const whole = (index: number): string => Buffer.from(`${index} `.repeat(500_000)).toString()
    const kept = Array.from({ length: 50 }, (_, index) => [cut(whole(index), 100), cut(whole(index).slice(9, 50), 100)])
    collect()
    assert.ok(process.memoryUsage().heapUsed < 40 * 1024 * 1024)
    assert.equal(kept.length, 50)
  })
})

describe('shorten()', () => {
  it('marks a shortened string with an ellipsis', () => {
    assert.equal(shorten('hello', 5), 'hello')
    assert.equal(shorten('hello', 4), 'hell…')
  })
})

describe('cutToLength()', () => {
  it('cuts at the end of a word, so that no part of a secret remains', () => {
    assert.equal(cutToLength('short', 5), 'short')
    assert.equal(cutToLength('see postgres://me:secret@host', 20), 'see')
    assert.equal(cutToLength('whole words', 5), 'whole')
    assert.equal(cutToLength('line\nnext', 6), 'line')
  })

  it('cuts within a very long word', () => {
    assert.equal(cutToLength('x'.repeat(50), 20), 'x'.repeat(20))
    assert.equal(cutToLength(`a ${'x'.repeat(5_000)}`, 4_000).length, 4_000)
    assert.equal(cutToLength(` ${'x'.repeat(500)}`, 300).length, 300)
  })
})
