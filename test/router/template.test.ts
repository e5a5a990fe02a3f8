import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SetupError } from '#src/errors/setup-error.js'
import { fillTemplate, joinPaths, parseTemplate, type FillValues, type ParamsOf } from '#src/router/template.js'

function literals(text: string): (string | undefined)[] {
  return parseTemplate(text, 'Test').segments.map((segment) => (segment.kind === 'literal' ? segment.text : undefined))
}

describe('parseTemplate()', () => {
  it('parses the root', () => {
    assert.deepEqual(parseTemplate('/', 'Home'), { text: '/', segments: [], names: [] })
  })

  it('parses literal, parameter and wildcard segments', () => {
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

  it('converts literals to NFC, percent-encoded with upper-case digits', () => {
    assert.deepEqual(literals('/äpfel/a\u0308pfel/日本'), ['%C3%A4pfel', '%C3%A4pfel', '%E6%97%A5%E6%9C%AC'])
    assert.deepEqual(literals('/a b/"<>`'), ['a%20b', '%22%3C%3E%60'])
  })

  it('does not encode characters that clients do not encode', () => {
    const text = "a-b_c.d~e!$&'+,;=:@9"
    assert.deepEqual(literals(`/${text}/...`), [text, '...'])
  })

  it('accepts any identifier as a name', () => {
    assert.deepEqual(parseTemplate('/{userId}/{größe}/{_}/{$a1}/{constructor}', 'Test').names, [
      'userId',
      'größe',
      '_',
      '$a1',
      'constructor',
    ])
  })

  it('throws with the template, the owner and the error', () => {
    assert.throws(
      () => parseTemplate('/users/:id', 'UserById'),
      (error: unknown) =>
        error instanceof SetupError &&
        error.code === 'TEMPLATE_INVALID' &&
        error.message ===
          'Cannot use the path "/users/:id" of "UserById": ":" does not start a parameter. Write "{id}" instead of ":id"',
    )
  })

  it('escapes control characters in errors', () => {
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

  it('has a fix as its only key if the template is not a literal type', () => {
    const name: keyof ParamsOf<string> = 'declare it `static readonly`'
    assert.ok(name)
  })

  it('has a fix as its only key if a segment starts with a colon', () => {
    const name: keyof ParamsOf<'/users/:id'> = 'write `{name}` instead of `:name`'
    const allowed: ParamsOf<'/users/{id}:block'> = { id: '7' }
    assert.ok(name !== undefined && allowed)
  })
})

function fill(text: string, params: FillValues): string {
  return fillTemplate(parseTemplate(text, 'Test'), params)
}

describe('fillTemplate()', () => {
  it('replaces names with values', () => {
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

  it('separates the items of a list by commas', () => {
    assert.equal(fill('/users/{ids}', { ids: ['1', 'a,b', '.', 'ä'] }), '/users/1,a%2Cb,.,%C3%A4')
    assert.equal(fill('/files/{path...}', { path: ['a/b', 'c'] }), '/files/a/b%2Cc')
    for (const [ids, state] of [
      [[], /the segment would be empty/],
      [['a', ''], /an item of the list would be empty/],
      [['..'], /remove the segment "\.\."/],
      [['a', '\ud800'], /half a surrogate pair/],
    ] as const) {
      assert.throws(() => fill('/users/{ids}', { ids }), state)
    }
  })

  it('ignores other keys', () => {
    assert.equal(fill('/users/{id}', { id: '7', page: '2' }), '/users/7')
  })

  it('throws for a missing value, even if the name is inherited', () => {
    assert.throws(() => fill('/users/{id}', {}), {
      message: 'Cannot fill "id" of the path "/users/{id}": its value is missing. Pass another value for "id"',
    })
    assert.throws(() => fill('/users/{toString}', {}), /its value is missing/)
  })

  for (const [value, state] of [
    ['', /the segment would be empty/],
    ['.', /remove the segment "\."/],
    ['..', /remove the segment "\.\."/],
    ['\ud800', /half a surrogate pair/],
  ] as const) {
    it(`throws for the value ${JSON.stringify(value)}`, () => {
      assert.throws(() => fill('/users/{id}', { id: value }), state)
      assert.throws(() => fill('/files/{path...}', { path: `a/${value}` }), state)
      assert.throws(() => fill('/files/{path...}', { path: `${value}/a` }), state)
    })
  }

  it('throws for a backslash in a wildcard, which requests cannot have', () => {
    assert.throws(
      () => fill('/files/{path...}', { path: 'a\\b' }),
      /requests with a backslash in a wildcard are rejected/,
    )
    assert.equal(fill('/files/{path}', { path: 'a\\b' }), '/files/a%5Cb')
  })

  it('accepts segments that start with dots', () => {
    assert.equal(fill('/files/{path...}', { path: '.git/...' }), '/files/.git/...')
  })
})

describe('joinPaths()', () => {
  it('omits the path "/" after a prefix', () => {
    assert.equal(joinPaths('/orgs/{org}', '/'), '/orgs/{org}')
    assert.equal(joinPaths('', '/'), '/')
    assert.equal(joinPaths('/orgs', '/a'), '/orgs/a')
    assert.equal(joinPaths('/orgs', ''), '/orgs')
    assert.equal(joinPaths('/orgs', '/a/'), '/orgs/a/')
  })
})
