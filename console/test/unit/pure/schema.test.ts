/** Schemas of the OpenAPI document: their members, and their words. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listFields, innerSchema } from '../../../page/pure/schema.js'

const DOCUMENT = {
  components: {
    schemas: {
      Name: { type: 'string', minLength: 1, description: 'What it is called' },
      User: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'integer', 'x-type': 'integer' },
          boss: { $ref: '#/components/schemas/User', 'x-type': 'User' },
          name: { $ref: '#/components/schemas/Name', 'x-type': 'Name' },
        },
      },
      Admin: { allOf: [{ $ref: '#/components/schemas/User' }, { properties: { level: { enum: [1, 2] } } }] },
      Loop: { $ref: '#/components/schemas/Loop' },
      Self: { allOf: [{ $ref: '#/components/schemas/Self' }] },
      'a/b~c': { type: 'null' },
    },
  },
}
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

describe('listFields(), innerSchema()', () => {
  it('returns required and optional members with their description', () => {
    assert.deepEqual(
      listFields(DOCUMENT, ref('User')).map(({ name, type, required, description }) => [
        name,
        type,
        required,
        description,
      ]),
      [
        ['id', 'integer', true, ''],
        ['boss', 'User', false, ''],
        ['name', 'Name', false, 'What it is called'],
      ],
    )
  })

  it('returns the members of all parts, and ends recursion of circular schemas', () => {
    assert.deepEqual(
      listFields(DOCUMENT, ref('Admin')).map((field) => field.name),
      ['id', 'boss', 'name', 'level'],
    )
    assert.deepEqual(listFields(DOCUMENT, ref('Self')), [])
  })

  it('returns the schema of the items of a list, and of JSON in a string', () => {
    assert.equal(innerSchema(DOCUMENT, { type: 'array', items: ref('User') }), DOCUMENT.components.schemas.User)
    const text = { type: 'string', contentMediaType: 'application/json', contentSchema: ref('User') }
    assert.equal(innerSchema(DOCUMENT, text), DOCUMENT.components.schemas.User)
    assert.equal(innerSchema(DOCUMENT, ref('Admin')), DOCUMENT.components.schemas.Admin)
    assert.equal(innerSchema(DOCUMENT, ref('Name')), null)
  })
})
