import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SetupError } from '#src/errors/setup-error.js'
import { fillTemplate, parseTemplate, type ParamsOf } from '#src/router/template.js'

function literals(text: string): (string | undefined)[] {
  return parseTemplate(text, 'Test').segments.map((segment) => (segment.kind === 'literal' ? segment.text : undefined))
}

describe('parseTemplate()', () => {
  it('reads the root', () => {
    assert.deepEqual(parseTemplate('/', 'Home'), { text: '/', segments: [], names: [] })
  })

  it('reads literal, parameter and wildcard segments', () => {
    assert.deepEqual(parseTemplate('/repos/{owner}/{path...}', 'Files'), {
      text: '/repos/{owner}/{path...}',
      segments: [
        { kind: 'literal', text: 'repos' },
        { kind: 'parameter', name: 'owner' },
        { kind: 'wildcard', name: 'path' },
      ],
      names: ['owner', 'path'],
    })
  })

  it('keeps literals in NFC, percent-encoded with upper-case digits', () => {
    assert.deepEqual(literals('/äpfel/a\u0308pfel/日本'), ['%C3%A4pfel', '%C3%A4pfel', '%E6%97%A5%E6%9C%AC'])
    assert.deepEqual(literals('/a b/"<>`'), ['a%20b', '%22%3C%3E%60'])
  })

  it('leaves what clients send as it is', () => {
    const text = "a-b_c.d~e!$&'+,;=:@9"
    assert.deepEqual(literals(`/${text}/...`), [text, '...'])
  })

  it('takes any identifier as a name', () => {
    assert.deepEqual(parseTemplate('/{userId}/{größe}/{_}/{$a1}/{constructor}', 'Test').names, [
      'userId',
      'größe',
      '_',
      '$a1',
      'constructor',
    ])
  })

  it('names template, owner and flaw when it refuses', () => {
    assert.throws(
      () => parseTemplate('/users/:id', 'UserById'),
      (error: unknown) =>
        error instanceof SetupError &&
        error.code === 'TEMPLATE_INVALID' &&
        error.message ===
          'Cannot use the path "/users/:id" of "UserById": ":" begins no parameter. Write "{id}" instead of ":id"',
    )
  })

  it('shows control characters as escapes', () => {
    assert.throws(() => parseTemplate('/a\u001b[2J', 'Test'), {
      message: /the path "\/a\\u001b\[2J" of "Test": it has a/,
    })
  })
})

describe('ParamsOf', () => {
  it('has a string for each name', () => {
    const params: ParamsOf<'/orgs/{org}/files/{path...}'> = { org: 'a', path: 'b/c' }
    // @ts-expect-error - `path` is missing
    const lacking: ParamsOf<'/orgs/{org}/files/{path...}'> = { org: 'a' }
    // @ts-expect-error - there is no `id`
    const further: ParamsOf<'/orgs/{org}'> = { org: 'a', id: 'b' }
    assert.ok([params, lacking, further])
  })

  it('is empty without names', () => {
    const isEmpty: object extends ParamsOf<'/users'> ? true : false = true
    const isEmptyWithoutPath: object extends ParamsOf<undefined> ? true : false = true
    assert.ok(isEmpty && isEmptyWithoutPath)
  })

  it('says what to do about a template that is not a literal type', () => {
    const name: keyof ParamsOf<string> = 'declare it `static readonly`'
    assert.ok(name)
  })
})

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
