import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { JsonSchema } from '#src/validation/json-schema.js'
import { projector } from '#src/validation/projection/projector.js'
import { StructureError } from '#src/validation/projection/structures.js'
import { convertText, parseScalar } from '#src/validation/text/convert-text.js'
import { findTextMembers, type TextType } from '#src/validation/text/text-type.js'

function typed(type: string): TextType {
  const found = findTextMembers({ properties: { key: { type } } })?.types.get('key')
  assert.ok(found)
  return found
}

const numberLike = fc.stringMatching(/^[-+ ]?[0-9]{0,4}[.eEx_ ]?[-+]?[0-9]{0,3}$/)

describe('convertText()', () => {
  it('parses formatted integers and booleans', () => {
    fc.assert(fc.property(fc.maxSafeInteger(), (n) => assert.equal(convertText(String(n), typed('integer')), n)))
    fc.assert(fc.property(fc.boolean(), (b) => assert.equal(convertText(String(b), typed('boolean')), b)))
  })

  it('parses JSON numbers like JSON, and nothing else as a number', () => {
    const asJson = (text: string): unknown => {
      try {
        const value: unknown = JSON.parse(text)
        return text.trim() === text && typeof value === 'number' && Number.isFinite(value) ? value + 0 : text
      } catch {
        return text
      }
    }
    const text = fc.oneof(numberLike, fc.string(), fc.double().map(String))
    fc.assert(fc.property(text, (text) => assert.equal(convertText(text, typed('number')), asJson(text))))
  })

  it('converts only integers in canonical form, and fractions of JSON', () => {
    const check = (text: string): void => {
      const value = convertText(text, typed('integer'))
      if (value === text || text === '-0') return
      assert.equal(Number.isInteger(value) ? String(value) : value, Number.isInteger(value) ? text : JSON.parse(text))
    }
    fc.assert(fc.property(fc.oneof(numberLike, fc.string()), check), {
      examples: [['1e-1'], ['1.5'], ['1e3'], ['1.0']],
    })
  })

  it('returns scalars only for strings that JSON parses to the same value', () => {
    fc.assert(
      fc.property(fc.oneof(numberLike, fc.string()), (text) => {
        const value = parseScalar(text)
        if (value === undefined) return
        const read: unknown = JSON.parse(text)
        // Verbena converts a negative zero to zero.
        assert.equal(value, Object.is(read, -0) ? 0 : read)
      }),
    )
  })
})

const KEYS = ['a', 'b', 'c', '__proto__', 'toString']
const { shape } = fc.letrec<{ shape: JsonSchema }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 4 },
    fc.constant({ type: 'string' }),
    fc
      .dictionary(fc.constantFrom(...KEYS), tie('shape'), { noNullPrototype: true })
      .map((properties) => ({ type: 'object', properties })),
    tie('shape').map((items) => ({ type: 'array', items })),
  ),
}))
const { data } = fc.letrec<{ data: unknown }>((tie) => ({
  data: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('text', 1, true, null),
    fc.dictionary(fc.constantFrom(...KEYS, 'x'), tie('data')),
    fc.array(tie('data'), { maxLength: 3 }),
  ),
}))

function isWithin(value: unknown, schema: unknown): boolean {
  const { type, properties, items } = Object(schema)
  if (typeof value !== 'object' || value === null) return true
  if (type !== (Array.isArray(value) ? 'array' : 'object')) return false
  if (Array.isArray(value)) return value.every((item) => isWithin(item, items))
  return Object.entries(value).every(([key, member]) => {
    return Object.hasOwn(properties, key) && isWithin(member, properties[key])
  })
}

/** A slow implementation of `projector`. Returns `REJECTED` if the value contains an object or array of another type. */
function naive(value: unknown, schema: unknown): unknown {
  try {
    return describedPart(value, schema)
  } catch {
    return REJECTED
  }
}

const REJECTED = 'rejected'

function describedPart(value: unknown, schema: unknown): unknown {
  const { type, properties, items } = Object(schema)
  if (typeof value !== 'object' || value === null) return value
  if (type !== (Array.isArray(value) ? 'array' : 'object')) throw new Error('Another type')
  if (Array.isArray(value)) return value.map((item) => describedPart(item, items))
  const described = Object.entries(value).filter(([key]) => Object.hasOwn(properties, key))
  return Object.fromEntries(described.map(([key, member]) => [key, describedPart(member, properties[key])]))
}

describe('projector()', () => {
  const project = (schema: JsonSchema, value: unknown): unknown => {
    try {
      return projector(schema)?.(value) ?? value
    } catch (error) {
      assert.ok(error instanceof StructureError)
      return REJECTED
    }
  }

  it('keeps only declared keys at each depth', () => {
    fc.assert(fc.property(shape, data, (schema, value) => assert.ok(isWithin(project(schema, value), schema))))
  })

  it('keeps all declared keys in the order of the value', () => {
    fc.assert(
      fc.property(shape, data, (schema, value) => {
        assert.equal(JSON.stringify(project(schema, value)), JSON.stringify(naive(value, schema)))
      }),
    )
  })

  it('accepts an object whose prototype has properties', () => {
    fc.assert(
      fc.property(shape, fc.dictionary(fc.constantFrom(...KEYS, 'x'), data), data, (schema, own, inherited) => {
        const value = Object.defineProperties(Object.create(Object(inherited)), Object.getOwnPropertyDescriptors(own))
        assert.equal(JSON.stringify(project(schema, value)), JSON.stringify(naive(own, schema)))
      }),
    )
  })

  it('returns clean data unchanged, and is idempotent', () => {
    fc.assert(
      fc.property(shape, data, (schema, value) => {
        const kept = project(schema, value)
        assert.equal(project(schema, kept), kept)
        if (isWithin(value, schema)) assert.equal(kept, value)
      }),
    )
  })

  it('does not change the value', () => {
    fc.assert(
      fc.property(shape, data, (schema, value) => {
        const before = JSON.stringify(value)
        project(schema, value)
        assert.equal(JSON.stringify(value), before)
      }),
    )
  })
})
