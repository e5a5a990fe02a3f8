/** Validator, converter, document and projection of each kind of schema agree, with three libraries. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { toJsonSchema } from '@valibot/to-json-schema'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { Route, type App } from 'verbena'
import * as z from 'zod'
import { createUntypedApp, json, looseContract, sendRequest } from '#test/apps.js'
import { validateDocument } from '#test/openapi.js'
import { KIND_ROWS, VENDORS, type KindRow, type VendorName } from '#test/vendor-kinds.js'

const SECRET = 'only for the owner'

/** An app that validates a body, and returns `returned` by the same schema. */
function createEcho(schema: unknown, options: object = {}) {
  let returned: unknown
  class Echo extends Route {
    post() {
      return returned
    }
  }
  Object.defineProperty(Echo, 'post', { value: looseContract(Echo, { body: schema, returns: schema }) })
  // Proof of the prototype: `contract` only describes the method.
  const app = createUntypedApp({
    routes: { Echo },
    jsonSchema: { valibot: toJsonSchema, zod: z.toJSONSchema },
    logger: false,
    ...options,
  })
  return {
    app,
    async send(input: unknown, result: unknown) {
      returned = result
      return sendRequest(app, '/echo', json(input))
    },
  }
}

/** Compiles the schema of the request or of the response in the document. */
function compile(app: App, place: 'requestBody' | 'responses/200'): ValidateFunction {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema({ ...app.openapi(), $id: 'document' })
  return ajv.compile({ $ref: `document#/paths/~1echo/post/${place}/content/application~1json/schema` })
}

/** Adds a secret to each object. */
function plant(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plant)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, each]) => [key, plant(each)] as const)
  return { ...Object.fromEntries(members), secret: SECRET }
}

function check(row: KindRow, vendor: VendorName): void {
  const { kind, schemas, valid, invalid, accepted, closedBy } = row
  const schema = schemas[vendor]
  const objects = closedBy.includes(vendor) ? 'closed' : row.objects

  it(`${kind}: the validator accepts and rejects the same values as the document`, async () => {
    const { app, send } = createEcho(schema)
    assert.deepEqual(await validateDocument(app.openapi()), [])
    const [acceptsBody, acceptsResponse] = [compile(app, 'requestBody'), compile(app, 'responses/200')]
    for (const [input, output = input] of valid) {
      const response = await send({ value: input }, { value: input })
      const sent = objects === row.objects ? output : valid[0]?.[0]
      assert.deepEqual([response.status, response.body], [200, { value: sent }], JSON.stringify(input))
      assert.ok(acceptsBody({ value: input }), `${JSON.stringify(input)}: ${JSON.stringify(acceptsBody.errors)}`)
      assert.ok(acceptsResponse(response.body), `${JSON.stringify(output)}: ${JSON.stringify(acceptsResponse.errors)}`)
    }
    for (const input of invalid) {
      const { status } = await send({ value: input }, {})
      const isAccepted = accepted[vendor]?.some((value) => isDeepStrictEqual(value, input)) ?? false
      assert.equal(status !== 422, isAccepted, `${JSON.stringify(input)}: ${status}`)
      assert.ok(!acceptsBody({ value: input }), `The document accepts ${JSON.stringify(input)}`)
    }
  })

  for (const validateResponses of [true, false]) {
    it(`${kind}: no member leaves that the schema does not name, validateResponses: ${validateResponses}`, async () => {
      const { send } = createEcho(schema, { validateResponses })
      for (const [input, output = input] of valid) {
        const { status, body } = await send({ value: input }, { ...Object(plant({ value: input })) })
        const text = JSON.stringify(body)
        const isSent = objects === 'open' || (objects === 'record' && !validateResponses)
        assert.equal(text.includes(SECRET), isSent && typeof input === 'object', text)
        assert.equal(status, objects === 'closed' || objects === 'open' || !validateResponses ? 200 : 500, text)
        const sent = objects === row.objects ? output : valid[0]?.[0]
        if (objects === 'closed' && validateResponses) assert.deepEqual(body, { value: sent })
      }
    })
  }
}

for (const vendor of VENDORS) {
  describe(`kinds of schemas: ${vendor}`, () => {
    for (const row of KIND_ROWS) check(row, vendor)
  })
}
