import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { Route, type JsonSchema } from 'verbena'
import { multipart } from 'verbena/multipart'
import * as z from 'zod'
import { createUntypedApp, looseContract, sendRequest } from '#test/apps.js'
import { findOperation, readDocument, validateDocument } from '#test/openapi.js'
import { withoutNull } from '#src/openapi/without-null.js'

const text = { type: 'string' }
const number = { type: 'number' }
const NULL = { type: 'null' }

const CHANGED: readonly (readonly [title: string, schema: JsonSchema, expected: JsonSchema])[] = [
  ['a list of types', { type: ['number', 'null'], minimum: 1 }, { ...number, minimum: 1 }],
  ['a list of three types', { type: ['number', 'string', 'null'] }, { type: ['number', 'string'] }],
  ['a union', { anyOf: [number, NULL, text] }, { anyOf: [number, text] }],
  ['a union of two', { description: 'a', oneOf: [number, NULL] }, { description: 'a', ...number }],
  [
    'a union of two with a keyword that the branch has too',
    { description: 'a', anyOf: [{ ...number, description: 'b' }, NULL] },
    { description: 'a', anyOf: [{ ...number, description: 'b' }] },
  ],
  ['a union with an open branch', { anyOf: [true, NULL] }, { anyOf: [true] }],
  ['an enum', { enum: ['a', null] }, { enum: ['a'] }],
  ['a const in a union', { anyOf: [{ const: 'a' }, { const: null }] }, { const: 'a' }],
  ['an enum in a union', { anyOf: [number, { enum: [null] }] }, number],
  ['nested unions', { anyOf: [number, { oneOf: [NULL, { const: null }] }] }, number],
  ['parts of allOf', { allOf: [{ type: ['number', 'null'] }, { minimum: 1 }] }, { allOf: [number, { minimum: 1 }] }],
  ['a branch whose allOf accepts only null', { anyOf: [{ allOf: [NULL, {}] }, text] }, text],
  ['a default', { ...number, default: null }, number],
  ['items', { type: 'array', items: { type: ['string', 'null'] } }, { type: 'array', items: text }],
  ['tuples', { prefixItems: [{ anyOf: [number, NULL] }, NULL] }, { prefixItems: [number, NULL] }],
  [
    'a referenced schema',
    { $ref: '#/$defs/N', description: 'a', $defs: { N: { anyOf: [text, NULL] } } },
    { ...text, description: 'a', $defs: { N: { anyOf: [text, NULL] } } },
  ],
  [
    'a referenced branch',
    { anyOf: [text, { $ref: '#/$defs/N' }], $defs: { N: NULL } },
    { ...text, $defs: { N: NULL } },
  ],
]

const UNCHANGED: readonly JsonSchema[] = [
  ...[
    true,
    false,
    NULL,
    { const: null },
    { const: 1, default: 2 },
    { enum: [1] },
    number,
    { type: ['number', 'string'] },
  ],
  ...[
    { anyOf: [number, text] },
    { anyOf: [NULL, { const: null }] },
    { allOf: [number, 1] },
    { items: false },
    { items: NULL },
  ],
  ...[
    { prefixItems: 'a' },
    { prefixItems: [1] },
    { anyOf: 'a' },
    { examples: [null], title: null },
    { $ref: '#/$defs/A', $defs: { A: text } },
  ],
  ...[{ items: { $ref: '#' } }, { $ref: '#/$defs/A', $defs: { A: NULL } }],
]

describe('withoutNull()', () => {
  for (const [about, schema, expected] of CHANGED) {
    it(`removes null from ${about}`, () => assert.deepEqual(withoutNull(schema, schema), expected))
  }

  it('returns the same schema if it has no null, or accepts nothing else', () => {
    for (const schema of UNCHANGED) assert.equal(withoutNull(schema, schema), schema)
  })
})

function operationOf(contract: object, options = {}) {
  class Probe extends Route {
    static readonly path = '/probe'
    static readonly post = looseContract(this, contract)
    post() {}
  }
  return findOperation(readDocument({ Probe }, options), '/probe', 'post')
}

const nullable = z.object({
  min: z.number().nullable().optional(),
  by: z.enum(['a']).nullable().default(null),
  ids: z.array(z.string().nullable()),
})
const SCHEMAS = [number, { ...text, enum: ['a'] }, { type: 'array', items: text }]

describe('openapi: nullable members', () => {
  it('omits null in queries, headers, cookies and multipart forms', () => {
    const { parameters = [] } = operationOf({ query: nullable, headers: nullable, cookies: nullable })
    const schemas = parameters.map(({ schema }) => schema)
    assert.deepEqual(schemas, [...SCHEMAS, ...SCHEMAS, ...SCHEMAS])
    const { content } = Object(operationOf({ body: multipart(nullable) }).requestBody)
    assert.deepEqual(Object.values(content['multipart/form-data'].schema.properties), SCHEMAS)
  })

  it('omits null with valibot and arktype', () => {
    const ofValibot = v.object({ min: v.nullish(v.number(), null), ids: v.array(v.nullable(v.string())) })
    const { parameters } = operationOf({ query: ofValibot }, { jsonSchema: { valibot: toJsonSchema } })
    assert.deepEqual(
      parameters?.map(({ schema }) => schema),
      [number, { type: 'array', items: text }],
    )
    const ofArktype = operationOf({ query: type({ by: "'a' | null", 'min?': 'number | null' }) })
    assert.deepEqual(
      ofArktype.parameters?.map(({ schema }) => schema),
      [{ const: 'a' }, number],
    )
  })

  it('retains null in JSON', () => {
    const media = Object(operationOf({ body: z.object({ a: z.number().nullable() }) }).requestBody).content
    const ofForm = Object(
      operationOf({ body: multipart(z.record(z.string(), z.object({ a: z.number().nullable() }))) }).requestBody,
    )
    assert.match(JSON.stringify(ofForm.content), /"null"/)
    assert.deepEqual(Object.keys(media), ['application/json'])
  })

  it('accepts the documented values', async () => {
    class Teas extends Route {
      static readonly get = looseContract(this, { query: nullable.omit({ ids: true }) })
      get({ query }: { query: unknown }) {
        return query
      }
    }
    const app = createUntypedApp({ routes: { Teas }, logger: false })
    const read = async (query: string) => {
      const { status, text: body } = await sendRequest(app, `/teas?${query}`)
      return [status, status === 200 ? JSON.parse(body) : null]
    }
    assert.deepEqual(await read('min=1&by=a'), [200, { min: 1, by: 'a' }])
    assert.deepEqual(await read(''), [200, { by: null }])
    assert.deepEqual(await read('min=null'), [422, null])
    assert.deepEqual(await validateDocument(app.openapi()), [])
  })

  it('creates a JSON field of a multipart form for objects and null', async () => {
    class Orders extends Route {
      static readonly post = looseContract(this, {
        body: multipart(z.object({ home: z.object({ city: z.string() }).nullable() })),
      })
      post({ body }: { body: unknown }) {
        return body
      }
    }
    const app = createUntypedApp({ routes: { Orders }, logger: false })
    const content = Object(app.openapi().paths['/orders']?.['post']?.requestBody).content['multipart/form-data']
    assert.deepEqual(content.encoding, { home: { contentType: 'application/json' } })
    for (const home of [{ city: 'London' }, null]) {
      const body = new FormData()
      body.append('home', JSON.stringify(home))
      const response = await app.fetch(new Request('http://localhost/orders', { method: 'POST', body }))
      assert.deepEqual(await response.json(), { fields: { home }, files: {} })
    }
  })
})
