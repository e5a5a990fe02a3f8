import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'
import { describeSchema } from '#src/validation/describe-schema.js'
import { FlaggedPatterns } from '#src/validation/flagged-patterns.js'
import type { Schema } from '#src/validation/schema.js'
import { looseContract, sendRequest, createUntypedApp } from '#test/apps.js'
import { Route } from 'verbena'

const text = { type: 'string' }
const CONVERTERS = { valibot: toJsonSchema }

/** Schemas of the three libraries for one pattern. */
const VENDORS: Readonly<Record<string, (pattern: RegExp) => Schema>> = {
  zod: (pattern) => z.object({ a: z.string().regex(pattern) }),
  valibot: (pattern) => v.object({ a: v.pipe(v.string(), v.regex(pattern)) }),
  arktype: (pattern) => type({ a: pattern }),
}

function endpoint(contract: object, method: (input: { query: object; body: object }) => unknown = () => null) {
  class Probe extends Route {
    static readonly path = '/probe'
    static readonly post = looseContract(this, contract)
    post(input: { query: object; body: object }) {
      return method(input)
    }
  }
  return createUntypedApp({ routes: { Probe }, jsonSchema: CONVERTERS, logger: false })
}

const send = async (app: ReturnType<typeof endpoint>, target: string) => {
  const { status, text: body } = await sendRequest(app, target, { method: 'POST' })
  return [status, status === 200 ? JSON.parse(body) : null]
}

describe('patterns with flags', () => {
  for (const [vendor, schemaOf] of Object.entries(VENDORS)) {
    it(`reports and omits the pattern of ${vendor}`, () => {
      for (const flags of ['i', 'iu', 'm', 's', 'y']) {
        const schema = schemaOf(new RegExp('^[a-z]+$', flags))
        const app = endpoint({ query: schema, returns: schema })
        assert.doesNotMatch(JSON.stringify(app.openapi()), /pattern/)
        const messages = app.check().map(({ code, message }) => `${code}: ${message}`)
        const omitted = `has the pattern /^[a-z]+$/${flags}, which the document omits, because JSON Schema has no flags`
        assert.deepEqual(messages, [
          `DOCUMENT_GAP: The schema of "query" ${omitted}`,
          `DOCUMENT_GAP: The schema of "response" ${omitted}`,
        ])
      }
    })

    it(`documents the pattern of ${vendor} with flags that change no match`, () => {
      for (const flags of ['', 'u', 'g', 'd']) {
        const schema = schemaOf(new RegExp('^[a-z]+$', flags))
        const app = endpoint({ query: schema, returns: schema })
        assert.deepEqual(app.check(), [], flags)
        const [parameter] = app.openapi().paths['/probe']?.['post']?.parameters ?? []
        assert.deepEqual(parameter?.schema, { ...text, pattern: '^[a-z]+$' })
      }
    })
  }

  it('omits the pattern at every place, but not in data', () => {
    const slug = z.string().regex(/^a/i)
    const schema = z.object({
      a: slug.default('a'),
      pattern: z.array(slug),
      b: z.record(slug, z.union([slug, z.int()])),
    })
    const app = endpoint({ body: schema.meta({ examples: [{ pattern: '^a' }] }) })
    const document = JSON.stringify(app.openapi())
    assert.equal(document.split('"pattern":"^a"').length - 1, 1)
    assert.match(document, /"examples":\[\{"pattern":"\^a"\}\]/)
    assert.equal(app.check().filter(({ code }) => code === 'DOCUMENT_GAP').length, 1)
  })

  it('decides the conversion of strings like other patterns', async () => {
    const query = z.object({ id: z.union([z.int(), z.string().regex(/^a/i)]) })
    const app = endpoint({ query }, (input) => input.query)
    assert.deepEqual(await send(app, '/probe?id=5'), [200, { id: 5 }])
    assert.deepEqual(await send(app, '/probe?id=A5'), [200, { id: 'A5' }])
    assert.deepEqual(await send(app, '/probe?id=b'), [422, null])
  })

  // The pattern without its flag removed names in upper case from responses.
  it('preserves names of z.record in a response', async () => {
    const app = endpoint({ returns: z.record(z.string().regex(/^x-/i), z.int()) }, () => ({ 'X-A': 1, 'x-b': 2 }))
    assert.deepEqual(await send(app, '/probe'), [200, { 'X-A': 1, 'x-b': 2 }])
  })

  it('documents several patterns of valibot', () => {
    const schema = v.pipe(v.string(), v.regex(/a/), v.regex(/b/u), v.regex(/c/i), v.regex(/a/))
    const { schema: described, lenient } = describeSchema(schema, 'input', CONVERTERS)
    const { $schema: _, ...rest } = Object(described)
    assert.equal(lenient, false)
    assert.deepEqual(rest, { ...text, pattern: 'a', allOf: [{ pattern: 'b' }, { 'x-verbena-pattern': '/c/i' }] })
  })
})

describe('FlaggedPatterns', () => {
  it('reads schemas whose "json" is a cycle, throws or is not an object', () => {
    const cycle: Record<string, unknown> = { rule: '^a', flags: 'i' }
    cycle['self'] = [cycle]
    const throws = Object.defineProperty({}, 'json', { get: () => assert.fail('no JSON') })
    const patterns = new FlaggedPatterns()
    for (const schema of [
      { json: cycle },
      throws,
      { json: () => 1 },
      {
        json: [
          { rule: 1, flags: 'i' },
          { rule: 'b', flags: 1 },
        ],
      },
    ]) {
      patterns.addJson(schema)
    }
    const schema = { pattern: '^a', items: true, allOf: [{ pattern: 'b' }, 1], default: { pattern: '^a' } }
    const { pattern: _, ...rest } = schema
    assert.deepEqual(patterns.hide(schema), { 'x-verbena-pattern': '/^a/i', ...rest })
    assert.equal(patterns.hide(true), true)
  })
})
