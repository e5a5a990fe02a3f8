/** Schema members that cannot be expressed as text in a query, header, cookie or form. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, form, json, provide, Route, type JsonSchema, type Schema } from 'verbena'
import { toJsonSchema } from '@valibot/to-json-schema'
import { type as arktype } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'
import { looseContract } from '#test/apps.js'
import { describedSchema } from '#test/described-schemas.js'

const text = { type: 'string' }
const object = { type: 'object', properties: { a: text } }

function setUp(contract: object): void {
  class Users extends Route {
    static readonly post = looseContract(this, contract)
    post() {}
  }
  createApp({ routes: { Users }, logger: false, jsonSchema: { valibot: toJsonSchema } })
}

const member = (schema: JsonSchema, rest: object = {}): Schema =>
  describedSchema({ type: 'object', properties: { ok: text, filter: schema }, ...rest })

const REJECTED: readonly (readonly [title: string, schema: Schema])[] = [
  ['an object', member(object)],
  ['an object that is not described further', member({ type: 'object' })],
  ['a record', member({ type: 'object', additionalProperties: text })],
  ['a list of objects', member({ type: 'array', items: object })],
  ['a list of lists', member({ type: 'array', items: { type: 'array', items: text } })],
  ['a tuple with an object', member({ type: 'array', prefixItems: [text, object] })],
  ['a tuple with an object in older drafts', member({ type: 'array', items: [text, object] })],
  ['an object or a list of objects', member({ anyOf: [object, { type: 'array', items: object }] })],
  ['of several types', member({ type: ['object', 'array'], items: object })],
  ['a literal object', member({ const: { a: 1 } })],
  ['one of several literals', member({ enum: [{ a: 1 }, [[1]]] })],
  ['a nullable object', member({ anyOf: [object, { type: 'null' }] })],
  ['one of a literal object and null', member({ enum: [null, { a: 1 }] })],
  ['a reference', member({ $ref: '#/$defs/F' }, { $defs: { F: object } })],
  ['an intersection of schemas', member({ allOf: [{ type: ['string', 'object'] }, { type: ['object'] }] })],
  ['a member of a union', describedSchema({ oneOf: [object, { type: 'object', properties: { filter: object } }] })],
  ['a schema of zod', z.object({ filter: z.object({ a: z.string() }).optional() })],
  ['a schema of valibot', v.object({ filter: v.array(v.object({ a: v.string() })) })],
  ['a schema of arktype', arktype({ 'filter?': { a: 'string' } })],
]

const ACCEPTED: readonly (readonly [title: string, schema: Schema])[] = [
  ['a string or an object', member({ anyOf: [object, text] })],
  ['a list of scalars', member({ type: 'array', items: { type: ['integer', 'null'] } })],
  ['a list of anything', member({ type: 'array' })],
  ['a list of strings or objects', member({ type: 'array', items: { anyOf: [object, text] } })],
  ['a list of objects or a string', member({ anyOf: [{ type: 'array', items: object }, text] })],
  ['a literal', member({ const: 'a' })],
  ['a literal list', member({ const: ['a', 1] })],
  ['an object that must be missing', member({ not: {} })],
  ['a member that no value matches', member(false)],
  ['an empty enum', member({ enum: [] })],
  ['a type that JSON Schema does not have', member({ type: 'Date' })],
  ['a schema without types', member({ description: 'any' })],
  [
    'a schema that refers to itself',
    describedSchema({ type: 'object', properties: { filter: { $ref: '#/properties/filter' } } }),
  ],
  ['an undescribed schema', v.looseObject({})],
  [
    'a string that the schema parses',
    z.object({
      filter: z
        .string()
        .transform((given): unknown => JSON.parse(given))
        .pipe(z.object({ a: z.string() })),
    }),
  ],
  ['a preprocessed value', z.object({ filter: parsed(z.object({ a: z.string() })) })],
  ['a preprocessed value without required members', z.object({ filter: parsed(z.object({})) })],
  ['a preprocessed list', z.object({ filter: parsed(z.array(z.object({ a: z.string() })).min(1)), other: z.string() })],
]

function parsed(schema: z.ZodType): z.ZodType {
  return z.preprocess((value) => (typeof value === 'string' ? JSON.parse(value) : value), schema)
}

const SOURCES = ['query', 'headers', 'cookies'] as const

describe('SCHEMA_INEXPRESSIBLE', () => {
  for (const [title, schema] of REJECTED) {
    it(`rejects a member in query, headers, cookies and form() that is ${title}`, () => {
      for (const source of SOURCES) {
        assert.throws(() => setUp({ [source]: schema }), {
          code: 'SCHEMA_INEXPRESSIBLE',
          message: `Cannot use "${source}" in the contract of "Users.post": its member "filter" can only be an object, or an array of objects or arrays, which a string cannot express. Describe a string, a number, a boolean, or an array of these, or send the value in a JSON body. The schema can also parse a string`,
        })
      }
      assert.throws(() => setUp({ body: form(schema) }), {
        code: 'SCHEMA_INEXPRESSIBLE',
        message:
          /^Cannot use form\(\) in the contract of "Users.post": its member "filter" .*\. Use multipart\(\), which accepts JSON in a part$/,
      })
      setUp({ body: json(schema) })
    })
  }

  for (const [title, schema] of ACCEPTED) {
    it(`accepts a member that is ${title}`, () => {
      for (const source of SOURCES) setUp({ [source]: schema })
      setUp({ body: form(schema) })
    })
  }

  it('rejects members of providers and additionalProperties', () => {
    const filter = provide({ query: member(object) }, () => 1)
    assert.throws(() => setUp({ uses: { filter } }), {
      code: 'SCHEMA_INEXPRESSIBLE',
      message: /^Cannot use "query" in the provider "filter": its member "filter" can only be an object/,
    })
    const further = describedSchema({ type: 'object', additionalProperties: object })
    assert.throws(() => setUp({ query: further }), /each additional member can only be an object/)
    setUp({ query: describedSchema({ type: 'object', properties: { a: text }, additionalProperties: {} }) })
  })
})
