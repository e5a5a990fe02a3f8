import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, provide, reply, Route, type Schema } from 'verbena'
import { createUntypedApp } from '#test/apps.js'
import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'

const own: Schema = { '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }) } }

function findings(contract: object, options: object = {}) {
  class Users extends Route {
    static readonly path = '/users/{id}/files/{rest...}'
    // Proof: the table contains valid contracts, but their common type is `object`.
    static readonly get = this.contract(contract as { summary: string })
    get() {
      return reply(200)
    }
  }
  return createUntypedApp({ routes: { Users }, ...options })
    .check()
    .filter(({ code }) => code !== 'RETURNS_MISSING')
    .map(({ code, route, method, message, fix }) => ({ code, where: `${method} ${route}`, message, fix: fix }))
}

const CLEAN: readonly (readonly [about: string, contract: object, options?: object])[] = [
  ['an empty contract', {}],
  ['no body', { returns: null }],
  ['a schema that provides JSON Schema', { returns: z.object({ a: z.string() }) }],
  ['a record of such schemas and null', { returns: { 200: z.string(), 204: null } }],
  ['a valibot schema with JSON Schema', { returns: toStandardJsonSchema(v.string()) }],
  ['a converter of the app', { returns: v.string() }, { jsonSchema: { valibot: toJsonSchema } }],
  ['params of the path', { params: z.object({ id: z.string(), rest: z.string() }) }],
  ['a date in returns', { returns: z.object({ at: z.date() }) }],
  ['a date of a library that does not reject it in returns', { returns: type({ at: 'Date' }) }],
  ['a contract without returns', { errors: [404], query: z.object({ a: z.int() }) }],
]

describe('app.check(): contracts', () => {
  for (const [about, contract, options] of CLEAN) {
    it(`accepts ${about}`, () => assert.deepEqual(findings(contract, options), []))
  }

  for (const [about, returns] of [
    ['a schema without JSON Schema', own],
    ['a valibot schema without a converter', v.string()],
    ['a schema in a record of statuses', { 200: own }],
    ['a schema in a record', { 200: z.string(), 404: own }],
  ] as const) {
    it(`reports ${about} in returns`, () => {
      const [finding, ...others] = findings({ returns })
      assert.deepEqual(others, [])
      assert.deepEqual([finding?.code, finding?.where], ['RESPONSE_UNDESCRIBED', 'GET Users'])
      assert.match(finding?.message ?? '', /^The response schema cannot be converted to JSON Schema: ./)
      assert.match(finding?.fix ?? '', /jsonSchema/)
    })
  }

  it('reports lists in cookies, once for each provider', () => {
    const cookies = z.object({ seen: z.array(z.string()), ids: z.array(z.int()), theme: z.string() })
    const [finding, ...others] = findings({ cookies })
    assert.deepEqual(others, [])
    assert.deepEqual([finding?.code, finding?.where], ['COOKIE_LIST', 'GET Users'])
    assert.equal(
      finding?.message,
      'The schema of "cookies" has the list seen, ids, but a request can only send one item',
    )
    assert.equal(finding?.fix, 'Describe a string, and split it in the schema')

    const guard = provide({ guard: true, cookies, errors: [] }, () => null)
    class Users extends Route {
      static readonly get = this.contract({ uses: { guard }, returns: null })
      get() {}
      static readonly put = this.contract({ uses: { guard }, returns: null, public: true })
      put() {}
    }
    const ofProvider = createApp({ routes: { Users }, logger: false }).check()
    assert.deepEqual(
      ofProvider.map(({ code, method }) => [code, method]),
      [['COOKIE_LIST', 'GET']],
    )
  })

  it('reports params that the path does not have', () => {
    const [finding] = findings({ params: z.object({ userId: z.string(), id: z.string() }) })
    assert.deepEqual([finding?.code, finding?.where], ['PARAMS_DIFFER', 'GET Users'])
    assert.equal(
      finding?.message,
      'The schema of "params" has userId, but the path "/users/{id}/files/{rest...}" does not',
    )
    assert.equal(finding?.fix, 'Use the names in the path: id, rest')
  })

  it('suggests removing params if the path has no parameters', () => {
    class Plain extends Route {
      static readonly get = this.contract({ params: z.object({ id: z.string() }) })
      get() {}
    }
    const [finding] = createApp({ routes: { Plain }, logger: false }).check()
    assert.equal(finding?.fix, 'Remove "params": the path has no parameters')
  })

  it('reports all endpoints in the order of registration', () => {
    class One extends Route {
      static readonly post = this.contract({ returns: own })
      static readonly get = this.contract({ returns: own })
      get() {
        return reply(200, 1)
      }
      post() {
        return reply(200, 1)
      }
    }
    class Two extends One {}
    const found = createUntypedApp({ routes: { Two, One } }).check()
    assert.deepEqual(
      found.map(({ route, method }) => `${method} ${route}`),
      ['GET Two', 'POST Two', 'GET One', 'POST One'],
    )
  })
})
