import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resolveSchema } from '#src/openapi/reading/json.js'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const LINKED = {
  components: {
    schemas: {
      Name: { type: 'string', minLength: 1, description: 'What it is called' },
      User: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'integer' },
          boss: { $ref: '#/components/schemas/User' },
          name: { $ref: '#/components/schemas/Name' },
        },
      },
      Admin: { allOf: [{ $ref: '#/components/schemas/User' }, { properties: { level: { enum: [1, 2] } } }] },
      Loop: { $ref: '#/components/schemas/Loop' },
      Self: { allOf: [{ $ref: '#/components/schemas/Self' }] },
      'a/b~c': { type: 'null' },
    },
  },
}

describe('resolveSchema()', () => {
  it('resolves references, including escaped ones', () => {
    assert.equal(resolveSchema(LINKED, ref('Name'))['minLength'], 1)
    assert.deepEqual(resolveSchema(LINKED, ref('a~1b~0c')), { type: 'null' })
  })

  it('returns an empty schema for circular, external and missing references', () => {
    for (const schema of [ref('Loop'), { $ref: 'other.json' }, ref('constructor'), ref('None'), null, 5, []]) {
      assert.deepEqual(resolveSchema(LINKED, schema), {}, JSON.stringify(schema))
    }
  })
})
