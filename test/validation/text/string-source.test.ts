import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonSchema } from '#src/validation/json-schema.js'
import type { Schema } from '#src/validation/schema.js'
import type { RawText } from '#src/validation/text/convert-text.js'
import { textSource } from '#src/validation/text/string-source.js'
import { readIssues } from '#test/issues.js'

type Validate = (value: unknown) => unknown

const accept: Validate = (value) => ({ value })

function schemaOf(description: JsonSchema | undefined, validate: Validate = accept, lenient = false): Schema {
  const input = (options: { readonly libraryOptions?: unknown }): unknown => {
    if (lenient && Object(options.libraryOptions)['unrepresentable'] === undefined) throw new Error('strict')
    return description
  }
  const jsonSchema = description === undefined ? undefined : { input, output: input }
  return { '~standard': { version: 1, vendor: 'own', validate, jsonSchema } }
}

function read(schema: Schema, raw: RawText, narrow = false): unknown {
  const outcome = textSource(schema, {}, narrow ? 'environment' : 'fields').read(raw)
  assert.ok(!(outcome instanceof Promise))
  return readIssues(outcome) ?? { ...Object(outcome.value) }
}

function member(schema: JsonSchema, rest: Record<string, unknown> = {}): Schema {
  return schemaOf({ type: 'object', properties: { k: schema }, ...rest })
}

const text = { type: 'string' }

const TABLE: readonly (readonly [title: string, schema: JsonSchema, sent: string | string[], got: unknown])[] = [
  ['an integer', { type: 'integer' }, '-12', -12],
  ['zero with a sign', { type: 'integer' }, '-0', 0],
  ['no exponent in an integer', { type: 'integer' }, '1e3', '1e3'],
  ['no space', { type: 'integer' }, ' 5', ' 5'],
  ['a fraction for an integer, so that the validator can name it', { type: 'integer' }, '1.5', 1.5],
  ['no integer with a decimal point', { type: 'integer' }, '1.0', '1.0'],
  ['no hexadecimal', { type: 'number' }, '0x10', '0x10'],
  ['no empty string', { type: 'integer' }, '', ''],
  ['no leading zero', { type: 'integer' }, '007', '007'],
  ['no unsafe integer', { type: 'integer' }, '9007199254740993', '9007199254740993'],
  ['a JSON number', { type: 'number' }, '-1.5e3', -1500],
  ['no infinity', { type: 'number' }, '1e999', '1e999'],
  ['no NaN', { type: 'number' }, 'NaN', 'NaN'],
  ['true', { type: 'boolean' }, 'true', true],
  ['false', { type: 'boolean' }, 'false', false],
  ['no other boolean', { type: 'boolean' }, 'TRUE', 'TRUE'],
  ['a boolean or an integer', { type: ['boolean', 'integer'] }, '1', 1],
  ['a string if strings are allowed', { type: ['string', 'integer'] }, '5', '5'],
  ['null like any other string', { type: ['integer', 'null'] }, 'null', 'null'],
  ['one value as an array', { type: 'array', items: { type: 'integer' } }, '1', [1]],
  ['an array', { type: 'array', items: { type: 'integer' } }, ['1', 'x'], [1, 'x']],
  ['an array of one', { type: 'integer' }, ['1'], 1],
  ['an array of anything', { type: 'array' }, ['1', '2'], ['1', '2']],
  ['a literal beside a number', { anyOf: [{ type: 'integer' }, { const: 'all' }] }, 'all', 'all'],
  ['a number beside a literal', { anyOf: [{ type: 'integer' }, { const: 'all' }] }, '5', 5],
  ['a number beside its literal', { enum: [10, '10'] }, '10', '10'],
  ['a literal of a type', { type: 'string', enum: ['a'], minLength: 1 }, '5', '5'],
  ['literals of an intersection', { allOf: [{ enum: ['1', 2] }, { enum: ['1', '2', 2] }] }, ['1'], '1'],
  ['a number that another part excludes as a string', { allOf: [{ enum: ['1', 2] }, { enum: [1, 2] }] }, '1', 1],
  ['a literal or a list: the literal', { anyOf: [{ const: 'all' }, { type: 'array' }] }, 'all', 'all'],
  ['a literal or a list: an item', { anyOf: [{ const: 'all' }, { type: 'array' }] }, 'x', ['x']],
  ['items that are literals or numbers', { type: 'array', items: { enum: ['all', 1] } }, ['all', '1'], ['all', 1]],
  ['a string with a condition beside a number', { type: ['string', 'integer'], minLength: 2 }, '5', '5'],
  ['a condition without a type', { pattern: '^5' }, '5', '5'],
  ['a condition without a type, several', { pattern: '^5' }, ['5', '6'], ['5', '6']],
  ['conditions in parts', { allOf: [{ type: ['string', 'integer'] }, { pattern: '5' }, { minLength: 1 }] }, '5', '5'],
  ['a union with a condition only', { anyOf: [{ type: 'integer' }, { pattern: '5' }] }, '5', '5'],
  ['a tuple of two kinds', { type: 'array', prefixItems: [{ type: 'integer' }, text] }, ['1', '2'], [1, '2']],
  ['the only item of a tuple', { type: 'array', prefixItems: [{ type: 'integer' }, text] }, '1', [1]],
  [
    'a tuple with further items',
    { type: 'array', prefixItems: [text], items: { type: 'integer' } },
    ['1', '2', '3'],
    ['1', 2, 3],
  ],
  [
    'more items than a tuple has',
    { type: 'array', prefixItems: [{ type: 'integer' }], items: false },
    ['1', '2'],
    [1, '2'],
  ],
  [
    'a union of tuples',
    {
      anyOf: [
        { type: 'array', prefixItems: [{ type: 'integer' }, text] },
        { type: 'array', items: { type: 'boolean' } },
        { type: 'integer' },
      ],
    },
    ['1', 'true'],
    [1, 'true'],
  ],
  [
    'an intersection of tuples',
    {
      allOf: [
        { type: 'array', prefixItems: [{ type: 'number' }, text] },
        { type: ['array', 'string'], prefixItems: [{ type: 'integer' }] },
      ],
    },
    ['1', '2'],
    [1, '2'],
  ],
  [
    'an intersection that excludes arrays',
    { allOf: [{ type: ['array', 'integer'], prefixItems: [text] }, { type: 'integer' }] },
    '1',
    1,
  ],
  ['a tuple of one kind', { type: 'array', prefixItems: [{ type: 'integer' }], items: false }, ['1'], [1]],
  ['arrays of arrays', { type: 'array', items: { type: 'array', items: { type: 'integer' } } }, '1', [[1]]],
  ['one value or an array: the value', { anyOf: [{ type: 'integer' }, { type: 'array' }] }, '1', 1],
  ['one value or an array: rejected', { anyOf: [{ type: 'integer' }, { type: 'array' }] }, 'x', 'x'],
  [
    'one value or a list: text',
    { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'integer' } }] },
    '1',
    '1',
  ],
  ['a number constant', { const: 5 }, '5', 5],
  ['constants', { enum: [1, true, null] }, 'true', true],
  ['an empty enumeration', { enum: [] }, '5', '5'],
  ['an empty schema', {}, '5', '5'],
  ['an empty schema, an array', {}, ['5', '6'], ['5', '6']],
  ['anything', true, '5', '5'],
  ['no known type', { type: ['object', 'other'] }, '5', '5'],
  ['no type', { type: [] }, '5', '5'],
  ['an intersection', { allOf: [{ type: 'number' }, { type: 'integer' }, { minimum: 1 }] }, '5', 5],
  ['an intersection of strings', { allOf: [text, text] }, '5', '5'],
  ['an intersection with a string', { allOf: [text, { type: ['integer', 'string'] }] }, '5', '5'],
  ['an intersection of booleans', { allOf: [{ type: 'boolean' }, { enum: [true] }] }, 'true', true],
  [
    'an intersection of lists',
    {
      allOf: [
        { type: 'array', items: { type: 'number' } },
        { type: 'array', items: { type: 'integer' } },
      ],
    },
    '5',
    [5],
  ],
  [
    'a union of lists',
    {
      oneOf: [
        { type: 'array', items: { const: 1 } },
        { type: 'array', items: { const: true } },
      ],
    },
    ['1', 'true'],
    [1, true],
  ],
  ['a union with anything', { anyOf: [{ type: 'integer' }, {}] }, '5', '5'],
  ['a reference', { $ref: '#/$defs/Id' }, '5', 5],
  ['an escaped reference', { $ref: '#/$defs/a~1b%20c' }, '5', 5],
  ['a dangling reference', { $ref: '#/$defs/None/deeper' }, '5', '5'],
  ['a reference to another document', { $ref: 'other.json' }, '5', '5'],
  ['an invalid reference', { $ref: '#/%' }, '5', '5'],
  ['a reference to itself', { $ref: '#/properties/k' }, '5', '5'],
]

const $defs = { Id: { type: 'integer' }, 'a/b c': { type: 'integer' } }

describe('textSource().read() with JSON Schema', () => {
  for (const [title, schema, sent, got] of TABLE) {
    it(`converts strictly: ${title}`, () => {
      assert.deepEqual(read(member(schema, { $defs }), { k: sent }), { k: got })
    })
  }

  it('omits missing and undefined keys, and does not read inherited keys', () => {
    const schema = schemaOf({ type: 'object', properties: { toString: { type: 'string' }, k: { type: 'integer' } } })
    assert.deepEqual(read(schema, { k: undefined }, true), {})
  })

  it('passes an object without a prototype, with `__proto__` as a key', () => {
    const raw = JSON.parse('{"__proto__":"5"}')
    const source = textSource(schemaOf({ type: 'object', additionalProperties: { type: 'integer' } }), {})
    const outcome = source.read(raw)
    assert.ok(!(outcome instanceof Promise))
    assert.equal(Object(outcome.value).toString, undefined)
    assert.deepEqual(Object.entries(Object(outcome.value)), [['__proto__', 5]])
  })

  it('rejects several values if the schema describes one, even if the validator accepts them', () => {
    const several = { pointer: '/k', message: 'Expected one value' }
    assert.deepEqual(read(member({ type: 'string' }), { k: ['a', 'b'] }), [several])
    const issues = [
      { message: 'No list', path: ['k'] },
      { message: 'No list', path: ['k', 0] },
      { message: 'Missing', path: ['kind'] },
    ]
    const strict = schemaOf({ type: 'object', properties: { k: { type: 'string' } } }, () => ({ issues }))
    assert.deepEqual(read(strict, { k: ['a', 'b'] }), [several, { pointer: '/kind', message: 'Missing' }])
  })

  it('returns the outcome of an asynchronous schema', async () => {
    const schema = schemaOf({ type: 'object', properties: { k: { type: 'integer' } } }, async (value) => ({ value }))
    const source = textSource(schema, {})
    assert.deepEqual({ ...Object((await source.read({ k: '1' })).value) }, { k: 1 })
    assert.deepEqual(readIssues(await source.read({ k: ['1', '2'] })), [
      { pointer: '/k', message: 'Expected one value' },
    ])
  })
})

describe('textSource().keys', () => {
  const keysOf = (description: JsonSchema | undefined): unknown =>
    textSource(schemaOf(description), {}, 'environment').keys

  it('lists the described keys, through references, intersections and unions', () => {
    const properties = (...keys: string[]): JsonSchema => ({
      type: 'object',
      properties: Object.fromEntries(keys.map((key) => [key, {}])),
    })
    assert.deepEqual(keysOf(properties('a', 'b')), ['a', 'b'])
    assert.deepEqual(keysOf({ $ref: '#/$defs/A', $defs: { A: properties('a') } }), ['a'])
    assert.deepEqual(keysOf({ allOf: [properties('a'), properties('b')] }), ['a', 'b'])
    assert.deepEqual(keysOf({ oneOf: [properties('a'), properties('b')] }), ['a', 'b'])
    assert.deepEqual(keysOf({ type: 'object', additionalProperties: false }), [])
  })

  it('lists the names of a record that lists them', () => {
    const named = { propertyNames: { enum: ['a', 'b'] }, additionalProperties: { type: 'integer' } }
    assert.deepEqual(textSource(schemaOf(named), {}).keys, ['a', 'b'])
    assert.deepEqual(read(schemaOf(named), { a: '1', b: '2', other: '3' }, true), { a: 1, b: 2 })
    const open = { propertyNames: { pattern: '^x' }, additionalProperties: { type: 'integer' } }
    assert.equal(textSource(schemaOf(open), {}).keys, undefined)
  })

  it('is undefined if any key is allowed or the keys are unknown', () => {
    for (const description of [
      { type: 'object', properties: { a: {} }, additionalProperties: {} },
      { type: 'object', patternProperties: { '^x-': {} } },
      { type: 'object' },
      true,
      undefined,
    ]) {
      assert.equal(keysOf(description), undefined)
    }
  })

  it('reads only described keys if isNarrow is set', () => {
    const schema = schemaOf({ type: 'object', properties: { a: { type: 'integer' }, b: {} } })
    assert.deepEqual(read(schema, { a: '1', c: '2' }, true), { a: 1 })
    assert.deepEqual(read(schema, { a: '1', c: '2' }, false), { a: 1, c: '2' })
  })
})

describe('textSource().read() of a union of objects', () => {
  const branch = (kind: string, k: JsonSchema): JsonSchema => ({
    type: 'object',
    properties: { kind: { const: kind }, k },
    required: ['kind'],
  })

  it('tries another form of a key that is a string in only one branch', () => {
    const validate = (value: unknown): unknown => {
      const wanted = Object(value).kind === 'n' ? 'number' : 'string'
      const message = `Expected ${wanted}`
      return typeof Object(value).k === wanted ? { value } : { issues: [{ message, path: ['k'] }] }
    }
    const union = { oneOf: [branch('n', { type: 'number' }), branch('s', { type: 'string' }), { type: 'object' }] }
    assert.deepEqual(read(schemaOf(union, validate), { kind: 'n', k: '5' }), { kind: 'n', k: 5 })
    assert.deepEqual(read(schemaOf(union, validate), { kind: 's', k: '5' }), { kind: 's', k: '5' })
  })

  it('reads a schema that contains itself', () => {
    const schema = schemaOf({ properties: { k: { type: 'integer' } }, anyOf: [{ $ref: '#' }, { type: 'null' }] })
    assert.deepEqual(read(schema, { k: '5' }), { k: 5 })
  })
})

describe('textSource().read() with incomplete JSON Schema', () => {
  const date: Validate = (value) => {
    const { d, n } = Object(value)
    const issues = [
      ...(d instanceof Date || d === 5 ? [] : [{ message: 'Expected date', path: ['d'] }]),
      ...(n === undefined || typeof n === 'number' ? [] : [{ message: 'Expected number', path: ['n'] }]),
    ]
    return issues.length === 0 ? { value } : { issues }
  }

  it('converts described keys, and tries other forms of unknown ones', () => {
    const description = { type: 'object', properties: { d: {}, n: { type: 'number' } } }
    assert.deepEqual(read(schemaOf(description, date, true), { d: '5', n: '6' }), { d: 5, n: 6 })
    assert.deepEqual(read(schemaOf(description, date, true), { d: '7', n: 'x' }), [
      { pointer: '/d', message: 'Expected date' },
      { pointer: '/n', message: 'Expected number' },
    ])
  })

  it('tries alternative values for additional keys whose type is unknown', () => {
    const loose = { type: 'object', properties: { n: { type: 'number' } }, additionalProperties: {} }
    assert.deepEqual(read(schemaOf(loose, date, true), { d: '5', n: '6' }), { d: 5, n: 6 })
    assert.deepEqual(read(schemaOf(loose, date), { d: '5', n: '6' }), [{ pointer: '/d', message: 'Expected date' }])
  })

  it('tries other forms of items whose type is unknown', () => {
    const list: Validate = (value) => {
      const { k } = Object(value)
      if (!Array.isArray(k)) return { issues: [{ message: 'Expected list', path: ['k'] }] }
      const at = k.findIndex((item) => typeof item !== 'number')
      return at < 0 ? { value } : { issues: [{ message: 'Expected number', path: ['k', at] }] }
    }
    const description = { type: 'object', properties: { k: { type: 'array', items: {} } } }
    assert.deepEqual(read(schemaOf(description, list, true), { k: ['5'] }), { k: [5] })
  })
})
