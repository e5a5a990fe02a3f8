/** The document as the page gets it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { wordedDocument, tryForm, typeOf } from '#src/devconsole/serve/worded-document.js'

const NAME = { $ref: '#/components/schemas/Name' }
const DOCUMENT = { components: { schemas: { Name: { type: 'string', minLength: 2 } } } }
const WORDED = {
  components: { schemas: { Name: { type: 'string', minLength: 2, 'x-type': 'string, at least 2 characters' } } },
}

const withPost = (post: object) => ({ paths: { '/users': { summary: 'Users', post } } })
const EMPTY_FORM = { fields: [], body: null, type: 'application/json' }

describe('wordedDocument()', () => {
  it('says in words what each schema is, inside of others too', () => {
    const list = { type: 'array', items: { anyOf: [NAME, { properties: { id: { type: 'integer' } } }] } }
    const odd = { parameters: ['odd'], example: { schema: {} }, schema: true }
    const given = { ...DOCUMENT, ...withPost({ ...odd, responses: { 200: { content: { a: { schema: list } } } } }) }
    const id = { type: 'integer', 'x-type': 'integer' }
    const choices = [
      { ...NAME, 'x-type': 'Name' },
      { properties: { id }, 'x-type': 'any' },
    ]
    const items = { anyOf: choices, 'x-type': 'Name | any' }
    const schema = { type: 'array', items, 'x-type': '(Name | any)[]' }
    const field = { place: 'query', name: '', required: false, options: [], kind: 'text', value: '', hint: 'any' }
    assert.deepEqual(wordedDocument(given), {
      ...WORDED,
      ...withPost({
        ...odd,
        responses: { 200: { content: { a: { schema } } } },
        'x-form': { ...EMPTY_FORM, fields: [field] },
      }),
    })
  })

  it('gives each operation its form', () => {
    const requestBody = { content: { 'text/plain': { schema: NAME } } }
    const media = { schema: { ...NAME, 'x-type': 'Name' } }
    assert.deepEqual(wordedDocument({ ...DOCUMENT, ...withPost({ requestBody }) }), {
      ...WORDED,
      ...withPost({
        requestBody: { content: { 'text/plain': media } },
        'x-form': { fields: [], body: '"text"', type: 'text/plain' },
      }),
    })
  })

  it('makes nothing of what is not there', () => {
    assert.deepEqual(wordedDocument({ openapi: '3.1.1' }), { openapi: '3.1.1', paths: {}, components: { schemas: {} } })
  })
})

const LIMIT = { name: 'limit', in: 'query', schema: { type: 'integer', default: 20 } }
const WITH_LIMIT = { components: { parameters: { Limit: LIMIT } } }

describe('tryForm()', () => {
  it('has one field for each parameter but cookies', () => {
    const { fields } = tryForm(WITH_LIMIT, {
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { type: 'string', example: 'u_1' } },
        { $ref: '#/components/parameters/Limit' },
        { name: 'ratio', in: 'query', schema: { type: 'number' } },
        { name: 'active', in: 'query', schema: { type: 'boolean' } },
        { name: 'order', in: 'query', schema: { enum: ['name', 'date'] } },
        { name: 'sort', in: 'query', required: true, schema: { enum: ['up', 'down'] } },
        { name: 'Accept-Version', in: 'header', schema: { type: 'string' } },
        { name: 'session', in: 'cookie', schema: { type: 'string' } },
      ],
    })
    assert.deepEqual(
      fields.map(({ place, name, kind, options, required, value }) => [place, name, kind, options, required, value]),
      [
        ['path', 'id', 'text', [], true, 'u_1'],
        ['query', 'limit', 'number', [], false, '20'],
        ['query', 'ratio', 'number', [], false, ''],
        ['query', 'active', 'checkbox', [], false, ''],
        ['query', 'order', 'select', ['', 'name', 'date'], false, ''],
        ['query', 'sort', 'select', ['up', 'down'], true, 'up'],
        ['header', 'Accept-Version', 'text', [], false, ''],
      ],
    )
    assert.equal(fields[1]?.hint, 'integer, default 20')
  })

  it('begins with an example of the body, or the one that is given', () => {
    const formOf = (media: object, type: string) => tryForm(WITH_LIMIT, { requestBody: { content: { [type]: media } } })
    const made = formOf({ schema: { properties: { a: { const: 1 } } } }, 'application/json')
    assert.deepEqual([made.body, made.type], ['{\n  "a": 1\n}', 'application/json'])
    const given = formOf({ example: 'hello' }, 'text/plain')
    assert.deepEqual([given.body, given.type], ['"hello"', 'text/plain'])
    assert.deepEqual(tryForm(WITH_LIMIT, {}), { fields: [], body: null, type: 'application/json' })
  })
})

const WITH_USER = { components: { schemas: { User: { type: 'object', properties: { id: { type: 'integer' } } } } } }
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

describe('typeOf()', () => {
  const ROWS: readonly (readonly [schema: unknown, text: string])[] = [
    [{ type: 'string', format: 'email' }, 'string, email'],
    [{ enum: ['admin', 'member'] }, '"admin" | "member"'],
    [{ const: 7 }, '7'],
    [{ type: 'integer', minimum: 13, maximum: Number.MAX_SAFE_INTEGER }, 'integer, ≥ 13'],
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 'number, > 0, < 1'],
    [
      { type: 'string', minLength: 1, maxLength: 80, pattern: '^a' },
      'string, at least 1 character, at most 80 characters, /^a/',
    ],
    [{ type: 'integer', default: 20 }, 'integer, default 20'],
    [{ type: 'string', default: '' }, 'string, default ""'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: 'array', items: { type: 'string' }, minItems: 1 }, 'string[], at least 1'],
    [{ type: 'array', items: { enum: [1, 2] } }, '(1 | 2)[]'],
    [{ type: 'array' }, 'any[]'],
    [{ type: 'array', maxItems: 9 }, 'any[], at most 9'],
    [{ type: 'number', maximum: 5 }, 'number, ≤ 5'],
    [{ anyOf: [{ enum: ['a'] }, { const: 1 }] }, '"a" | 1'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'string | number'],
    [{ oneOf: [ref('User'), { type: 'null' }] }, 'User | null'],
    [ref('User'), 'User'],
    [{}, 'any'],
    [undefined, 'any'],
  ]
  for (const [schema, text] of ROWS) {
    it(`says ${text}`, () => assert.equal(typeOf(WITH_USER, schema), text))
  }
})
