import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fillTemplate } from '#src/router/fill.js'
import { parseTemplate } from '#src/router/template.js'

function fill(text: string, params: Readonly<Record<string, string>>): string {
  return fillTemplate(parseTemplate(text, 'Test'), params)
}

describe('fillTemplate()', () => {
  it('puts values in the place of names', () => {
    assert.equal(fill('/', {}), '/')
    assert.equal(fill('/users', {}), '/users')
    assert.equal(fill('/users/{id}/posts/{post}', { id: '7', post: '8' }), '/users/7/posts/8')
  })

  it('percent-encodes literals and values', () => {
    assert.equal(fill('/äpfel/{sort}', { sort: 'a/b ?%ä' }), '/%C3%A4pfel/a%2Fb%20%3F%25%C3%A4')
  })

  it('keeps the slashes of a wildcard', () => {
    assert.equal(fill('/files/{path...}', { path: 'src/a b.ts' }), '/files/src/a%20b.ts')
  })

  it('ignores other keys', () => {
    assert.equal(fill('/users/{id}', { id: '7', page: '2' }), '/users/7')
  })

  it('refuses a missing value, an inherited one too', () => {
    assert.throws(() => fill('/users/{id}', {}), {
      message: 'Cannot fill "id" of the path "/users/{id}": it has no text as its value. Give another value for "id"',
    })
    assert.throws(() => fill('/users/{toString}', {}), /it has no text as its value/)
  })

  for (const [value, state] of [
    ['', /leave a segment empty/],
    ['.', /remove the segment "\."/],
    ['..', /remove the segment "\.\."/],
    ['\ud800', /half a surrogate pair/],
  ] as const) {
    it(`refuses the value ${JSON.stringify(value)}`, () => {
      assert.throws(() => fill('/users/{id}', { id: value }), state)
      assert.throws(() => fill('/files/{path...}', { path: `a/${value}` }), state)
      assert.throws(() => fill('/files/{path...}', { path: `${value}/a` }), state)
    })
  }

  it('refuses a backslash in a wildcard, which no request may have', () => {
    assert.throws(
      () => fill('/files/{path...}', { path: 'a\\b' }),
      /requests with a backslash in a wildcard are refused/,
    )
    assert.equal(fill('/files/{path}', { path: 'a\\b' }), '/files/a%5Cb')
  })

  it('takes dots beside other text', () => {
    assert.equal(fill('/files/{path...}', { path: '.git/...' }), '/files/.git/...')
  })
})
