import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { provide, Route, type JsonSchema } from 'verbena'
import { looseContract } from '#test/apps.js'
import { describedSchema } from '#test/described-schemas.js'
import { validateDocument, readDocument, findOperation } from '#test/openapi.js'
import * as z from 'zod'

const text = { type: 'string' }
const number = { type: 'number' }

function parametersOf(contract: object, path = '/a') {
  class Probe extends Route {
    static readonly path = path
    static readonly get = looseContract(this, contract)
    get() {}
  }
  const document = readDocument({ Probe })
  return findOperation(document, path.replaceAll('...', '')).parameters
}

const query = (root: JsonSchema) =>
  parametersOf({ query: describedSchema(root) })?.map(({ name, required, schema }) => [name, required, schema])

describe('openapi: path parameters', () => {
  it('documents exactly the parameters of the path, in their order', () => {
    const params = describedSchema({ type: 'object', properties: { n: number, stray: text } })
    assert.deepEqual(parametersOf({ params }, '/{a}/{n}'), [
      { name: 'a', in: 'path', required: true, schema: text },
      { name: 'n', in: 'path', required: true, schema: number },
    ])
  })

  it('uses the description of the schema for a parameter', () => {
    const params = z.object({ id: z.int().describe('Number of the user') })
    const [parameter] = parametersOf({ params }, '/{id}') ?? []
    assert.equal(parameter?.description, 'Number of the user')
  })

  it('documents a wildcard as a parameter', () => {
    assert.deepEqual(parametersOf({}, '/files/{name...}'), [
      { name: 'name', in: 'path', required: true, description: 'One segment of the path or more', schema: text },
    ])
  })
})

describe('openapi: query, header and cookie parameters', () => {
  it('documents a parameter for each member of the input schemas', () => {
    const contract = {
      query: z.object({ limit: z.int().min(1).default(10), q: z.string().optional(), ids: z.array(z.number()) }),
      headers: z.object({ 'x-n': z.string() }),
      cookies: z.object({ sid: z.string() }),
    }
    assert.deepEqual(
      parametersOf(contract)?.map(({ name, in: place, required }) => [name, place, required]),
      [
        ['limit', 'query', undefined],
        ['q', 'query', undefined],
        ['ids', 'query', true],
        ['x-n', 'header', true],
        ['sid', 'cookie', true],
      ],
    )
  })

  it('omits "parameters" without schemas', () => assert.equal(parametersOf({}), undefined))

  it('omits the headers Accept, Content-Type and Authorization', () => {
    const headers = describedSchema({
      type: 'object',
      properties: { Accept: text, authorization: text, 'content-type': text, x: text },
    })
    assert.deepEqual(
      parametersOf({ headers })?.map(({ name }) => name),
      ['x'],
    )
    const cookies = describedSchema({ type: 'object', properties: { accept: text } })
    assert.equal(parametersOf({ cookies })?.length, 1)
  })

  it('moves description and deprecated from the schema to the parameter', () => {
    const schema = describedSchema({
      properties: { a: { ...text, description: 'what for', deprecated: true }, b: { deprecated: false }, c: true },
    })
    assert.deepEqual(parametersOf({ query: schema }), [
      { name: 'a', in: 'query', description: 'what for', deprecated: true, schema: text },
      { name: 'b', in: 'query', schema: {} },
      { name: 'c', in: 'query', schema: {} },
    ])
  })

  it('finds parameters through $ref and allOf', () => {
    const root = {
      $ref: '#/$defs/A',
      $defs: { A: { properties: { a: text }, required: ['a'] } },
      allOf: [{ properties: { b: text }, required: ['b'] }, { $ref: '#' }, true],
    }
    assert.deepEqual(query(root), [
      ['a', true, text],
      ['b', true, text],
    ])
  })

  it('documents parameters of alternatives as optional, with the schemas of all alternatives', () => {
    const anyOf = [
      { properties: { a: text, b: text }, required: ['a', 'b'] },
      { properties: { a: number, odd: 'no schema' }, required: ['a'] },
    ]
    assert.deepEqual(query({ anyOf }), [
      ['a', undefined, { anyOf: [text, number] }],
      ['b', undefined, text],
    ])
  })

  it('documents additional properties of a query as one parameter "others"', async () => {
    const open = { type: 'object', additionalProperties: number }
    assert.deepEqual(query(open), [['others', undefined, open]])
    assert.deepEqual(query({ additionalProperties: true }), [
      ['others', undefined, { type: 'object', additionalProperties: {} }],
    ])
    assert.deepEqual(query({ properties: { a: text }, additionalProperties: number }), [
      ['a', undefined, text],
      ['others', undefined, open],
    ])
    assert.deepEqual(query({ properties: { a: text }, additionalProperties: {} }), [['a', undefined, text]])
    assert.deepEqual(query({ additionalProperties: false }), undefined)
    assert.equal(parametersOf({ cookies: describedSchema(open) }), undefined)
  })

  it('documents names that z.record lists, with their "required"', () => {
    const names = (contract: object) =>
      parametersOf(contract)?.map(({ name, in: place, required, schema }) => [name, place, required, schema])
    const keys = z.enum(['x-a', 'x-b'])
    const found = [
      ['x-a', true, number],
      ['x-b', true, number],
    ]
    const unions = z.union([z.literal('x-a'), z.literal('x-b')])
    for (const key of [keys, keys.meta({ id: 'Keys' }), z.literal(['x-a', 'x-b']), unions]) {
      const record = z.record(key, z.number())
      for (const [source, place] of [
        ['query', 'query'],
        ['headers', 'header'],
        ['cookies', 'cookie'],
      ] as const) {
        const expected = found.map(([name, ...rest]) => [name, place, ...rest])
        assert.deepEqual(names({ [source]: record }), expected)
      }
    }
    const optional = found.map(([name, , schema]) => [name, 'query', undefined, schema])
    assert.deepEqual(names({ query: z.partialRecord(keys, z.number()) }), optional)
    assert.deepEqual(names({ query: z.record(keys, z.number().optional()) }), optional)
  })

  it('documents names that are not all listed as one parameter', () => {
    const rest = [['others', undefined, { type: 'object', additionalProperties: number }]]
    const recursive = { $ref: '#/propertyNames' }
    for (const propertyNames of [true, text, { anyOf: [{ const: 'a' }, { pattern: '^x' }] }, { const: 1 }, recursive]) {
      assert.deepEqual(query({ propertyNames, additionalProperties: number }), rest)
    }
    const listed = { propertyNames: { enum: ['a', 'b'] } }
    assert.deepEqual(query({ ...listed, properties: { a: text }, additionalProperties: number }), [
      ['a', undefined, text],
      ['b', undefined, number],
    ])
    assert.deepEqual(query({ ...listed, properties: { a: text }, additionalProperties: false }), [
      ['a', undefined, text],
    ])
  })

  it('documents parameters of the contract first, and prefers them to parameters of providers', async () => {
    const page = provide(
      { query: z.object({ page: z.int(), q: z.number() }), headers: z.object({ x: z.string() }) },
      () => 1,
    )
    class Probe extends Route {
      static readonly get = this.contract({ query: z.object({ q: z.string() }), uses: { page } })
      get() {}
    }
    const document = readDocument({ Probe })
    assert.deepEqual(
      findOperation(document, '/probe').parameters?.map(({ name, schema }) => [name, Object(schema).type]),
      [
        ['q', 'string'],
        ['page', 'integer'],
        ['x', 'string'],
      ],
    )
    assert.deepEqual(await validateDocument(document), [])
  })

  it('documents parameters of providers without a contract', () => {
    const page = provide({ query: z.object({ page: z.int() }) }, () => 1)
    class Probe extends Route {
      static readonly uses = { page }
      get() {}
    }
    assert.equal(findOperation(readDocument({ Probe }), '/probe').parameters?.[0]?.name, 'page')
  })
})
