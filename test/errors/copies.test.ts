import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { copyFolder, describeForeign, foreignMark, formatCopyPlace, markCopy } from '#src/errors/copies.js'

const MARK = Symbol.for('verbena.mark')
const valid = { kind: 'a group', version: 1, folder: '/other' }

describe('foreignMark()', () => {
  it('returns the mark of another copy, of an object, a function and what inherits from them', () => {
    class Marked {}
    Object.defineProperty(Marked, MARK, { value: valid })
    class Derived extends Marked {}
    for (const value of [{ [MARK]: valid }, Object.create({ [MARK]: valid }), Marked, Derived]) {
      assert.deepEqual(foreignMark(value), valid)
    }
  })

  it('is undefined for values of this copy', () => {
    class Own {}
    markCopy(Own.prototype, 'an app')
    assert.equal(foreignMark(new Own()), undefined)
    assert.equal(describeForeign(new Own()), undefined)
    assert.deepEqual(Reflect.ownKeys(new Own()), [])
  })

  it('names the folder of this copy to other copies', () => {
    class Own {}
    markCopy(Own, 'an app')
    assert.equal(Reflect.get(Reflect.get(Own, MARK), 'folder'), copyFolder())
  })

  it('is undefined for all other values', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const { kind, version, folder } = valid
    const marks = [null, 'a group', { kind, version }, { kind, folder }, { version, folder }, { ...valid, kind: 1 }]
    for (const value of [null, undefined, 7, 'x', {}, () => {}, proxy, ...marks.map((mark) => ({ [MARK]: mark }))]) {
      assert.equal(foreignMark(value), undefined)
    }
  })
})

describe('copyFolder()', () => {
  const { stackTraceLimit, prepareStackTrace } = Error
  afterEach(() => Object.assign(Error, { stackTraceLimit, prepareStackTrace }))
  const withStack = (stack: unknown) => {
    Error.prepareStackTrace = () => stack
    return copyFolder()
  }

  it('is the folder of the module', () => assert.match(copyFolder(), /^\/.*\/src\/errors$/))

  it('reads all forms of a place', () => {
    const places = [
      ['    at copyFolder (file:///app/node_modules/verbena/dist/ground.js:1:2)', '/app/node_modules/verbena/dist'],
      ['    at file:///my%20(app)/ground.js:1:2', '/my (app)'],
      ['    at a.ownFolder (C:\\app\\verbena\\ground.js:1:2)', 'C:\\app\\verbena'],
      ['    at copyFolder (/app/100%/bundle.cjs:1:2)', '/app/100%'],
    ] as const
    for (const [place, folder] of places) assert.equal(withStack(`Error: place\n${place}`), folder)
  })

  it('is unknown without a stack', () => {
    assert.equal(withStack('Error: place'), 'an unknown folder')
    assert.equal(withStack(undefined), 'an unknown folder')
    Object.assign(Error, { stackTraceLimit: 0, prepareStackTrace })
    assert.equal(copyFolder(), 'an unknown folder')
  })
})

describe('formatCopyPlace()', () => {
  it('names both folders, or a bundle if its source map names the folder of this copy', () => {
    assert.match(formatCopyPlace('/other/verbena'), /^in "\/other\/verbena" instead of "\/.+"$/)
    assert.equal(formatCopyPlace(copyFolder()), 'in a bundle')
  })
})
