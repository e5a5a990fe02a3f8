import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SetupError } from '#src/errors/setup-error.js'
import { match } from '#src/router/match.js'
import { createRouter, insertLeaf } from '#src/router/router.js'
import { parseTemplate } from '#src/router/template.js'
import { routerOf } from './routes.js'

const CONFLICTS = [
  ['/', '/'],
  ['/users', '/users'],
  ['/caf\u00e9', '/cafe\u0301'],
  ['/users/{id}', '/users/{uid}'],
  ['/users/{id}/posts', '/users/{uid}/posts'],
  ['/files/{path...}', '/files/{rest...}'],
  ['/{a}/{b}/{c...}', '/{x}/{y}/{z...}'],
] as const

/** Two templates, with a path for each of them. */
const NEIGHBOURS = [
  ['/users/{id}/a', '/users/{uid}/b', '/users/7/a', '/users/7/b'],
  ['/users/{id}', '/users/{id...}', '/users/7', '/users/7/8'],
  ['/users/{id}', '/users/me', '/users/7', '/users/me'],
  ['/users', '/Users', '/users', '/Users'],
] as const

describe('createRouter()', () => {
  it('creates a router without routes', () => {
    assert.equal(match(createRouter<string>(), '/'), undefined)
  })
})

describe('insertLeaf()', () => {
  for (const [first, second] of CONFLICTS) {
    it(`rejects "${second}" next to "${first}"`, () => {
      assert.throws(
        () => routerOf([first, second]),
        (error: unknown) => error instanceof SetupError && error.code === 'ROUTE_CONFLICT',
      )
    })
  }

  for (const [first, second, ...paths] of NEIGHBOURS) {
    it(`accepts "${second}" next to "${first}"`, () => {
      const router = routerOf([first, second])
      assert.deepEqual(
        paths.map((path) => match(router, path)?.value),
        [first, second],
      )
    })
  }

  it('names both owners and both templates in the error', () => {
    const router = createRouter<number>()
    insertLeaf(router, { template: parseTemplate('/u/{id}', 'One'), owner: 'One', value: 1 })
    const second = { template: parseTemplate('/u/{uid}', 'Two'), owner: 'Two', value: 2 }
    assert.throws(() => insertLeaf(router, second), {
      message:
        'Cannot register the path "/u/{uid}" of "Two": "/u/{id}" of "One" matches the same requests. ' +
        'Remove one or change a literal segment',
    })
    assert.equal(match(router, '/u/7')?.owner, 'One')
  })

  it('adds a template after a match', () => {
    const router = routerOf(['/users/{id}/posts'])
    assert.equal(match(router, '/users/7/photos'), undefined)
    insertLeaf(router, { template: parseTemplate('/users/{id}/photos', 'Photos'), owner: 'Photos', value: 'photos' })
    assert.equal(match(router, '/users/7/photos')?.value, 'photos')
  })
})
