import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resolveSchema } from '#src/openapi/reading/json.js'
import { LINKED, ref } from '#test/linked-document.js'

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
