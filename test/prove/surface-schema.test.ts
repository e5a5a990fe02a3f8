/** Fields of a JSON Schema. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as z from 'zod'
import { listFields } from '#src/prove/surface-schema.js'
import { describeSchema } from '#src/validation/describe-schema.js'
import type { JsonSchema } from '#src/validation/json-schema.js'

function list(schema: JsonSchema): string[] {
  return listFields(schema).map(({ path, notes }) => [path, ...notes].join(' '))
}

function listZod(schema: z.ZodType): string[] {
  return list(describeSchema(schema, 'output', {}).schema ?? true)
}

describe('listFields()', () => {
  it('lists nested properties and items by path', () => {
    const schema = z.object({
      id: z.string(),
      author: z.object({ name: z.string() }),
      tags: z.array(z.string()),
      lines: z.array(z.object({ at: z.iso.datetime(), grid: z.array(z.array(z.number())) })),
      point: z.tuple([z.number(), z.object({ x: z.number() })]),
    })
    assert.deepEqual(listZod(schema), [
      ...['id', 'author.name', 'tags[]', 'lines[].at', 'lines[].grid[][]', 'point[]', 'point[].x'],
    ])
  })

  it('lists a value without fields, and an empty object, under its own path', () => {
    assert.deepEqual(listZod(z.string()), [''])
    assert.deepEqual(listZod(z.object({ none: z.object({}), nothing: z.null() })), ['none', 'nothing'])
    assert.deepEqual(listZod(z.array(z.object({ a: z.string() }))), ['[].a'])
  })

  it('lists all parts of unions and intersections', () => {
    const a = z.object({ type: z.literal('a'), one: z.string() })
    const b = z.object({ type: z.enum(['b', 'c']), two: z.string() })
    const schema = z.object({ of: z.discriminatedUnion('type', [a, b]).nullable(), or: z.union([z.string(), a]) })
    assert.deepEqual(listZod(schema), ['of.type', 'of.one', 'of.type', 'of.two', 'or', 'or.type', 'or.one'])
    const orNone = { anyOf: [{ const: 'none' }, { type: 'object', properties: { a: { type: 'string' } } }] }
    assert.deepEqual(list(orNone), ['', 'a'])
    const both = { allOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { title: 'Named' }] }
    assert.deepEqual(list(both), ['a'])
  })

  it('lists names that a schema does not contain as *', () => {
    assert.deepEqual(listZod(z.record(z.string(), z.object({ score: z.number() }))), ['*.score'])
    assert.deepEqual(listZod(z.looseObject({ a: z.string() })), ['a', '* undescribed'])
    assert.deepEqual(listZod(z.record(z.enum(['x', 'y']), z.number())), ['x', 'y'])
    assert.deepEqual(list({ type: 'object', patternProperties: { '^a': { type: 'string' } } }), ['*'])
  })

  it('marks values without a description as undescribed', () => {
    assert.deepEqual(list(true), [' undescribed'])
    assert.deepEqual(list({}), [' undescribed'])
    assert.deepEqual(list({ type: 'object' }), [' undescribed'])
    assert.deepEqual(list({ type: ['string', 'array'] }), [' undescribed'])
    assert.deepEqual(listZod(z.object({ any: z.unknown(), list: z.array(z.any()) })), [
      ...['any undescribed', 'list[] undescribed'],
    ])
    assert.deepEqual(list({ anyOf: [{ type: 'string' }, {}] }), [' undescribed'])
  })

  it('lists nothing for a value that cannot exist', () => {
    assert.deepEqual(list(false), [])
    assert.deepEqual(list({ anyOf: [{ not: {} }, { type: 'string' }] }), [''])
  })

  it('reads marks of fields, and passes them on to inner fields', () => {
    const Email = z.string().meta({ id: 'MarkedEmail', personal: true })
    const Address = z.object({ street: z.string(), code: z.string().meta({ secret: true }) }).meta({ personal: true })
    const schema = z.object({ email: Email, address: Address, name: z.string().meta({ personal: 'no' }) })
    assert.deepEqual(listZod(schema), [
      ...['email personal', 'address.street personal', 'address.code personal secret', 'name'],
    ])
  })

  it('ends at a schema that contains itself', () => {
    const Tree = z.object({
      name: z.string(),
      get children() {
        return z.array(Tree)
      },
    })
    assert.deepEqual(listZod(Tree), ['name', 'children[] recursive'])
  })

  it('ends after 12 levels and 1,000 fields', () => {
    let deep: JsonSchema = { type: 'string' }
    for (let level = 0; level < 20; level += 1) deep = { type: 'object', properties: { a: deep } }
    assert.deepEqual(list(deep), [`${'a.'.repeat(11)}a incomplete`])

    const names = Array.from({ length: 8 }, (_, at) => `t${at}`)
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]))
    const $defs = Object.fromEntries(names.map((name) => [name, { type: 'object', properties }]))
    const fields = list({ $ref: '#/$defs/t0', $defs })
    assert.deepEqual([fields.length, fields.at(-1)], [1001, ' incomplete'])
  })
})
