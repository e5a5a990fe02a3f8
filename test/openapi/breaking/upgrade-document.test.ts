/** Documents of OpenAPI 3.0: the same comparison, with the schemas of 3.1. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { breaking } from 'verbena/openapi'
import { ofSchema, type Part } from '#test/documents.js'

const old = (schema: Part): Part => ({ ...ofSchema(schema, SCHEMAS), openapi: '3.0.3' })
const current = (schema: Part): Part => ofSchema(schema, SCHEMAS)
const SCHEMAS = { components: { schemas: { User: { type: 'object', properties: { name: { type: 'string' } } } } } }
const USER = { $ref: '#/components/schemas/User' }
const object = (properties: Part): Part => ({ type: 'object', properties })

/** Schemas of OpenAPI 3.0, with the same schema in 3.1. */
const PAIRS: readonly (readonly [name: string, old: Part, current: Part])[] = [
  ['nullable beside a type', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
  ['nullable: false', { type: 'string', nullable: false }, { type: 'string' }],
  ['nullable values', { type: 'string', enum: ['a'], nullable: true }, { enum: ['a', null] }],
  ['nullable beside allOf', { allOf: [USER], nullable: true }, { anyOf: [USER, { type: 'null' }] }],
  [
    'nullable beside allOf and a type',
    { type: 'object', allOf: [USER], nullable: true },
    { anyOf: [USER, { type: 'null' }] },
  ],
  [
    'nullable beside anyOf',
    { anyOf: [USER, { type: 'string' }], nullable: true },
    { anyOf: [USER, { type: ['string', 'null'] }] },
  ],
  [
    'nullable beside oneOf',
    { oneOf: [USER, { type: 'string' }], nullable: true },
    { oneOf: [USER, { type: ['string', 'null'] }] },
  ],
  ['nullable without a type', { nullable: true }, {}],
  [
    'an exclusive minimum',
    { type: 'number', minimum: 1, exclusiveMinimum: true },
    { type: 'number', exclusiveMinimum: 1 },
  ],
  [
    'an exclusive maximum',
    { type: 'number', maximum: 9, exclusiveMaximum: true },
    { type: 'number', exclusiveMaximum: 9 },
  ],
  [
    'a minimum that is not exclusive',
    { type: 'number', minimum: 1, exclusiveMinimum: false },
    { type: 'number', minimum: 1 },
  ],
  ['keywords beside a reference', { ...USER, maxProperties: 1, nullable: true }, USER],
  [
    'properties with names of keywords',
    object({ default: { type: 'string', nullable: true }, nullable: { type: 'boolean' } }),
    object({ default: { type: ['string', 'null'] }, nullable: { type: 'boolean' } }),
  ],
  [
    'items',
    { type: 'array', items: { type: 'string', nullable: true } },
    { type: 'array', items: { type: ['string', 'null'] } },
  ],
  [
    'a default that looks like a schema',
    { default: { type: 'x', nullable: true } },
    { default: { type: 'x', nullable: true } },
  ],
]

describe('breaking(): documents of OpenAPI 3.0', () => {
  for (const [name, schema, same] of PAIRS) {
    it(`reads ${name} as the schema of OpenAPI 3.1`, () => {
      assert.deepEqual(breaking(old(schema), current(same)), [])
      assert.deepEqual(breaking(current(same), old(schema)), [])
    })
  }

  it('reports a response that became nullable, and a request that no longer accepts null', () => {
    const [before, after] = [old({ ...USER }), old({ allOf: [USER], nullable: true })]
    assert.deepEqual(
      breaking(before, after).map(({ rule }) => rule),
      ['response-body-became-nullable'],
    )
    assert.deepEqual(
      breaking(after, before).map(({ rule }) => rule),
      ['request-body-became-not-nullable'],
    )
  })

  it('points into the document, and leaves it unchanged', () => {
    const before = old(object({ age: { type: 'integer', minimum: 0 } }))
    const after = old(object({ age: { type: 'integer', minimum: 0, exclusiveMinimum: true } }))
    const text = JSON.stringify(after)
    const [change] = breaking(before, after)
    assert.match(String(change?.pointer), /\/properties\/age\/exclusiveMinimum$/)
    assert.equal(JSON.stringify(after), text)
  })

  it('compares the default of a parameter that is an object', () => {
    const parameter = (text: string): Part => ({
      name: 'q',
      in: 'query',
      schema: { type: 'object', default: { nullable: text } },
    })
    const document = (text: string): Part => ({
      openapi: '3.0.0',
      paths: { '/a': { get: { parameters: [parameter(text)], responses: {} } } },
    })
    assert.deepEqual(
      breaking(document('a'), document('b')).map(({ rule }) => rule),
      ['request-parameter-default-value-changed'],
    )
  })
})
