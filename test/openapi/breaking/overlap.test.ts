/** Changes that only relax a schema: patterns, multiples, `contains`, access and arrays for single values. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonSchema } from 'verbena'
import { breaking } from 'verbena/openapi'
import { content, generateDocument, testRows, type Part, type Row } from '#test/documents.js'

const text = { type: 'string' }
const whole = { type: 'integer' }
const object = (properties: object, required: readonly string[] = []): Part => ({
  type: 'object',
  properties,
  required,
})

const changed = (name: string) => ({ request: [`body-${name}-changed`] })
const changedResponse = (name: string) => ({ response: [`body-${name}-changed`] })

const KEYWORDS: readonly Row[] = [
  ...['.*', '', '^', '$', '^.*', '.*$', '(.*)', String.raw`[\s\S]*`, String.raw`^[\S\s]*$`].map((pattern): Row => [
    `the pattern "${pattern}"`,
    text,
    { ...text, pattern },
    {},
    {},
  ]),
  [
    'a pattern that becomes .*',
    { pattern: 'a' },
    { pattern: '.*' },
    { response: ['body-pattern-changed'] },
    { request: ['body-pattern-changed'] },
  ],
  [
    'a pattern without line breaks',
    text,
    { ...text, pattern: '^.*$' },
    { request: ['body-pattern-added'] },
    { response: ['body-pattern-removed'] },
  ],
  ['a divisor', { multipleOf: 10 }, { multipleOf: 5 }, changedResponse('multiple-of'), changed('multiple-of')],
  [
    'a decimal divisor',
    { multipleOf: 0.3 },
    { multipleOf: 0.1 },
    changedResponse('multiple-of'),
    changed('multiple-of'),
  ],
  [
    'a number that is not a divisor',
    { multipleOf: 10 },
    { multipleOf: 4 },
    { ...changed('multiple-of'), ...changedResponse('multiple-of') },
    { ...changed('multiple-of'), ...changedResponse('multiple-of') },
  ],
  ['multiples of 1 that are integers', whole, { ...whole, multipleOf: 1 }, {}, {}],
  ['multiples of 0.5 that are integers', whole, { ...whole, multipleOf: 0.5 }, {}, {}],
  [
    'multiples of 1 that are numbers',
    { type: 'number' },
    { type: 'number', multipleOf: 1 },
    { request: ['body-multiple-of-added'] },
    { response: ['body-multiple-of-removed'] },
  ],
]

const CONTAINS: readonly Row[] = [
  [
    'a required item',
    {},
    { contains: text },
    { request: ['body-contains-added'] },
    { response: ['body-contains-removed'] },
  ],
  [
    'a wider schema',
    { contains: { ...text, minLength: 2 } },
    { contains: text },
    changedResponse('contains'),
    changed('contains'),
  ],
  [
    'a wider schema of which few items may match',
    { contains: { const: 1 }, maxContains: 2 },
    { contains: { enum: [1, 2] }, maxContains: 2 },
    { ...changed('contains'), ...changedResponse('contains') },
    { ...changed('contains'), ...changedResponse('contains') },
  ],
  [
    'fewer items',
    { contains: text, minContains: 2 },
    { contains: text },
    changedResponse('min-contains'),
    changed('min-contains'),
  ],
  [
    'no item',
    { contains: text },
    { contains: text, minContains: 0 },
    changedResponse('min-contains'),
    changed('min-contains'),
  ],
  [
    'more items at most',
    { contains: text, maxContains: 2 },
    { contains: text, maxContains: 3 },
    changedResponse('max-contains'),
    changed('max-contains'),
  ],
  ['minContains without contains', {}, { minContains: 2 }, {}, {}],
]

const readOnly = { ...text, readOnly: true }
const writeOnly = { ...text, writeOnly: true }
const ACCESS: readonly Row[] = [
  ['a read-only property', object({}), object({ a: readOnly }, ['a']), {}, { response: ['required-property-removed'] }],
  [
    'a write-only property',
    object({}),
    object({ a: writeOnly }, ['a']),
    { request: ['new-required-property'] },
    { request: ['property-removed'] },
  ],
  [
    'a read-only property of another type',
    object({ a: readOnly }),
    object({ a: { ...whole, readOnly: true } }),
    { response: ['property-type-changed'] },
    { response: ['property-type-changed'] },
  ],
  [
    'a write-only property of another type',
    object({ a: writeOnly }),
    object({ a: { ...whole, writeOnly: true } }),
    { request: ['property-type-changed'] },
    { request: ['property-type-changed'] },
  ],
  [
    'a property that becomes read-only',
    object({ a: text }, ['a']),
    object({ a: readOnly }, ['a']),
    {},
    { request: ['new-required-property'] },
  ],
  [
    'a property that becomes write-only',
    object({ a: text }),
    object({ a: writeOnly }),
    { response: ['optional-property-became-write-only'] },
    {},
  ],
  [
    'a required property that becomes write-only',
    object({ a: text }, ['a']),
    object({ a: writeOnly }, ['a']),
    { response: ['required-property-became-write-only'] },
    {},
  ],
]

testRows('relaxed keywords', KEYWORDS)
testRows('contains', CONTAINS)
testRows('read-only and write-only properties', ACCESS)

const ok = { 200: { description: 'a' } }
const list = (items: JsonSchema, rest: Part = {}): Part => ({ type: 'array', items, ...rest })
const parameter = (schema: JsonSchema, where = 'query'): Part =>
  generateDocument({ parameters: [{ name: 'a', in: where, schema }], responses: ok })
const body = (schema: JsonSchema, type: string): Part =>
  generateDocument({ requestBody: content(object({ a: schema }), type), responses: ok })

describe('breaking(): an array for a single value', () => {
  const carriers: readonly (readonly [about: string, document: (schema: JsonSchema) => Part])[] = [
    ...['query', 'header', 'path', 'cookie'].map(
      (where) => [`a ${where} parameter`, (schema: JsonSchema) => parameter(schema, where)] as const,
    ),
    ['a field of a form', (schema) => body(schema, 'application/x-www-form-urlencoded')],
    ['a part of a form', (schema) => body(schema, 'multipart/form-data')],
  ]
  for (const [about, document] of carriers) {
    it(`is compatible in ${about}`, () => {
      const values = [text, whole, { enum: ['a', 'b'] }, { ...text, minLength: 2 }, { ...text, format: 'date' }]
      for (const value of values) {
        assert.deepEqual(breaking(document(value), document(list(value))), [])
        assert.deepEqual(breaking(document(value), document(list(value, { minItems: 1, uniqueItems: true }))), [])
        assert.notDeepEqual(breaking(document(list(value)), document(value)), [])
        assert.notDeepEqual(breaking(document(value), document(list(value, { minItems: 2 }))), [])
      }
      assert.deepEqual(breaking(document({ ...text, minLength: 2 }), document(list(text))), [])
      assert.notDeepEqual(breaking(document(text), document(list(whole))), [])
      assert.notDeepEqual(breaking(document(text), document(list({ ...text, minLength: 2 }))), [])
    })
  }

  it('breaks clients in JSON and in responses', () => {
    assert.notDeepEqual(breaking(body(text, 'application/json'), body(list(text), 'application/json')), [])
    const response = (schema: JsonSchema): Part =>
      generateDocument({ responses: { 200: { ...content(schema), headers: { a: { schema } } } } })
    assert.equal(breaking(response(text), response(list(text))).length, 2)
  })

  it('reports other changes of the form', () => {
    const form = (a: JsonSchema, rest: Part, required: string[] = []): Part =>
      generateDocument({
        requestBody: content({ ...object({ a, ...rest }, required) }, 'multipart/form-data'),
        responses: ok,
      })
    const rules = breaking(form(text, { b: text }), form(list(text), { b: whole, c: text }, ['c'])).map(
      ({ rule }) => rule,
    )
    assert.deepEqual(rules, ['request-property-type-changed', 'new-required-request-property'])
    assert.equal(breaking(form(text, { b: text }), form(list(text), {}))[0]?.rule, 'request-property-removed')
  })
})

describe('breaking(): defaults of parameters', () => {
  const rules = (before: JsonSchema, after: JsonSchema): string[] =>
    breaking(parameter(before), parameter(after)).map(({ rule }) => rule)
  const ten = { ...whole, default: 10 }

  it('reports a default that is changed, added or removed', () => {
    assert.deepEqual(rules(ten, { ...whole, default: 20 }), ['request-parameter-default-value-changed'])
    assert.deepEqual(rules(whole, ten), ['request-parameter-default-value-added'])
    assert.deepEqual(rules(ten, whole), ['request-parameter-default-value-removed'])
    assert.deepEqual(rules(ten, { allOf: [whole, { default: 10 }] }), [])
    assert.deepEqual(rules({ ...text, default: 'a' }, { ...list(text), default: ['a'] }), [])
    const [change] = breaking(parameter(ten), parameter({ ...whole, default: 20 }))
    assert.equal(change?.message, 'POST /a: the query parameter "a" has a different "default": 20 instead of 10')
    assert.equal(change.pointer, '/paths/~1a/post/parameters/0/schema/default')
  })

  it('ignores the default of a required parameter', () => {
    const required = (schema: JsonSchema): Part =>
      generateDocument({ parameters: [{ name: 'a', in: 'query', required: true, schema }], responses: ok })
    assert.deepEqual(breaking(required(ten), required(whole)), [])
  })
})
