/** Places of functions and classes. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findPlaces, formatPlace, showPath } from '#src/cli/source-places.js'
import { join } from 'node:path'

const FILE = 'test/cli/source-places.test.ts'

class Plain {
  get() {}
}

class Constructed extends Plain {
  readonly a = 1

  // The place of a class is its beginning, not its constructor.
  constructor() {
    super()
    Object.freeze(this)
  }
}

const arrow = () => 1

describe('findPlaces()', () => {
  it('finds the lines of functions and classes in the source', () => {
    const places = findPlaces([Plain, Plain.prototype.get, Constructed, arrow])
    assert.deepEqual(
      places,
      [9, 10, 13, 23].map((line) => ({ file: FILE, line })),
    )
  })

  it('returns null for functions of Node and for other values', () => {
    assert.deepEqual(findPlaces([Array.prototype.map, join, arrow.bind(null), 1, undefined]), [
      null,
      null,
      null,
      null,
      null,
    ])
    assert.deepEqual(findPlaces([]), [])
  })
})

describe('formatPlace()', () => {
  it('shortens paths in packages', () => {
    const places = ['src/app.ts', '/a/node_modules/verbena/dist/core.js', 'node_modules/b/c.js', 'node_modules/d'].map(
      (file) => formatPlace({ file, line: 3 }),
    )
    assert.deepEqual(places, ['src/app.ts:3', 'verbena:core.js:3', 'b:c.js:3', 'node_modules/d:3'])
    assert.equal(formatPlace(null), '-')
  })
})

describe('showPath()', () => {
  it('shows paths from the current folder, and others unchanged', () => {
    assert.deepEqual([showPath(join(process.cwd(), 'a/b.ts')), showPath('/a/b.ts')], ['a/b.ts', '/a/b.ts'])
  })
})
