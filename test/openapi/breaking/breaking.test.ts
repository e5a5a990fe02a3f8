/** `breaking()` with documents of OpenAPI 3.2. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { breaking } from 'verbena/openapi'
import { generateDocument, type Part } from '#test/documents.js'

const text = { type: 'string' }
const integer = { type: 'integer' }
const ok = { 200: { description: 'a' } }
const price = (type: object): Part => ({ type: 'object', properties: { price: type }, required: ['price'] })
const version32 = (operation: Part, rest: Part = {}): Part => ({
  ...generateDocument(operation, rest),
  openapi: '3.2.0',
})
const answered = (type: string, media: Part, rest?: Part): Part =>
  version32({ responses: { 200: { description: 'a', content: { [type]: media } } } }, rest)

function rules(before: object, after: object): string[] {
  return breaking(before, after).map(({ rule }) => rule)
}

describe('breaking(): methods of OpenAPI 3.2', () => {
  const of = (item: Part, openapi = '3.2.0'): Part => ({ openapi, paths: { '/a': item } })
  const operation = { responses: ok }
  const required = { ...operation, requestBody: { required: true, content: {} } }

  it('compares QUERY operations, also with x-query of a document of OpenAPI 3.1', () => {
    for (const [old, now] of [
      [of({ query: operation }), of({ query: required })],
      [of({ 'x-query': operation }, '3.1.1'), of({ query: required })],
      [of({ query: operation }), of({ 'x-query': required }, '3.1.1')],
    ] as const) {
      assert.deepEqual(breaking(old, old), [])
      assert.deepEqual(
        breaking(old, now).map(({ rule, method, message }) => [rule, method, message]),
        [['request-body-added-required', 'QUERY', 'QUERY /a: the request body is new and required']],
      )
    }
    assert.deepEqual(rules(of({ query: operation }), of({ get: operation })), ['api-removed-without-deprecation'])
    assert.deepEqual(rules(of({ 'x-query': operation, query: operation }), of({ query: operation })), [])
  })

  it('ignores an extension x-query that is not an operation', () => {
    assert.deepEqual(rules(of({ 'x-query': 'a', get: operation }), of({ get: operation })), [])
    assert.deepEqual(rules(of({ 'x-query': { max: 1 }, get: operation }), of({ get: operation })), [])
  })

  it('compares additionalOperations by their method', () => {
    const old = of({ additionalOperations: { COPY: operation, LINK: operation } })
    assert.deepEqual(breaking(old, old), [])
    assert.deepEqual(
      breaking(old, of({ additionalOperations: { COPY: required } })).map(({ rule, method, pointer }) => [
        rule,
        method,
        pointer,
      ]),
      [
        ['request-body-added-required', 'COPY', '/paths/~1a/additionalOperations/COPY/requestBody'],
        ['api-removed-without-deprecation', 'LINK', '/paths/~1a/additionalOperations/LINK'],
      ],
    )
  })
})

describe('breaking(): other fields of OpenAPI 3.2', () => {
  it('follows references to media types', () => {
    const content = { 'application/json': { $ref: '#/components/mediaTypes/Price' } }
    const made = (type: object): Part =>
      version32(
        { responses: { 200: { description: 'a', content } } },
        { components: { mediaTypes: { Price: { schema: price(type) } } } },
      )
    assert.deepEqual(breaking(made(text), made(text)), [])
    assert.deepEqual(rules(made(text), answered('application/json', { schema: price(text) })), [])
    assert.deepEqual(rules(made(text), made(integer)), ['response-property-type-changed'])
  })

  it('resolves references that name the document by its $self', () => {
    const $self = 'https://example.com/api.json'
    const made = (name: string, rest: Part): Part =>
      answered('application/json', { schema: { $ref: `${name}#/components/schemas/Price` } }, rest)
    const components = { schemas: { Price: price(text) } }
    const before = made($self, { $self, components })
    assert.deepEqual(breaking(before, made('', { components })), [])
    assert.deepEqual(rules(before, made($self, { $self, components: { schemas: { Price: price(integer) } } })), [
      'response-property-type-changed',
    ])
    assert.throws(
      () => breaking(before, made($self, { components })),
      /has no target in the document\. Write all files/,
    )
    assert.throws(() => breaking(before, made($self, { $self, components: {} })), /has no target in the document$/)
  })

  it('ignores flows and descriptions of security schemes', () => {
    const made = (scheme: Part): Part =>
      version32({ responses: ok, security: [{ oauth: [] }] }, { components: { securitySchemes: { oauth: scheme } } })
    const flow = {
      deviceAuthorizationUrl: 'https://example.com/device',
      tokenUrl: 'https://example.com/token',
      scopes: {},
    }
    const before = made({ type: 'oauth2', flows: {} })
    const about = { deprecated: true, oauth2MetadataUrl: 'https://example.com/metadata' }
    assert.deepEqual(breaking(before, made({ type: 'oauth2', flows: { deviceAuthorization: flow }, ...about })), [])
  })
})
