/** The form that tries an endpoint out, as the app describes it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { tryForm } from '#src/devconsole/serve/try-form.js'

const LIMIT = { name: 'limit', in: 'query', schema: { type: 'integer', default: 20 } }
const DOCUMENT = { components: { parameters: { Limit: LIMIT } } }

describe('tryForm()', () => {
  it('has one field for each parameter but cookies', () => {
    const { fields } = tryForm(DOCUMENT, {
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
    const formOf = (media: object, type: string) => tryForm(DOCUMENT, { requestBody: { content: { [type]: media } } })
    const made = formOf({ schema: { properties: { a: { const: 1 } } } }, 'application/json')
    assert.deepEqual([made.body, made.type], ['{\n  "a": 1\n}', 'application/json'])
    const given = formOf({ example: 'hello' }, 'text/plain')
    assert.deepEqual([given.body, given.type], ['"hello"', 'text/plain'])
    assert.deepEqual(tryForm(DOCUMENT, {}), { fields: [], body: null, type: 'application/json' })
  })
})
