import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { messageShape } from '#src/devconsole/store/message-shape.js'

describe('messageShape()', () => {
  it('replaces numbers, addresses and ids', () => {
    for (const value of ['7', '-7', '1,000.5', '127.0.0.1:5432', 'r_3f4', '6f1ab2cd-aaaa-bbbb-cccc-abcdefabcdef']) {
      assert.equal(messageShape(`No ${value} left`), 'No # left', value)
    }
  })

  it('replaces quoted values', () => {
    for (const value of ['"a b"', "'a b'", '`a b`', '""']) assert.equal(messageShape(`No ${value} left`), 'No # left')
  })

  it('does not change words, apostrophes and a single quotation mark', () => {
    for (const text of ["It isn't there, and it won't be", 'Wrong " here', 'Cannot read properties of undefined']) {
      assert.equal(messageShape(text), text)
    }
  })

  it('compares at most 500 characters, and takes less than 50 ms for any message', () => {
    const begin = performance.now()
    const texts = ['"', "'", '`', 'a', '1', '-', '#-', 'a1-'].map((part) => messageShape(part.repeat(100_000)))
    assert.ok(performance.now() - begin < 50)
    assert.ok(texts.every(({ length }) => length <= 500))
  })
})
