/** Responses whose schema has no JSON Schema: undeclared properties are never sent, however the library handles them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, events, json, reply, Route } from 'verbena'
import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import * as z from 'zod'
import { sendRequest, captureLog, createUntypedApp, looseContract, assertSetupError } from '#test/apps.js'
import { askWire } from '#test/e2e.js'
import { free, list, members, opaqueSchema, word } from '#test/opaque-schemas.js'
import { sendReturned } from '#test/returned-values.js'

const HASH = 'scrypt$4711'
const stored = { name: 'Ada', passwordHash: HASH }
const Loose = v.looseObject({ name: v.string() })
const Dropping = v.object({ name: v.string() })

const KEEPING: readonly (readonly [about: string, returns: unknown, value: unknown])[] = [
  ['a library that keeps undeclared properties', opaqueSchema(members('keeps', { name: word })), stored],
  [
    'an async library that keeps undeclared properties',
    opaqueSchema(members('keeps', { name: word }), { isAsync: true }),
    stored,
  ],
  ['a list of objects with undeclared properties', opaqueSchema(list(members('keeps', { name: word }))), [stored]],
  ['looseObject of valibot', Loose, stored],
  ['a strict object around a loose one', v.strictObject({ user: Loose }), { user: stored }],
  ['one status of several', { 200: Loose, 204: null }, reply(200, stored)],
  ['an object with any keys', opaqueSchema(free((value) => value)), stored],
]

const SENT: readonly (readonly [about: string, returns: unknown, value: unknown, sent: unknown])[] = [
  ['object of valibot', Dropping, stored, { name: 'Ada' }],
  ['a list of valibot objects', v.array(Dropping), [stored, stored], [{ name: 'Ada' }, { name: 'Ada' }]],
  ['strictObject of valibot', v.strictObject({ name: v.string() }), { name: 'Ada' }, { name: 'Ada' }],
  ['an object with string values', v.record(v.string(), v.string()), { a: 'b' }, { a: 'b' }],
  ['a variant', v.variant('kind', [v.object({ kind: v.literal('a') })]), { kind: 'a', hash: HASH }, { kind: 'a' }],
  ['a string', v.string(), 'Ada', 'Ada'],
  [
    'a transformation',
    v.pipe(
      Dropping,
      v.transform(({ name }) => ({ name, length: name.length })),
    ),
    stored,
    { name: 'Ada', length: 3 },
  ],
  [
    'a library that drops undeclared properties',
    opaqueSchema(members('drops', { name: word })),
    stored,
    { name: 'Ada' },
  ],
]

describe('a response without JSON Schema', () => {
  for (const [about, returns, value] of KEEPING) {
    for (const validateResponses of [true, false]) {
      it(`responds 500 instead of sending undeclared properties: ${about}, validateResponses: ${validateResponses}`, async () => {
        const { status, text, log } = await sendReturned(returns, value, { validateResponses })
        assert.equal(status, 500)
        assert.doesNotMatch(text, /scrypt|Members/)
        assert.match(
          log.join(),
          /Members that the schema does not name.*"jsonSchema".*json\(schema, \{ project: false \}\)/,
        )
        assert.doesNotMatch(log.join(), /[a-p]{32}|scrypt/)
      })
    }
  }

  for (const [about, returns, value, sent] of SENT) {
    it(`sends only declared properties, validated or not: ${about}`, async () => {
      for (const validateResponses of [true, false]) {
        const { status, text } = await sendReturned(returns, value, { validateResponses })
        assert.deepEqual([status, JSON.parse(text)], [200, sent])
      }
    })
  }

  it('sends a response with a jsonSchema converter, or with "project: false"', async () => {
    const converted = await sendReturned(Dropping, stored, { jsonSchema: { valibot: toJsonSchema } })
    assert.deepEqual(JSON.parse(converted.text), { name: 'Ada' })
    const chosen = await sendReturned(json(Loose, { project: false }), stored)
    assert.deepEqual([chosen.status, JSON.parse(chosen.text)], [200, stored])
    const described = await sendReturned(json(z.looseObject({ name: z.string() }), { project: false }), stored)
    assert.deepEqual(JSON.parse(described.text), stored)
    const strict = await sendReturned(json(Dropping, { project: false }), { name: 7 })
    assert.equal(strict.status, 500)
  })

  it('sends no undeclared properties in an event stream, except with "project: false"', async () => {
    async function* source() {
      yield { data: stored }
    }
    const { text, log } = await sendReturned(events(Loose), source())
    assert.doesNotMatch(text, /scrypt/)
    assert.match(log.join(), /Members that the schema does not name/)
    assert.equal((await sendReturned(events(Dropping), source())).text, 'data: {"name":"Ada"}\n\n')
    assert.match((await sendReturned(events(Loose, { project: false }), source())).text, /scrypt/)
    const later = opaqueSchema(members('drops', { name: word }), { isAsync: true })
    assert.equal((await sendReturned(events(later), source())).text, 'data: {"name":"Ada"}\n\n')
  })

  it('responds 500 instead of sending undeclared properties over a socket', async () => {
    class Home extends Route {
      static readonly get = this.contract({ returns: Loose })
      get() {
        return stored
      }
    }
    await using app = createApp({ routes: { Home }, logger: false, signals: false })
    const { port } = await app.listen()
    const { status, body } = await askWire(port, { target: '/home' })
    assert.equal(status, 500)
    assert.doesNotMatch(body, /scrypt|\bAda\b/)
  })
})

describe('reports on a response without JSON Schema', () => {
  it('lists an undescribed response in check(), with the fix', async () => {
    const { app } = await sendReturned(Loose, stored)
    const [finding, ...others] = app.check()
    assert.deepEqual([finding?.code, others], ['RESPONSE_UNDESCRIBED', []])
    assert.match(finding?.message ?? '', /Each response is validated several times/)
    assert.match(finding?.fix ?? '', /"jsonSchema".*"json\(schema, \{ project: false \}\)"/)
  })

  it('lists a schema with "project: false" as SCHEMA_UNDESCRIBED', async () => {
    const { app } = await sendReturned(json(Loose, { project: false }), stored)
    assert.deepEqual(
      app.check().map(({ code }) => code),
      ['SCHEMA_UNDESCRIBED'],
    )
    const described = await sendReturned(json(z.looseObject({ name: z.string() }), { project: false }), stored)
    assert.deepEqual(described.app.check(), [])
    const { get } = described.app.openapi().paths['/home'] ?? {}
    assert.match(JSON.stringify(get?.responses['200']), /"application\/json":\{"schema"/)
  })

  it('logs one line for undescribed responses when the app starts', async () => {
    const warnings = ({ lines }: Awaited<ReturnType<typeof sendReturned>>) =>
      lines.filter(({ level }) => level === 'warn')
    const asked = await sendReturned(Loose, stored)
    await sendRequest(asked.app, '/home')
    await asked.app.start()
    assert.deepEqual(
      warnings(asked).map(({ fields }) => fields),
      [{ endpoints: ['GET /home'] }],
    )
    assert.match(warnings(asked)[0]?.message ?? '', /RESPONSE_UNDESCRIBED and SCHEMA_UNDESCRIBED of app\.check\(\)/)
    assert.deepEqual(warnings(await sendReturned(z.string(), 'a')), [])
    assert.deepEqual(warnings(await sendReturned(json(Loose, { project: false }), stored)), [])
  })

  it('logs one line for a query without JSON Schema, whose parameters the document lacks', async () => {
    class Orders extends Route {
      static readonly get = this.contract({ query: v.object({ page: v.number() }), returns: null })
      get() {}
    }
    for (const [jsonSchema, expected] of [
      [{}, [{ endpoints: ['GET /orders'] }]],
      [{ valibot: toJsonSchema }, []],
    ] as const) {
      const { logger, lines } = captureLog()
      await createUntypedApp({ routes: { Orders }, logger, jsonSchema }).start()
      const warned = lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields)
      assert.deepEqual(warned, expected)
    }
  })

  it('starts an app whose logger throws', async () => {
    const broken = (): never => {
      throw new Error('the disk is full')
    }
    const logger = { debug: broken, info: broken, warn: broken, error: broken }
    const { app, status } = await sendReturned(Dropping, stored, { logger })
    assert.equal(status, 200)
    await app.close()
  })
})

describe('json() with project', () => {
  it('accepts false only for responses, and true only for request bodies', () => {
    const owner = { name: 'Home' }
    assertSetupError(
      () => looseContract(owner, { body: json(Loose, { project: false }) }),
      'CONTRACT_INVALID',
      'is only valid in "returns"',
    )
    assertSetupError(
      () => looseContract(owner, { returns: json(Loose) }),
      'CONTRACT_INVALID',
      'is only valid as "body"',
    )
    assertSetupError(
      () => looseContract(owner, { returns: json(Loose, { project: true }) }),
      'CONTRACT_INVALID',
      'only valid as "body"',
    )
    // Proof: JavaScript code may pass a value that the types reject.
    assertSetupError(() => json(Loose, { project: 'no' as never }), 'OPTION_INVALID', 'it must be true or false')
  })
})
