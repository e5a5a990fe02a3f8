import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError } from '#src/errors/http-error.js'
import { match, NO_PARAMS, readParams } from '#src/router/match.js'
import { lookUp, routerOf } from './routes.js'

describe('match()', () => {
  it('prefers a literal segment over a parameter over a wildcard', () => {
    const router = routerOf(['/users/{rest...}', '/users/{id}', '/users/me'])
    assert.equal(match(router, '/users/me')?.value, '/users/me')
    assert.equal(match(router, '/users/7')?.value, '/users/{id}')
    assert.equal(match(router, '/users/7/posts')?.value, '/users/{rest...}')
  })

  it('tries a parameter if a literal does not match', () => {
    const router = routerOf(['/{a}/x', '/ab/{b}/y', '/abc/{b}'])
    assert.deepEqual(lookUp(router, '/ab/x'), { value: '/{a}/x', params: { a: 'ab' } })
    assert.deepEqual(lookUp(router, '/abd/x'), { value: '/{a}/x', params: { a: 'abd' } })
  })

  it('stores the bounds of the matching template', () => {
    const router = routerOf(['/a/{x}/{y}/end', '/{p}/{q}/{r...}'])
    assert.deepEqual(lookUp(router, '/a/b/c/other'), {
      value: '/{p}/{q}/{r...}',
      params: { p: 'a', q: 'b', r: 'c/other' },
    })
  })

  it('takes less than 50 ms per lookup if every segment can be a literal or a parameter', () => {
    const shapes = Array.from({ length: 2 ** 10 }, (_, bits) =>
      Array.from({ length: 10 }, (_level, at) => (bits & (1 << at) ? '/a' : `/{p${at}}`)).join(''),
    )
    const router = routerOf(shapes.map((shape) => `${shape}${'/a'.repeat(20)}/end`))
    const start = process.cpuUsage()
    for (let times = 0; times < 100; times++) assert.equal(match(router, '/a'.repeat(31)), undefined)
    assert.ok(process.cpuUsage(start).user < 5_000_000)
  })

  it('does not match another spelling of a literal', () => {
    const router = routerOf(['/files/{name}', '/files/secret', '/users/{id}/posts', '/users/@me', '/{one}/{two}'])
    for (const path of ['/files/%73ecret', '/users/%40me', '/users/%40me/posts', '/%66iles/other']) {
      assert.equal(match(router, path), undefined, path)
    }
    assert.deepEqual(lookUp(router, '/users/%40you/posts')?.params, { id: '@you' })
    assert.deepEqual(lookUp(router, '/files/%73ecrets')?.params, { name: 'secrets' })
  })

  it('does not match another spelling in any order of registration', () => {
    for (const texts of [
      ['/a/{x}', '/{y}/b'],
      ['/{y}/b', '/a/{x}'],
    ]) {
      assert.equal(match(routerOf(texts), '/a/%62'), undefined)
      assert.equal(match(routerOf(texts), '/%61/b'), undefined)
      assert.equal(match(routerOf(texts), '/a/b')?.value, '/a/{x}')
    }
  })

  it('returns undefined for an empty router', () => {
    assert.equal(match(routerOf([]), '/'), undefined)
  })
})

describe('readParams()', () => {
  it('returns the same frozen object for all paths without parameters', () => {
    const router = routerOf(['/', '/users'])
    for (const path of ['/', '/users']) {
      const leaf = match(router, path)
      assert.ok(leaf)
      assert.equal(readParams(router, leaf, path), NO_PARAMS)
    }
  })

  it('decodes values once', () => {
    const router = routerOf(['/tags/{tag}/{rest...}'])
    assert.deepEqual(lookUp(router, '/tags/caf%C3%A9%2Fbar%2525/a%20b/c')?.params, {
      tag: 'café/bar%25',
      rest: 'a b/c',
    })
  })

  it('throws 400 for an encoded slash in a wildcard', () => {
    const router = routerOf(['/files/{id}/{path...}'])
    assert.throws(
      () => lookUp(router, '/files/a%2Fb/c%2Fd'),
      (error: unknown) => error instanceof HttpError && error.status === 400 && error.message.includes('"path"'),
    )
  })

  it('throws 400 for an encoded backslash in a wildcard, but not in a parameter', () => {
    const router = routerOf(['/files/{id}/{path...}'])
    assert.throws(
      () => lookUp(router, '/files/a/c%5Cd'),
      (error: unknown) => error instanceof HttpError && error.status === 400 && error.message.includes('backslash'),
    )
    assert.deepEqual(lookUp(router, '/files/a%5Cb/c')?.params, { id: 'a\\b', path: 'c' })
  })

  it('returns an object without a prototype', () => {
    const router = routerOf(['/users/{constructor}'])
    const leaf = match(router, '/users/7')
    assert.ok(leaf)
    const params = readParams(router, leaf, '/users/7')
    assert.equal(params['constructor'], '7')
    assert.equal(params['toString'], undefined)
  })
})

describe('NO_PARAMS', () => {
  it('is empty and frozen', () => {
    assert.deepEqual(Object.keys(NO_PARAMS), [])
    assert.ok(Object.isFrozen(NO_PARAMS))
  })
})
