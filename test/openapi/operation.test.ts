import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bytes, form, json, provide, Route, stream, text } from 'verbena'
import { looseContract } from '#test/apps.js'
import { describedSchema } from '#test/described-schemas.js'
import { validateDocument, readDocument, findOperation } from '#test/openapi.js'

const schema = describedSchema({ type: 'integer' })
const FIELDS = { name: { type: 'string' } }
const NEEDED = { type: 'object', properties: FIELDS, required: ['name'] }
const NAMED = { schema: { $ref: '#/components/schemas/ProbePostBody' } }
const members = describedSchema({ type: 'object', properties: FIELDS })
const needed = describedSchema(NEEDED)
const media = { schema: { type: 'integer' } }

const BODIES: readonly (readonly [about: string, body: unknown, shown: unknown])[] = [
  ['a schema', schema, { required: true, content: { 'application/json': media } }],
  ['json()', json(schema), { required: true, content: { 'application/json': media } }],
  [
    'json() of a type',
    json(schema, { types: ['application/a+json'] }),
    { required: true, content: { 'application/a+json': media } },
  ],
  ['form()', form(schema), { content: { 'application/x-www-form-urlencoded': media } }],
  ['form() without required members', form(members), { content: { 'application/x-www-form-urlencoded': NAMED } }],
  [
    'form() with a required member',
    form(needed),
    { required: true, content: { 'application/x-www-form-urlencoded': NAMED } },
  ],
  ['text()', text(), { content: { 'text/plain': { schema: { type: 'string' } } } }],
  ['bytes() of types', bytes({ types: ['image/png', 'image/*'] }), { content: { 'image/png': {}, 'image/*': {} } }],
  ['stream()', stream(), { content: { 'application/octet-stream': {} } }],
  ['no body', undefined, undefined],
]

describe('openapi: request body', () => {
  for (const [about, body, shown] of BODIES) {
    it(`documents a body: ${about}`, async () => {
      class Probe extends Route {
        static readonly post = looseContract(this, body === undefined ? {} : { body })
        post() {}
      }
      const document = readDocument({ Probe })
      assert.deepEqual(findOperation(document, '/probe', 'post').requestBody, shown)
      assert.deepEqual(await validateDocument(document), [])
    })
  }

  it('documents any JSON without a contract, but no body for GET and DELETE', () => {
    class Probe extends Route {
      get() {}
      put() {}
      delete() {}
    }
    const { paths } = readDocument({ Probe })
    const shown = ['get', 'put', 'delete'].map((verb) => paths['/probe']?.[verb]?.requestBody)
    assert.deepEqual(shown, [undefined, { content: { 'application/json': { schema: {} } } }, undefined])
  })

  it('documents any media type if a provider reads the raw body', async () => {
    const signed = provide({ rawBody: true }, ({ rawBody }) => rawBody.length)
    class Probe extends Route {
      static readonly uses = { signed }
      static readonly post = this.contract({})
      post() {}
      delete() {}
    }
    const document = readDocument({ Probe })
    assert.deepEqual(findOperation(document, '/probe', 'post').requestBody, { content: { '*/*': {} } })
    assert.deepEqual(findOperation(document, '/probe', 'delete').requestBody, { content: { '*/*': {} } })
    assert.ok(!('415' in findOperation(document, '/probe', 'post').responses))
    assert.deepEqual(await validateDocument(document), [])
  })
})
