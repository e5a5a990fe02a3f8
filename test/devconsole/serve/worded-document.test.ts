/** The document as the page gets it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { documented } from '#src/devconsole/serve/worded-document.js'

const NAME = { $ref: '#/components/schemas/Name' }
const DOCUMENT = { components: { schemas: { Name: { type: 'string', minLength: 2 } } } }
const WORDED = {
  components: { schemas: { Name: { type: 'string', minLength: 2, 'x-type': 'string, at least 2 characters' } } },
}

const withPost = (post: object) => ({ paths: { '/users': { summary: 'Users', post } } })
const EMPTY_FORM = { fields: [], body: null, type: 'application/json' }

describe('documented()', () => {
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
    assert.deepEqual(documented(given), {
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
    assert.deepEqual(documented({ ...DOCUMENT, ...withPost({ requestBody }) }), {
      ...WORDED,
      ...withPost({
        requestBody: { content: { 'text/plain': media } },
        'x-form': { fields: [], body: '"text"', type: 'text/plain' },
      }),
    })
  })

  it('makes nothing of what is not there', () => {
    assert.deepEqual(documented({ openapi: '3.1.1' }), { openapi: '3.1.1', paths: {}, components: { schemas: {} } })
  })
})
