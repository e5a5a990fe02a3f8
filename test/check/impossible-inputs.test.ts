/** `app.check()`: inputs that no request can match, because they must be a Date or a bigint. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { form, provide, Route, text } from 'verbena'
import * as z from 'zod'
import * as mini from 'zod/mini'
import { createUntypedApp, looseContract } from '#test/apps.js'

function check(contract: object, options: object = {}) {
  class Probe extends Route {
    static readonly post = looseContract(this, contract)
    post() {}
  }
  const app = createUntypedApp({ routes: { Probe }, ...options })
  return app.check().filter(({ code }) => code === 'INPUT_IMPOSSIBLE')
}

/** Returns the places that are reported. */
function places(contract: object, options: object = {}): (string | undefined)[] {
  return check(contract, options).map(({ message }) => / at "(.*)",/.exec(message)?.[1])
}

const valibot = { jsonSchema: { valibot: toJsonSchema } }

/** Like a schema of Effect: the validator accepts a Date or a bigint, and the JSON Schema describes the strings of its codec. */
const decoded = {
  '~standard': {
    ...z.object({ at: z.date(), n: z.bigint().optional(), all: z.array(z.date()), name: z.string() })['~standard'],
    jsonSchema: { input: () => OF_CODEC, output: () => OF_CODEC },
  },
}
const TEXT = { type: 'string' }
const OF_CODEC = {
  type: 'object',
  properties: { at: TEXT, n: { ...TEXT }, all: { type: 'array', items: TEXT }, name: { ...TEXT } },
  required: ['at', 'all', 'name'],
  additionalProperties: true,
}

const REPORTED: readonly (readonly [about: string, contract: object, place: string, options?: object])[] = [
  ['zod', { body: z.object({ name: z.string(), at: z.date() }) }, '/at'],
  ['a whole body', { body: z.date() }, ''],
  ['an optional date', { body: z.object({ at: z.date().optional() }) }, '/at'],
  ['a nullable date', { body: z.object({ at: z.date().nullable() }) }, '/at'],
  ['a date with a refinement', { body: z.object({ at: z.date().min(new Date('1969-01-01')) }) }, '/at'],
  ['a bigint', { body: z.object({ n: z.bigint() }) }, '/n'],
  ['dates in a list', { body: z.object({ all: z.array(z.object({ at: z.date() })) }) }, '/all/*/at'],
  ['dates in a record', { body: z.object({ by: z.record(z.string(), z.date()) }) }, '/by/*'],
  ['valibot with a converter', { body: v.object({ at: v.date() }) }, '/at', valibot],
  ['valibot without a converter', { body: v.object({ at: v.date() }) }, '/at'],
  ['arktype', { body: type({ at: 'Date' }) }, '/at'],
  ['zod/mini', { body: mini.object({ at: mini.date() }) }, '/at'],
  ['a query', { query: z.object({ since: z.date() }) }, '/since'],
  ['a form', { body: form(z.object({ at: z.date() })) }, '/at'],
  ['a provider', { uses: { page: provide({ query: z.object({ since: z.date() }) }, () => 1) } }, '/since'],
  ['a response header', { returns: text({ headers: z.object({ expires: z.date() }) }) }, '/expires'],
]

const ACCEPTED: readonly (readonly [about: string, contract: object])[] = [
  [
    'a string, or an object with a string',
    { body: z.object({ at: z.union([z.string(), z.object({ id: z.string() })]) }) },
  ],
  ['a date that is converted', { body: z.object({ at: z.coerce.date() }) }],
  ['a date-time', { body: z.object({ at: z.iso.datetime().transform((at) => new Date(at)) }) }],
  ['a date or a string', { body: z.object({ at: z.union([z.date(), z.string()]) }) }],
  ['a date or a number', { body: z.object({ at: z.union([z.date(), z.number()]) }) }],
  ['any value', { body: z.object({ at: z.custom(() => true) }) }],
  ['another check', { body: z.object({ at: z.custom((value) => value === 'a') }) }],
  ['a check that throws', { body: z.object({ at: z.custom(() => assert.fail()) }) }],
  ['an asynchronous check', { body: z.object({ at: z.custom(async () => true) }) }],
  ['an asynchronous schema without JSON Schema', { body: v.objectAsync({ at: v.customAsync(async () => true) }) }],
  ['too many levels', { body: z.array(z.array(z.array(z.array(z.date())))) }],
  ['the response', { returns: z.object({ at: z.date() }) }],
]

describe('app.check(): INPUT_IMPOSSIBLE', () => {
  for (const [about, contract, place, options] of REPORTED) {
    it(`reports ${about}`, () => assert.deepEqual(places(contract, options), [place]))
  }

  it('reports dates of a union, of which one can be inside another', () => {
    const inner = z.object({ b: z.date() })
    assert.deepEqual(places({ body: z.object({ a: z.union([z.date(), inner]) }) }), ['/a', '/a/b'])
    assert.deepEqual(places({ body: z.object({ a: z.union([inner, z.date()]) }) }), ['/a/b', '/a'])
  })

  it('reports both dates that a rule compares', () => {
    const range = z.object({ start: z.date(), end: z.date() })
    const body = range.refine(({ start, end }) => end > start, { path: ['end'] })
    assert.deepEqual(places({ body }), ['/start', '/end'])
  })

  for (const [about, contract] of ACCEPTED) {
    it(`accepts ${about}`, () => assert.deepEqual(places(contract), []))
  }

  it('reports a validator that contradicts its JSON Schema, as in Effect', () => {
    assert.deepEqual(places({ body: decoded }), ['/at', '/n', '/all/*'])
    assert.deepEqual(places({ returns: decoded }), [])
  })

  it('says what to accept instead', () => {
    const [finding = assert.fail()] = check({ body: z.object({ at: z.date() }) })
    assert.equal(
      finding.message,
      'The schema of "body" accepts only a Date at "/at", but JSON and strings cannot contain one',
    )
    assert.match(finding.fix, /^Accept a string with a date-time, such as "z\.iso\.datetime\(\)", and convert it/)
  })
})
