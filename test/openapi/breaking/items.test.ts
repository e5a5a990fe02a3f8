/** Items of streams: documents of OpenAPI 3.2, and of different versions. */
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
