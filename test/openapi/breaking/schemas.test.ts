/** Schemas of bodies and answers: types, values and bounds. */
import { bothDocuments, testRows, type Row } from '#test/documents.js'

const text = { type: 'string' }
const whole = { type: 'integer' }
const a = (schema: object): Row[1] => ({ type: 'object', properties: { a: schema }, required: ['a'] })
const constants = (...values: unknown[]) => ({ anyOf: values.map((value) => ({ const: value })) })

const TYPES: readonly Row[] = [
  ['another type', text, whole, bothDocuments('body-type-changed'), bothDocuments('body-type-changed')],
  [
    'another type of a member',
    a(text),
    a(whole),
    bothDocuments('property-type-changed'),
    bothDocuments('property-type-changed'),
  ],
  [
    'a number instead of an integer',
    whole,
    { type: 'number' },
    { response: ['body-type-generalized'] },
    { request: ['body-type-changed'] },
  ],
  [
    'one more type',
    text,
    { type: ['string', 'boolean'] },
    { response: ['body-list-of-types-widened'] },
    { request: ['body-list-of-types-narrowed'] },
  ],
  [
    'anything',
    text,
    {},
    { response: ['body-list-of-types-widened', 'body-became-nullable'] },
    { request: ['body-list-of-types-narrowed', 'body-became-not-nullable'] },
  ],
  ['true', true, {}, {}, {}],
  ['no value', text, false, { request: ['body-type-changed'] }, { response: ['body-type-changed'] }],
  [
    'a format',
    text,
    { ...text, format: 'date' },
    { request: ['body-type-changed'] },
    { response: ['body-type-changed'] },
  ],
  [
    'another format',
    { ...text, format: 'time' },
    { ...text, format: 'date' },
    bothDocuments('body-type-changed'),
    bothDocuments('body-type-changed'),
  ],
]

const NULLS: readonly Row[] = [
  [
    'null in a list of types',
    text,
    { type: ['string', 'null'] },
    { response: ['body-became-nullable'] },
    { request: ['body-became-not-nullable'] },
  ],
  [
    'null in a union',
    a(text),
    a({ anyOf: [text, { type: 'null' }] }),
    { response: ['property-became-nullable'] },
    { request: ['property-became-not-nullable'] },
  ],
  [
    'null in an enum',
    { enum: ['a'] },
    { enum: ['a', null] },
    { response: ['body-became-nullable'] },
    { request: ['body-became-not-nullable'] },
  ],
  ['null in another notation', { type: ['string', 'null'] }, { oneOf: [{ type: 'null' }, text] }, {}, {}],
  [
    'only null',
    { type: 'null' },
    text,
    { request: ['body-became-not-nullable'], response: ['body-type-changed'] },
    { request: ['body-type-changed'], response: ['body-became-nullable'] },
  ],
]

const LEAST = { minimum: 0.5, minLength: 1, minItems: 1, minProperties: 1 }
const VALUES: readonly Row[] = [
  [
    'one more value',
    { enum: ['a'] },
    { enum: ['a', 'b'] },
    { response: ['body-enum-value-added'] },
    { request: ['body-enum-value-removed'] },
  ],
  [
    'an enum',
    text,
    { ...text, enum: ['a'] },
    { request: ['body-became-enum'] },
    { response: ['body-enum-value-added'] },
  ],
  ['a constant', text, { const: 'a' }, { request: ['body-const-added'] }, { response: ['body-const-removed'] }],
  [
    'another constant',
    { const: 1 },
    { const: 2 },
    bothDocuments('body-const-changed'),
    bothDocuments('body-const-changed'),
  ],
  ['a constant for an enum', { enum: ['a'] }, { const: 'a' }, {}, {}],
  ['constants for an enum', { enum: ['a', 'b'] }, constants('a', 'b'), {}, {}],
  [
    'constants for a longer enum',
    { enum: ['a', 'b'] },
    constants('a', 'b', 'c'),
    { response: ['body-enum-value-added'] },
    { request: ['body-enum-value-removed'] },
  ],
  [
    'values of several types',
    { enum: [1, 'a', true, [], {}, 0.5] },
    { enum: [1, 'a', true, [], {}] },
    { request: ['body-type-changed'] },
    { response: ['body-type-generalized'] },
  ],
  [
    'values within a bound',
    { ...text, minLength: 1 },
    { enum: ['a', 'bc'] },
    { request: ['body-became-enum'] },
    { response: ['body-enum-value-added'] },
  ],
  [
    'values beyond a bound',
    { ...text, minLength: 2 },
    { enum: ['a', 'bc'] },
    { request: ['body-became-enum'], response: ['body-enum-value-added'] },
    { request: ['body-enum-value-removed'], response: ['body-enum-value-added'] },
  ],
  [
    'values of all types within bounds',
    { type: ['number', 'string', 'array', 'object'], ...LEAST },
    { enum: [1, 0.5, 'a', [1], { a: 1 }] },
    { request: ['body-became-enum'] },
    { response: ['body-enum-value-added'] },
  ],
  [
    'values of all types beyond bounds',
    { type: ['integer', 'string', 'array', 'object', 'boolean'], ...LEAST },
    { enum: [0, '', [], {}, true] },
    { request: ['body-became-enum'], response: Array.from({ length: 4 }, () => 'body-enum-value-added') },
    { request: Array.from({ length: 4 }, () => 'body-enum-value-removed'), response: ['body-enum-value-added'] },
  ],
  [
    'an enum without a possible value',
    text,
    { ...text, enum: [1] },
    { request: ['body-type-changed'] },
    { response: ['body-type-changed'] },
  ],
  [
    'two lists of values',
    { enum: ['a', 'b'] },
    { allOf: [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }] },
    { request: ['body-enum-value-removed'] },
    { response: ['body-enum-value-added'] },
  ],
]

const LOWER = ['minimum', 'minLength', 'minItems', 'minProperties']
const UPPER = ['maximum', 'maxLength', 'maxItems', 'maxProperties']
const ruleOf = (keyword: string, how: string): string =>
  `body-${keyword.replace('imum', '').replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)}-${how}`
const requests = (keyword: string, how: string) => ({ request: [ruleOf(keyword, how)] })
const responses = (keyword: string, how: string) => ({ response: [ruleOf(keyword, how)] })

const BOUNDS: readonly Row[] = [
  ...LOWER.flatMap((keyword): Row[] => [
    [keyword, {}, { [keyword]: 2 }, requests(keyword, 'set'), responses(keyword, 'unset')],
    [
      `a higher ${keyword}`,
      { [keyword]: 2 },
      { [keyword]: 3 },
      requests(keyword, 'increased'),
      responses(keyword, 'decreased'),
    ],
  ]),
  ...UPPER.flatMap((keyword): Row[] => [
    [keyword, {}, { [keyword]: 2 }, requests(keyword, 'set'), responses(keyword, 'unset')],
    [
      `a lower ${keyword}`,
      { [keyword]: 3 },
      { [keyword]: 2 },
      requests(keyword, 'decreased'),
      responses(keyword, 'increased'),
    ],
  ]),
  [
    'a bound that excludes its value',
    { minimum: 2 },
    { exclusiveMinimum: 2 },
    { request: ['body-exclusive-min-increased'] },
    { response: ['body-exclusive-min-decreased'] },
  ],
  [
    'a bound of integers in another form',
    { ...whole, exclusiveMinimum: 0, exclusiveMaximum: 9 },
    { ...whole, minimum: 1, maximum: 8 },
    {},
    {},
  ],
  ['a minimum length of 0', text, { ...text, minLength: 0 }, {}, {}],
  ['the narrower of two bounds', { minimum: 3 }, { allOf: [{ minimum: 1 }, { minimum: 3 }] }, {}, {}],
]

const WHOLE: readonly Row[] = [
  [
    'a pattern',
    text,
    { ...text, pattern: 'a' },
    { request: ['body-pattern-added'] },
    { response: ['body-pattern-removed'] },
  ],
  [
    'another pattern',
    { pattern: 'b' },
    { pattern: 'a' },
    bothDocuments('body-pattern-changed'),
    bothDocuments('body-pattern-changed'),
  ],
  [
    'unique items',
    {},
    { uniqueItems: true },
    { request: ['body-unique-items-added'] },
    { response: ['body-unique-items-removed'] },
  ],
  ['uniqueItems: false', {}, { uniqueItems: false }, {}, {}],
  [
    'a condition',
    {},
    { if: text, else: { minimum: 1 } },
    { request: ['body-if-added', 'body-else-added'] },
    { response: ['body-if-removed', 'body-else-removed'] },
  ],
  [
    'a negation with its keys in another order',
    { not: { type: 'string', minLength: 1 } },
    { not: { minLength: 1, type: 'string' } },
    {},
    {},
  ],
]

testRows('types', TYPES)
testRows('null', NULLS)
testRows('values', VALUES)
testRows('bounds', BOUNDS)
testRows('keywords that are the same or not', WHOLE)
