/** Schemas of bodies and answers: objects, lists and unions. */
import type { JsonSchema } from 'verbena'
import { bothDocuments, testRows, type Row } from '#test/documents.js'

const text = { type: 'string' }
const whole = { type: 'integer' }
const object = (properties: object, required: readonly string[] = [], rest: object = {}): JsonSchema => ({
  type: 'object',
  properties,
  required,
  ...rest,
})
const a = (schema: JsonSchema): JsonSchema => object({ a: schema }, ['a'])

const MEMBERS: readonly Row[] = [
  [
    'an optional member',
    object({}),
    object({ a: text }),
    {},
    { request: ['property-removed'], response: ['optional-property-removed'] },
  ],
  [
    'a required member',
    object({}),
    object({ a: text }, ['a']),
    { request: ['new-required-property'] },
    { request: ['property-removed'], response: ['required-property-removed'] },
  ],
  [
    'a required member with a default',
    object({}),
    object({ a: { default: 'a' } }, ['a']),
    { request: ['new-required-property-with-default'] },
    { request: ['property-removed'], response: ['required-property-removed'] },
  ],
  [
    'a member that becomes required',
    object({ a: text }),
    a(text),
    { request: ['property-became-required'] },
    { response: ['property-became-optional'] },
  ],
  [
    'a required member without a schema',
    object({}),
    object({}, ['a']),
    { request: ['new-required-property'] },
    { response: ['property-became-optional'] },
  ],
  ['a member that was deprecated', object({ a: { ...text, deprecated: true } }), object({}), {}, {}],
  [
    'no additional members',
    object({ a: text }),
    object({ a: text }, [], { additionalProperties: false }),
    { request: ['body-additional-properties-removed'] },
    {},
  ],
  [
    'additional members of another type',
    { additionalProperties: text },
    { additionalProperties: whole },
    bothDocuments('property-type-changed'),
    bothDocuments('property-type-changed'),
  ],
  [
    'additional members of any type',
    { additionalProperties: text },
    {},
    { response: ['property-list-of-types-widened', 'property-became-nullable'] },
    { request: ['property-list-of-types-narrowed', 'property-became-not-nullable'] },
  ],
  [
    'additional members that are removed',
    { additionalProperties: text },
    { additionalProperties: false },
    { request: ['body-additional-properties-removed'] },
    {},
  ],
  ['any members', object({ a: text }), { type: 'object' }, { response: ['optional-property-removed'] }, {}],
  ['parts of one object', object({ a: text, b: whole }, ['a']), { allOf: [a(text), object({ b: whole })] }, {}, {}],
  [
    'a member in two parts',
    { allOf: [object({ a: text }), object({ a: { minLength: 2 } })] },
    object({ a: { ...text, minLength: 2 } }),
    {},
    {},
  ],
]

const LISTS: readonly Row[] = [
  [
    'items of another type',
    { type: 'array', items: text },
    { type: 'array', items: whole },
    bothDocuments('property-type-changed'),
    bothDocuments('property-type-changed'),
  ],
  ['items of a type', { type: 'array' }, { type: 'array', items: {} }, {}, {}],
  [
    'another type at a position',
    { prefixItems: [text, whole] },
    { prefixItems: [text, text] },
    bothDocuments('property-type-changed'),
    bothDocuments('property-type-changed'),
  ],
  ['positions for items', { items: text }, { prefixItems: [text], items: text }, {}, {}],
  [
    'the data of events',
    { ...text, contentSchema: a(text) },
    { ...text, contentSchema: a(whole) },
    bothDocuments('property-type-changed'),
    bothDocuments('property-type-changed'),
  ],
  [
    'events with data',
    text,
    { ...text, contentSchema: whole },
    { request: ['property-list-of-types-narrowed', 'property-became-not-nullable'] },
    { response: ['property-list-of-types-widened', 'property-became-nullable'] },
  ],
]

const card = object({ kind: { const: 'card' }, number: text }, ['kind', 'number'])
const cash = object({ kind: { const: 'cash' } }, ['kind'])
const UNIONS: readonly Row[] = [
  [
    'one more alternative',
    { anyOf: [card, text] },
    { anyOf: [card, text, whole] },
    { response: ['body-any-of-added'] },
    { request: ['body-any-of-removed'] },
  ],
  [
    'one more alternative of a oneOf',
    { oneOf: [card, cash] },
    { oneOf: [card, cash, text] },
    { response: ['body-one-of-added'] },
    { request: ['body-one-of-removed'] },
  ],
  ['alternatives in another order', { anyOf: [card, cash] }, { anyOf: [cash, card] }, {}, {}],
  ['a union of one', card, { anyOf: [card] }, {}, {}],
  [
    'a union instead of a type',
    text,
    { anyOf: [text, whole] },
    { response: ['body-any-of-added'] },
    { request: ['body-any-of-removed'] },
  ],
  ['a list of types instead of a union', { anyOf: [text, whole] }, { type: ['string', 'integer'] }, {}, {}],
  [
    'a type that is in no alternative',
    { type: ['string', 'integer'] },
    { anyOf: [text, { type: 'boolean' }] },
    { request: ['body-type-changed'], response: ['body-any-of-added'] },
    { request: ['body-any-of-removed'], response: ['body-type-changed'] },
  ],
  ['a number in a union', { type: ['number', 'string'] }, { anyOf: [{ type: 'number' }, text] }, {}, {}],
  [
    'a member of one alternative',
    { anyOf: [cash, card] },
    { anyOf: [cash, object({ kind: { const: 'card' }, number: text, pin: text }, ['kind', 'number', 'pin'])] },
    { request: ['new-required-property'] },
    { request: ['property-removed'], response: ['required-property-removed'] },
  ],
  ['unions in two parts', { allOf: [{ anyOf: [text, whole] }, { anyOf: [text, { type: 'boolean' }] }] }, text, {}, {}],
]

testRows('members', MEMBERS)
testRows('lists', LISTS)
testRows('unions', UNIONS)
