import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { form, Route, type JsonSchema } from 'verbena'
import { multipart } from 'verbena/multipart'
import { looseContract } from '#test/apps.js'
import { describedSchema } from '#test/described-schemas.js'
import { findOperation, ownComponents, readDocument, validateDocument } from '#test/openapi.js'
import { generateTypes } from '#test/openapi-tools.js'
import * as z from 'zod'

const text = { type: 'string' }
const texts = { type: 'array', items: text }
const REF = '#/components/schemas/'

function documentOf(contract: object) {
  class Probe extends Route {
    static readonly path = '/probe'
    static readonly post = looseContract(this, contract)
    post() {}
  }
  return readDocument({ Probe })
}

/** Whether a document contains the keyword, outside data. */
const hasReadOnly = (document: unknown): boolean => JSON.stringify(document).includes('"readOnly"')

describe('openapi: readOnly', () => {
  const frozen = z.object({ name: z.string(), tags: z.array(z.string()).readonly() })
  const Home = z.object({ city: z.string() }).meta({ id: 'Home' })

  it('is omitted in all sources of a request, at every depth', () => {
    const list = z.array(z.string()).readonly()
    const contract = {
      query: z.object({ ids: list, n: z.int().readonly() }),
      headers: z.object({ 'x-ids': list }),
      cookies: z.object({ id: z.string().readonly() }),
      body: z.object({ a: z.object({ b: z.array(frozen.readonly()) }), home: Home.readonly() }).readonly(),
    }
    const document = documentOf(contract)
    assert.equal(hasReadOnly(document), false)
    const { a } = Object(document.components.schemas['ProbePostBody']).properties
    assert.deepEqual(a.properties.b.items.required, ['name', 'tags'])
    for (const body of [form(frozen), multipart(frozen)]) assert.equal(hasReadOnly(documentOf({ body })), false)
  })

  it('remains in responses', () => {
    const document = documentOf({ returns: frozen })
    const { properties } = Object(document.components.schemas['ProbePostResponse'])
    assert.deepEqual(properties, { name: text, tags: { readOnly: true, ...texts } })
  })

  it('splits a component of requests and responses into Input and Output', async () => {
    const User = frozen.meta({ id: 'User' })
    const document = documentOf({ body: User, returns: z.array(User) })
    assert.deepEqual(ownComponents(document), ['UserInput', 'UserOutput'])
    const { UserInput, UserOutput } = Object(document.components.schemas)
    assert.deepEqual([UserInput.properties.tags, UserOutput.properties.tags], [texts, { readOnly: true, ...texts }])
    assert.deepEqual(
      [UserInput.required, UserOutput.required],
      [
        ['name', 'tags'],
        ['name', 'tags'],
      ],
    )
    const { requestBody, responses } = Object(findOperation(document, '/probe', 'post'))
    assert.deepEqual(requestBody.content['application/json'].schema, { $ref: `${REF}UserInput` })
    assert.deepEqual(responses['200'].content['application/json'].schema.items, { $ref: `${REF}UserOutput` })
    assert.deepEqual(await validateDocument(document), [])
  })

  it('does not split a component that is read-only as a whole', () => {
    const document = documentOf({ body: Home.readonly(), returns: z.object({ home: Home.readonly() }) })
    assert.deepEqual(ownComponents(document), ['Home', 'ProbePostResponse'])
    const { requestBody } = Object(findOperation(document, '/probe', 'post'))
    assert.deepEqual(requestBody.content['application/json'].schema, { $ref: `${REF}Home` })
  })

  it('is omitted in requests for every library that writes it, but not in names and data', () => {
    const root: JsonSchema = {
      type: 'object',
      properties: { readOnly: text, a: { ...text, readOnly: true, default: { readOnly: 1 } } },
      patternProperties: { '^x-': { ...text, readOnly: true } },
      anyOf: [{ ...text, readOnly: true }, { items: { readOnly: true } }],
    }
    const { requestBody } = Object(findOperation(documentOf({ body: describedSchema(root) }), '/probe', 'post'))
    assert.deepEqual(requestBody.content['application/json'].schema, { $ref: `${REF}ProbePostBody` })
    const body = documentOf({ body: describedSchema(root) }).components.schemas['ProbePostBody']
    assert.deepEqual(body, {
      type: 'object',
      properties: { readOnly: text, a: { ...text, default: { readOnly: 1 } } },
      patternProperties: { '^x-': text },
      anyOf: [text, { items: {} }],
    })
  })

  it('results in openapi-typescript types whose members the request needs', async () => {
    const types = await generateTypes(Object(documentOf({ body: frozen.readonly(), returns: z.null() })))
    assert.match(types, /ProbePostBody: \{\s+name: string;\s+tags: string\[\];\s+\}/)
  })
})
