/** Unions of strings with numbers or booleans, of three vendors, in all sources of strings. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema'
import type * as v from 'valibot'
import { createApp, environment, form, Route, SetupError } from 'verbena'
import type { AnySchema } from '#src/validation/schema.js'
import { sendRequest } from '#test/apps.js'
import { INVALID, UNION_ROWS } from '#test/scalar-unions.js'

const VENDORS = ['zod', 'valibot', 'arktype'] as const
const SOURCES = ['params', 'query', 'headers', 'cookies'] as const

/** Returns a class that sends the values of five sources. */
function createRoute(schema: AnySchema, path: string) {
  const contract = { params: schema, query: schema, headers: schema, cookies: schema }
  return class Sources extends Route {
    static readonly path = path
    static readonly get = this.contract(contract)
    static readonly post = this.contract({ body: form(schema) })
    async get(input: object) {
      return SOURCES.map((source) => Reflect.get(input, source).k)
    }
    async post(input: object) {
      return Reflect.get(input, 'body').k
    }
  }
}

/** `environment` uses the JSON Schema of the schema itself. */
function readEnvironment(schema: AnySchema, sent: string): unknown {
  // Proof: only schemas of valibot have this vendor.
  const described =
    schema['~standard'].vendor === 'valibot'
      ? toStandardJsonSchema(schema as v.ObjectSchema<v.ObjectEntries, undefined>)
      : schema
  try {
    return Reflect.get(Object(environment(described, { k: sent })), 'k')
  } catch (error) {
    assert.ok(error instanceof SetupError && error.code === 'ENVIRONMENT_INVALID')
    return INVALID
  }
}

describe('unions of strings with numbers or booleans', () => {
  it('has forty schemas of each vendor', () => assert.ok(UNION_ROWS.length >= 40))

  for (const vendor of VENDORS) {
    const paths = UNION_ROWS.map((_, at) => `/s${at}/{k}`)
    const routes = Object.fromEntries(
      UNION_ROWS.map(({ schemas }, at) => [`S${at}`, createRoute(schemas[vendor], paths[at] ?? '')]),
    )
    const app = createApp({ routes, jsonSchema: { valibot: toJsonSchema }, logger: false })
    after(() => app.close())

    for (const [at, { title, schemas, cases }] of UNION_ROWS.entries()) {
      for (const [sent, value] of cases) {
        const expected = value === INVALID ? 'is invalid' : `is ${JSON.stringify(value)}`
        it(`${vendor}, ${title}: "${sent}" ${expected} in six sources`, async () => {
          const text = encodeURIComponent(sent)
          const headers = { k: sent, cookie: `k=${text}` }
          const got = await sendRequest(app, `/s${at}/${text}?k=${text}`, { headers })
          const posted = await sendRequest(app, `/s${at}/x`, { method: 'POST', body: new URLSearchParams({ k: sent }) })
          const variable = readEnvironment(schemas[vendor], sent)
          if (value === INVALID) {
            assert.deepEqual([got.status, posted.status, variable], [422, 422, INVALID])
            const places = Object(got.body).errors.map((issue: { in: string }) => issue.in)
            assert.deepEqual([...new Set(places)].toSorted(), SOURCES.toSorted())
          } else {
            assert.deepEqual(got.body, [value, value, value, value])
            assert.deepEqual([posted.body, variable], [value, value])
          }
        })
      }
    }
  }
})
