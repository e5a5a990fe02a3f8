import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fieldsView, typeView } from '#src/reference/schema-view.js'
import { createModel, plainText, renderText } from '#test/reference.js'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const MODEL = createModel({
  Address: { type: 'object', required: ['city'], properties: { city: { type: 'string' }, zip: { type: 'string' } } },
  User: { type: 'object', properties: { home: ref('Address'), boss: ref('User') } },
  Admin: { allOf: [ref('User'), { required: ['home'], properties: { level: { type: 'integer' } } }] },
  Loop: { allOf: [ref('Loop')] },
})

describe('typeView()', () => {
  it('links the schemas of the document, and shows bounds after the type', () => {
    assert.equal(
      renderText(typeView(MODEL, { type: 'array', items: ref('User'), minItems: 1 })),
      '<code><a href="#schema.User">User</a>[]</code><span>, at least 1</span>',
    )
    assert.equal(renderText(typeView(MODEL, ref('Other'))), '<code>Other</code>')
    assert.equal(renderText(typeView(MODEL, { $ref: 'https://example.com/x.json#/User' })), '<code>User</code>')
    assert.equal(
      renderText(typeView(MODEL, { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] })),
      '<code>integer, ≥ 1 | null</code>',
    )
  })
})

describe('fieldsView()', () => {
  const view = (schema: unknown) => plainText(fieldsView(MODEL, schema))

  it('lists fields with their type, marks and description', () => {
    const properties = {
      id: { type: 'string', description: 'The key', readOnly: true },
      secret: { type: 'string', writeOnly: true, deprecated: true },
      home: { ...ref('Address'), description: 'Where' },
    }
    assert.equal(
      view({ type: 'object', required: ['id'], properties }),
      'id string required only in responses The key secret string deprecated only in requests home Address Where Fields city string required zip string',
    )
  })

  it('repeats named schemas in small documents, except in themselves', () => {
    assert.equal(view(ref('User')), 'home Address Fields city string required zip string boss User')
    assert.equal(view({ type: 'array', items: ref('Address') }), 'city string required zip string')
    assert.equal(view(ref('Loop')), '')
  })

  it('links named schemas instead of repeating them', () => {
    assert.equal(renderText(fieldsView(MODEL, ref('User'), false)), '')
    const nested = { properties: { home: ref('Address'), inner: { properties: { a: {} } } } }
    assert.equal(plainText(fieldsView(MODEL, nested, false)), 'home Address inner object Fields a any')
    assert.equal(plainText(fieldsView(MODEL, { oneOf: [ref('User'), ref('Address')] }, false)), '')
  })

  it('combines allOf, and keeps required fields of other parts', () => {
    assert.match(view(ref('Admin')), /^home Address required .* level integer$/)
  })

  it('shows the fields of maps, and of values that may be null', () => {
    assert.equal(view({ type: 'object', additionalProperties: ref('Address') }), 'city string required zip string')
    assert.equal(view({ anyOf: [ref('Address'), { type: 'null' }] }), 'city string required zip string')
    assert.equal(view({ type: 'string' }), '')
  })

  it('shows each alternative of a union', () => {
    const choices = {
      oneOf: [ref('Address'), { title: 'Point', properties: { x: {} } }, { properties: { y: {} } }, { type: 'string' }],
    }
    assert.equal(
      view(choices),
      'Fields of Address city string required zip string Fields of Point x any Fields of an alternative y any',
    )
  })

  it('limits depth and number of fields', () => {
    const deep = Array.from({ length: 50 }).reduce<object>((inner) => ({ properties: { a: inner } }), {})
    assert.equal(view(deep).split('Fields').length, 4)
    const lists = Array.from({ length: 50 }).reduce<object>((items) => ({ type: 'array', items }), {
      properties: { a: {} },
    })
    assert.equal(view(lists), '')
    const wide = {
      properties: Object.fromEntries(
        Array.from({ length: 2_000 }, (_, index) => [
          `f${index}`,
          { oneOf: [{ properties: { a: {} } }, { properties: { a: {} } }] },
        ]),
      ),
    }
    const text = view(wide)
    assert.match(text, / \d+ more$/)
    assert.ok(text.length < 5_000, String(text.length))
    const many = { properties: Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`f${index}`, {}])) }
    assert.match(view(many), / f99 any 50 more$/)
  })

  it('shows schemas of OpenAPI 3.0 that may be null', () => {
    assert.equal(view({ type: 'object', properties: { a: { type: 'string', nullable: true } } }), 'a string | null')
  })
})
