/** Settings from environment variables: conversion, and error messages without values. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type } from 'arktype'
import * as v from 'valibot'
import { environment, SetupError } from 'verbena'
import * as z from 'zod'
import * as mini from 'zod/mini'
import { assertSetupError } from '#test/apps.js'

const SECRET = 'hunter2-hunter2'

/** The same settings in each library. */
const SCHEMAS = {
  zod: z.object({ KEY: z.string(), PORT: z.int(), DEBUG: z.boolean(), RATE: z.number().optional() }),
  'zod, strict': z.strictObject({ KEY: z.string(), PORT: z.int(), DEBUG: z.boolean(), RATE: z.number().optional() }),
  'zod/mini': mini.object({
    KEY: mini.string(),
    PORT: mini.int(),
    DEBUG: mini.boolean(),
    RATE: mini.optional(mini.number()),
  }),
  valibot: v.object({
    KEY: v.string(),
    PORT: v.pipe(v.number(), v.integer()),
    DEBUG: v.boolean(),
    RATE: v.optional(v.number()),
  }),
  arktype: type({ KEY: 'string', PORT: 'number.integer', DEBUG: 'boolean', 'RATE?': 'number' }),
}

function messageOf(task: () => unknown): string {
  try {
    task()
  } catch (error) {
    assert.ok(error instanceof SetupError)
    assert.deepEqual([error.code, error.cause], ['ENVIRONMENT_INVALID', undefined])
    assert.doesNotMatch(JSON.stringify(error, Object.getOwnPropertyNames(error)), /hunter2/)
    return error.message
  }
  return assert.fail('it is accepted')
}

describe('environment()', () => {
  for (const [library, schema] of Object.entries(SCHEMAS)) {
    it(`converts strings as in a query, and omits variables that are not in the schema (${library})`, () => {
      const given = { KEY: '42', PORT: '8080', DEBUG: 'false', HOME: '/root', TOKEN: undefined }
      const read: Record<string, unknown> = environment(schema, given)
      const { KEY, PORT, DEBUG, RATE } = read
      assert.deepEqual({ KEY, PORT, DEBUG, RATE }, { KEY: '42', PORT: 8080, DEBUG: false, RATE: undefined })
    })

    it(`names all missing and invalid variables, but no values (${library})`, () => {
      const message = messageOf(() => environment(schema, { PORT: SECRET, RATE: `${SECRET}!` }))
      const [, missing, wrong] =
        /: (.*) are missing, (.*) are invalid\. Set each to a value that the schema accepts$/.exec(message) ?? []
      assert.deepEqual(missing?.split(', ').toSorted(), ['"DEBUG"', '"KEY"'])
      assert.deepEqual(wrong?.split(', ').toSorted(), ['"PORT"', '"RATE"'])
    })
  }

  it('reads process.env by default', () => {
    process.env['VERBENA_TEST_PORT'] = '81'
    const schema = z.object({ VERBENA_TEST_PORT: z.int() })
    assert.deepEqual(environment(schema), { VERBENA_TEST_PORT: 81 })
    delete process.env['VERBENA_TEST_PORT']
    assert.equal(
      messageOf(() => environment(schema)),
      'Cannot read the environment: "VERBENA_TEST_PORT" is missing. Set each to a value that the schema accepts',
    )
  })

  it('accepts an empty string as a string, but not as a number', () => {
    assert.deepEqual(environment(z.object({ KEY: z.string() }), { KEY: '' }), { KEY: '' })
    assert.match(
      messageOf(() => environment(z.object({ PORT: z.int() }), { PORT: '' })),
      /: "PORT" is invalid\./,
    )
  })

  it('names an invalid variable once, and reports a failed rule for the schema as a whole', () => {
    const both = z.object({ A: z.string().min(90).regex(/x/), B: z.string().optional() })
    assert.match(
      messageOf(() => environment(both, { A: SECRET })),
      /: "A" is invalid\. /,
    )
    const whole = both.refine(() => false, { message: SECRET, path: [] })
    const given = { A: 'x'.repeat(90) }
    assert.match(
      messageOf(() => environment(whole, given)),
      /: a rule for the schema as a whole failed\. /,
    )
  })

  const standard = (validate: () => unknown) => ({ '~standard': { version: 1, vendor: 'own', validate } as const })
  const fail = (): never => {
    throw new Error(SECRET)
  }
  const FAILING = {
    'that throws (zod)': z.object({ KEY: z.string().transform(fail) }),
    'that throws (valibot)': v.object({ KEY: v.pipe(v.string(), v.transform(fail)) }),
    'that is asynchronous (zod)': z.object({ KEY: z.string() }).refine(async () => true),
    'that rejects a promise': standard(async () => fail()),
  }
  for (const [about, schema] of Object.entries(FAILING)) {
    it(`rejects a schema ${about}, and does not quote its error`, async () => {
      const message = messageOf(() => environment(schema, { KEY: SECRET }))
      assert.match(message, /: the schema throws or is asynchronous\. Use a synchronous schema /)
      // The rejected promise must not end the process.
      await new Promise((resolve) => setImmediate(resolve))
    })
  }

  it('rejects values that are not schemas', () => {
    const loose: unknown = environment
    // Proof: only the type restricts the parameter.
    const read = loose as (schema: unknown) => unknown
    for (const schema of [undefined, {}, { PORT: 'number' }]) {
      assertSetupError(
        () => read(schema),
        'SCHEMA_INVALID',
        'Cannot use environment(…): its first argument is not a schema',
      )
    }
  })
})
