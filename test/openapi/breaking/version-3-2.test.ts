/** `breaking()` with documents of OpenAPI 3.2, and between versions. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { events, Route } from 'verbena'
import { breaking } from 'verbena/openapi'
import { looseContract } from '#test/apps.js'
import { generateDocument, type Part } from '#test/documents.js'
import { readDocument } from '#test/openapi.js'
import * as z from 'zod'

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
const asked = (type: string, media: Part): Part =>
  version32({ requestBody: { content: { [type]: media } }, responses: ok })

function rules(before: object, after: object): string[] {
  return breaking(before, after).map(({ rule }) => rule)
}

describe('breaking(): items of streams', () => {
  const jsonl = 'application/jsonl'

  it('compares items of responses as output, and items of requests as input', () => {
    const [old, now] = [price(text), price({ ...text, maxLength: 5 })]
    assert.deepEqual(rules(answered(jsonl, { itemSchema: old }), answered(jsonl, { itemSchema: now })), [])
    assert.deepEqual(rules(answered(jsonl, { itemSchema: now }), answered(jsonl, { itemSchema: old })), [
      'response-property-max-length-unset',
    ])
    assert.deepEqual(rules(asked(jsonl, { itemSchema: old }), asked(jsonl, { itemSchema: now })), [
      'request-property-max-length-set',
    ])
    assert.deepEqual(rules(asked(jsonl, { itemSchema: now }), asked(jsonl, { itemSchema: old })), [])
  })

  it('points to the changed item', () => {
    const before = answered(jsonl, { itemSchema: price(text) })
    assert.deepEqual(breaking(before, answered(jsonl, { itemSchema: price(integer) })), [
      {
        rule: 'response-property-type-changed',
        method: 'POST',
        path: '/a',
        pointer: '/paths/~1a/post/responses/200/content/application~1jsonl/itemSchema/properties/price',
        message: 'POST /a: "/price" of the 200 response may now be an integer',
      },
    ])
  })

  it('reports schemas of items that are new in requests or missing in responses', () => {
    const described = { itemSchema: price(text) }
    assert.deepEqual(rules(answered(jsonl, described), answered(jsonl, {})), [
      'response-body-media-type-schema-removed',
    ])
    assert.deepEqual(rules(answered(jsonl, {}), answered(jsonl, described)), [])
    assert.deepEqual(rules(asked(jsonl, {}), asked(jsonl, described)), ['request-body-media-type-schema-added'])
    assert.deepEqual(rules(asked(jsonl, described), asked(jsonl, {})), [])
  })

  it('treats an array as the same description as its items', () => {
    const array = { schema: { $ref: '#/components/schemas/Prices' } }
    const rest = { components: { schemas: { Prices: { type: 'array', items: price(text) } } } }
    const items = (type: object): Part => answered(jsonl, { itemSchema: price(type) })
    assert.deepEqual(rules(answered(jsonl, array, rest), items(text)), [])
    assert.deepEqual(rules(items(text), answered(jsonl, array, rest)), [])
    assert.deepEqual(rules(answered(jsonl, array, rest), items(integer)), ['response-property-type-changed'])
  })

  it('treats the content of a string in 3.1 as the same description as items in 3.2', () => {
    const schema = { ...text, contentMediaType: jsonl, contentSchema: price(text) }
    const items = (type: object): Part => answered(jsonl, { itemSchema: price(type) })
    assert.deepEqual(rules(answered(jsonl, { schema }), items(text)), [])
    assert.deepEqual(rules(items(text), answered(jsonl, { schema })), [])
    assert.deepEqual(rules(answered(jsonl, { schema }), items(integer)), ['response-property-type-changed'])
  })

  it('compares events of documents of both versions', () => {
    class Prices extends Route {
      static readonly get = looseContract(this, { returns: events(z.object({ price: z.string() })) })
      get() {}
    }
    class Numbers extends Route {
      static readonly path = '/prices'
      static readonly get = looseContract(this, { returns: events(z.object({ price: z.number() })) })
      get() {}
    }
    const made = (route: object, version: string): object =>
      readDocument({ [route === Prices ? 'Prices' : 'Numbers']: route }, { openapi: { version } })
    for (const [old, now] of [
      ['3.1', '3.2'],
      ['3.2', '3.1'],
      ['3.2', '3.2'],
    ] as const) {
      assert.deepEqual(breaking(made(Prices, old), made(Prices, now)), [])
      const [change, ...others] = breaking(made(Prices, old), made(Numbers, now))
      assert.deepEqual(
        [change?.rule, change?.pointer, others],
        ['response-property-type-changed', '/components/schemas/NumbersGetResponse/properties/price', []],
      )
    }
  })
})

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
