import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SetupError } from '#src/errors/setup-error.js'
import { parseTemplate, type ParamsOf } from '#src/router/template.js'

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
