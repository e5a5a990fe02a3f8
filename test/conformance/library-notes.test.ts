/** Differences of libraries that docs/guides/contracts.md lists, with zod 4.6.7 and ajv 8.20.0. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { Ajv2020, type Options } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { Route, type Schema } from 'verbena'
import * as z from 'zod'
import { createUntypedApp, json, looseContract, sendRequest } from '#test/apps.js'

const page = readFileSync('docs/guides/contracts.md', 'utf8')

/** Schemas with a format that JSON Schema does not define. */
const OWN_FORMATS = {
  ...{
    starts_with: z.string().startsWith('a'),
    ends_with: z.string().endsWith('a'),
    includes: z.string().includes('a'),
  },
  ...{ lowercase: z.string().lowercase(), uppercase: z.string().uppercase() },
  ...{ emoji: z.emoji(), nanoid: z.nanoid(), cuid: z.cuid(), cuid2: z.cuid2(), ulid: z.ulid(), xid: z.xid() },
  ...{ ksuid: z.ksuid(), mac: z.mac(), cidrv4: z.cidrv4(), cidrv6: z.cidrv6(), base64: z.base64() },
  ...{ base64url: z.base64url(), e164: z.e164(), jwt: z.jwt(), hex: z.hex(), sha256_hex: z.hash('sha256') },
}

/** An adapter as users write it: ajv changes the value in place. */
function adapter(schema: object, options: Options): Schema {
  const validate = new Ajv2020(options).compile(schema)
  const describe = () => schema
  return {
    '~standard': {
      version: 1,
      vendor: 'ajv',
      validate: (value) => (validate(value) ? { value } : { issues: [{ message: 'invalid' }] }),
      jsonSchema: { input: describe, output: describe },
    },
  }
}

function appOf(contract: object, method: (input: { body: unknown }) => unknown) {
  class Notes extends Route {
    static readonly post = looseContract(this, contract)
    post(input: { body: unknown }) {
      return method(input)
    }
  }
  return createUntypedApp({ routes: { Notes }, logger: false })
}

async function post(app: ReturnType<typeof appOf>, body: unknown) {
  const { status, text } = await sendRequest(app, '/notes', json(body))
  return [status, status === 200 ? JSON.parse(text) : null]
}

function bodySchema(app: ReturnType<typeof appOf>) {
  return Object(app.openapi().components.schemas['NotesPostBody'])
}

describe('docs/guides/contracts.md: differences of libraries', () => {
  it('lists formats of zod that ajv rejects in strict mode', () => {
    for (const [format, schema] of Object.entries(OWN_FORMATS)) {
      const { a } = bodySchema(appOf({ body: z.object({ a: schema }) }, () => null)).properties
      assert.equal(a.format, format)
      assert.match(page, new RegExp(`\`${format}\``))
      const strict = new Ajv2020()
      addFormats.default(strict)
      assert.throws(() => strict.compile(a), new RegExp(`unknown format "${format}"`))
      new Ajv2020({ formats: { [format]: true } }).compile(a)
    }
  })

  it('says that .catch() and z.preprocess() accept more than the document', async () => {
    const schema = z.object({
      a: z.string().catch('x'),
      b: z.preprocess((value) => value ?? 1, z.number()),
    })
    const app = appOf({ body: schema }, ({ body }) => body)
    assert.deepEqual(bodySchema(app).required, ['a', 'b'])
    assert.deepEqual(await post(app, {}), [200, { a: 'x', b: 1 }])
    assert.deepEqual(await post(app, { a: 5, b: 2 }), [200, { a: 'x', b: 2 }])
    assert.deepEqual(
      app.check().filter(({ code }) => code !== 'RETURNS_MISSING'),
      [],
    )
  })

  it('says that validators which change their input change the value that a method returns', async () => {
    const properties = { m: { type: 'integer' }, n: { type: 'integer', default: 3 } }
    const schema = { type: 'object', properties, additionalProperties: false }
    for (const [options, stored, changed] of [
      [{ useDefaults: true }, { m: 5 }, { m: 5, n: 3 }],
      [{ removeAdditional: true }, { m: 5, n: 3, secret: 1 }, { m: 5, n: 3 }],
      [{ coerceTypes: true }, { m: '5', n: 3 }, { m: 5, n: 3 }],
    ] as const) {
      const value: Record<string, unknown> = { ...stored }
      const app = appOf({ returns: adapter(schema, options) }, () => value)
      assert.deepEqual(await post(app, {}), [200, { m: 5, n: 3 }])
      assert.deepEqual(value, changed)
      const copied: Record<string, unknown> = { ...stored }
      assert.deepEqual(
        await post(
          appOf({ returns: adapter(schema, options) }, () => structuredClone(copied)),
          {},
        ),
        [200, { m: 5, n: 3 }],
      )
      assert.deepEqual(copied, stored)
    }
  })
})
