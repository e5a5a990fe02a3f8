/** Documents of generated apps: valid for two validators, deterministic, and without keywords that only libraries use. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { apiKey, bearer, bytes, form, json, provide, Route, text, type JsonSchema, type Schema } from 'verbena'
import { createUntypedApp, looseContract } from '#test/apps.js'
import { describedSchema } from '#test/described-schemas.js'
import { validateDocument } from '#test/openapi.js'

const KEYS = ['id', 'name', 'kids', 'x-y', 'größe']
const DEFINED = ['User', 'A', '0', '__schema1', 'a/b']

const reference = fc
  .constantFrom('#', ...DEFINED.map((key) => `#/$defs/${key.replace('/', '~1')}`))
  .map(($ref) => ({ $ref }))
const named = fc.constantFrom(
  {},
  {},
  { title: 'Titled' },
  { title: 'a title' },
  { id: 'Own' },
  { description: 'what for' },
)

const { shape } = fc.letrec<{ shape: JsonSchema }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<JsonSchema>({ type: 'string' }, { type: ['integer', 'null'] }, { enum: ['a', 'b'] }, {}, true),
    reference,
    fc
      .tuple(fc.dictionary(fc.constantFrom(...KEYS), tie('shape'), { noNullPrototype: true }), named)
      .map(([properties, words]) => ({
        type: 'object',
        properties,
        required: Object.keys(properties).slice(0, 1),
        ...words,
      })),
    tie('shape').map((items) => ({ type: 'array', items })),
    fc.array(tie('shape'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    tie('shape').map((additionalProperties) => ({ type: 'object', additionalProperties })),
  ),
}))

const definitions = fc.tuple(...DEFINED.map(() => shape)).map((schemas) => {
  return Object.fromEntries(schemas.map((schema, index) => [DEFINED[index] ?? '', schema]))
})
const description = fc.tuple(shape, definitions).map(([root, $defs]): JsonSchema => {
  return typeof root === 'boolean' ? root : { $schema: 'https://json-schema.org/draft/2020-12/schema', ...root, $defs }
})
const schema: fc.Arbitrary<Schema> = fc
  .tuple(description, description)
  .map(([input, output]) => describedSchema(input, output))

/** Only three schemas, so that routes share them. */
const schemas = fc.array(schema, { minLength: 3, maxLength: 3 })
const PROVIDERS = {
  page: provide(
    { query: describedSchema({ properties: { page: { type: 'integer' } } }), errors: { 409: 'Held' } },
    () => 1,
  ),
  user: bearer((token) => token),
  robot: apiKey({ in: 'header', name: 'x-key' }, (key) => key),
}

/** Whether strings can represent the properties of a schema. */
function isExpressible(query: Schema): boolean {
  try {
    appOf([{ query }])
    return true
  } catch (error) {
    assert.equal(Object(error).code, 'SCHEMA_INEXPRESSIBLE')
    return false
  }
}

function contracts([a, b, c]: readonly Schema[]): fc.Arbitrary<object> {
  const one = fc.constantFrom(a, b, c)
  const source = fc.constantFrom(undefined, ...[a, b, c].flatMap((each) => each ?? []).filter(isExpressible))
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
  return fc
    .record({
      query: source,
      headers: source,
      cookies: source,
      params: maybe(one),
      body: maybe(
        fc.oneof(
          one,
          source.map((value) => form(value ?? describedSchema({}))),
          one.map((value) => json(Object(value))),
          fc.constantFrom(text(), bytes()),
        ),
      ),
      returns: maybe(
        fc.oneof(
          one,
          fc.constantFrom(null, text()),
          one.map((value) => ({ 200: value, 404: value })),
        ),
      ),
      errors: maybe(
        fc.oneof(
          fc.constantFrom([404, 422]),
          one.map((value) => ({ 409: value, 410: 'Gone' })),
        ),
      ),
      uses: maybe(fc.subarray(Object.entries(PROVIDERS)).map((entries) => Object.fromEntries(entries))),
      operationId: maybe(fc.constantFrom('same', 'other')),
      hidden: maybe(fc.boolean()),
      timeout: maybe(fc.constant(5)),
    })
    .map((contract) => Object.fromEntries(Object.entries(contract).filter(([, value]) => value !== undefined)))
}

const PATHS = ['/a', '/a/{id}', '/a/{rest...}', '/b/{id}/c', '/größe/{id}/{rest...}', '/']

const apps = schemas.chain((shared) =>
  fc.array(contracts(shared), { minLength: PATHS.length, maxLength: PATHS.length }),
)

function appOf(given: readonly object[]) {
  const routes = given.map((contract, index) => {
    const probe = class extends Route {
      static readonly path: string = PATHS[index] ?? '/'
      static readonly post = looseContract(this, contract)
      post() {}
    }
    return [`Route${index}`, probe] as const
  })
  return createUntypedApp({ routes: Object.fromEntries(routes) })
}

describe('documents of generated apps', () => {
  it('generates valid documents without keywords of libraries', async () => {
    await fc.assert(
      fc.asyncProperty(apps, async (given) => {
        const document = appOf(given).openapi()
        assert.deepEqual(await validateDocument(document), [])
        assert.doesNotMatch(JSON.stringify(document), /\$defs|\$schema|__schema|"#"/)
      }),
      { numRuns: 60 },
    )
  })

  it('generates the same document each time, and check() does not throw', () => {
    fc.assert(
      fc.property(apps, (given) => {
        const app = appOf(given)
        assert.equal(JSON.stringify(app.openapi()), JSON.stringify(appOf(given).openapi()))
        for (const { message, fix } of app.check()) assert.ok(message !== '' && fix !== '')
      }),
    )
  })
})
