import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonSchema } from '#src/validation/json-schema.js'
import { findJsonShape, type JsonShape } from '#src/validation/text/json-shape.js'

const object = { type: 'object' }
const NULL = { type: 'null' }
const OBJECT: JsonShape = { isList: false, canBeList: false }
const LIST: JsonShape = { isList: true, canBeList: true }

const SHAPES: readonly (readonly [title: string, schema: JsonSchema, shape: JsonShape | null])[] = [
  ['an object', object, OBJECT],
  ['a nullable object', { anyOf: [object, NULL] }, OBJECT],
  ['an object or null, by type', { type: ['object', 'null'] }, OBJECT],
  ['an object or null, by value', { enum: [{ a: 1 }, null] }, OBJECT],
  ['an object or a list', { type: ['object', 'array'], items: object }, { isList: false, canBeList: true }],
  ['a list of objects', { type: 'array', items: object }, LIST],
  ['a list of nullable objects', { type: 'array', items: { anyOf: [object, NULL] } }, LIST],
  ['a list of objects, by value', { const: [{ a: 1 }] }, LIST],
  ['a list of null, by value', { const: [null] }, LIST],
  ['a nullable string', { type: ['string', 'null'] }, null],
  ['a string or an object', { anyOf: [object, { type: 'string' }] }, null],
  ['a string or an object, by value', { enum: [{ a: 1 }, 'a'] }, null],
  ['a list of nullable strings', { type: 'array', items: { type: ['string', 'null'] } }, null],
  ['a list of strings, by value', { const: ['a'] }, null],
  ['only null', NULL, null],
  ['any value', {}, null],
]

describe('findJsonShape()', () => {
  for (const [title, schema, shape] of SHAPES) {
    const result = shape === null ? 'null' : 'the shape'
    it(`returns ${result} for ${title}`, () => assert.deepEqual(findJsonShape(schema, schema), shape))
  }
})
