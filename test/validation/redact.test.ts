import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Redactor } from '#src/validation/redact.js'
import { assertLinear } from '#test/processor-time.js'

const quoting = (value: unknown): string => `was ${JSON.stringify(value)}`

describe('Redactor', () => {
  it('hides strings of the invalid part, but not strings outside of it', () => {
    const root = { before: 'b', part: { one: 'x', deep: [{ two: 'y' }] }, after: 'a', again: ['x'] }
    const redactor = new Redactor(root)
    const message = 'got "x" and "y" instead of "a" or "b"'
    assert.equal(redactor.redact(message, ['part'], 100), 'got "..." and "..." instead of "a" or "b"')
    assert.equal(redactor.redact(message, ['part', 'deep'], 100), 'got "x" and "..." instead of "a" or "b"')
    assert.equal(redactor.redact(message, ['again'], 100), 'got "..." and "y" instead of "a" or "b"')
    assert.equal(redactor.redact(message, [], 100), 'got "..." and "..." instead of "..." or "..."')
  })

  it('hides all strings if a part occurs twice, or if a getter creates it', () => {
    const shared = { secret: 'x' }
    const redactor = new Redactor({ one: shared, two: { shared }, other: 'o' })
    assert.equal(redactor.redact('"x" "o" "p"', ['two'], 100), '"..." "..." "p"')
    const fresh = new Redactor({
      get one() {
        return { secret: 'x' }
      },
    })
    assert.equal(fresh.redact('"x" "p"', ['one'], 100), '"..." "p"')
  })

  it('hides an invalid string, with and without JSON escapes', () => {
    const redactor = new Redactor({ text: 'a"b' })
    assert.equal(redactor.redact('got "a\\"b", or "a"b", not "b"', ['text'], 100), 'got "...", or "...", not "b"')
    assert.equal(redactor.redact('"x"', ['text'], 100), '"x"')
    assert.equal(redactor.redact('""', ['text'], 100), '""')
  })

  it('reads a value that contains itself', () => {
    const cyclic: Record<string, unknown> = { text: 'x' }
    cyclic['self'] = cyclic
    assert.equal(new Redactor(cyclic).redact('got "x"', [], 100), 'got "..."')
  })

  it('reads escapes in quotes, and does not change text after an open quote', () => {
    const value = ['a"b', 'c\\', 'd']
    assert.equal(new Redactor(value).redact(quoting(value), [], 100), 'was ["...","...","..."]')
    assert.equal(new Redactor(value).redact('5" disk', [], 100), '5" disk')
    assert.equal(new Redactor(value).redact('"d" and "d\\"', [], 100), '"..." and "d\\"')
  })

  it('hides all strings in the first 1,000 characters of the result', () => {
    const value = Array.from({ length: 500 }, (_, at) => `secret ${at}`)
    const text = new Redactor(value).redact(quoting(value), [], 1_000)
    assert.ok(!text.slice(0, 1_000).includes('secret'))
  })

  it('traverses a value once for any number of parts', () => {
    let reads = 0
    const counted = (value: object): object =>
      new Proxy(value, {
        ownKeys(target) {
          reads++
          return Reflect.ownKeys(target)
        },
      })
    let root: object = { text: 'x' }
    const path: string[] = []
    for (let level = 0; level < 50; level++) {
      root = counted({ text: 'x', inner: root })
      path.push('inner')
    }
    const redactor = new Redactor(root)
    for (const end of path.keys()) assert.equal(redactor.redact('got "x"', path.slice(0, end), 100), 'got "..."')
    assert.equal(reads, 50)
  })

  it('reads a value with 100,000 levels', () => {
    let root: unknown = 'x'
    for (let level = 0; level < 100_000; level++) root = [root]
    assert.equal(new Redactor(root).redact('got "x"', [], 100), 'got "..."')
  })

  it('takes linear time for a long quote', () => {
    const prepare = (size: number) => {
      const message = `"${'\\"'.repeat(size)}`
      const redactor = new Redactor(['x'])
      return () => void redactor.redact(message, [], 1_000)
    }
    assertLinear(200_000, prepare)
  })
})
