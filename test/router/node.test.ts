import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { childAt, createNode, createRouter, putChild } from '#src/router/node.js'

describe('createRouter()', () => {
  it('makes a router without routes', () => {
    const router = createRouter<string>()
    assert.equal(router.leaves.length, 0)
    assert.equal(router.root.children.length, 0)
  })
})

describe('putChild() and childAt()', () => {
  it('keep children by their first character, in whatever order they come', () => {
    const parent = createNode<string>('', 0, [])
    for (const text of ['m', 'zoo', 'add', 'p']) putChild(parent, createNode(text, 0, []))
    const found = ['a', 'm', 'p', 'z', 'b', 'A', '~'].map((character) => childAt(parent, character.charCodeAt(0))?.text)
    assert.deepEqual(found, ['add', 'm', 'p', 'zoo', undefined, undefined, undefined])
  })

  it('replace a child with the same first character', () => {
    const parent = createNode<string>('', 0, [])
    putChild(parent, createNode('meta', 0, []))
    putChild(parent, createNode('me', 0, []))
    assert.equal(childAt(parent, 'm'.charCodeAt(0))?.text, 'me')
  })
})
