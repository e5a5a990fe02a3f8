import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addStatic, createStatics, findStatic } from '#src/router/statics.js'

describe('findStatic()', () => {
  it('finds nothing in an empty table', () => {
    assert.equal(findStatic(createStatics<number>(), '/'), undefined)
  })

  it('finds every path while the table grows', () => {
    const statics = createStatics<number>()
    const paths = Array.from({ length: 500 }, (_, number) => `/path/${number.toString(36)}`)
    for (const [number, path] of paths.entries()) {
      addStatic(statics, path, number)
      assert.equal(findStatic(statics, path), number)
    }
    assert.deepEqual(
      paths.map((path) => findStatic(statics, path)),
      [...paths.keys()],
    )
  })

  it('does not take one path for another that has the same mark', () => {
    const statics = createStatics<number>()
    addStatic(statics, '/users/all', 1)
    assert.equal(findStatic(statics, '/Users/all'), undefined)
  })
})
