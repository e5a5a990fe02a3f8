import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, reply, Route, type Schema } from 'verbena'
import { createUntypedApp } from '#test/apps.js'
import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'

const own: Schema = { '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }) } }

function findings(contract: object, options: object = {}) {
  class Users extends Route {
    static readonly path = '/users/{id}/files/{rest...}'
    // Proof: the table below holds contracts; the compiler cannot see them one by one.
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
  ['no contract to speak of', {}],
  ['no body', { returns: null }],
  ['a schema that describes itself', { returns: z.object({ a: z.string() }) }],
  ['a record of these and null', { returns: { 200: z.string(), 204: null } }],
  ['a described valibot schema', { returns: toStandardJsonSchema(v.string()) }],
  ['a converter of the app', { returns: v.string() }, { jsonSchema: { valibot: toJsonSchema } }],
  ['params of the path', { params: z.object({ id: z.string(), rest: z.string() }) }],
  ['a body that is no schema', { errors: [404], query: z.object({ a: z.int() }) }],
]

describe('check()', () => {
  for (const [about, contract, options] of CLEAN) {
    it(`has nothing to say about ${about}`, () => assert.deepEqual(findings(contract, options), []))
  }

  for (const [about, returns] of [
    ['a schema without a description', own],
    ['a valibot schema without a converter', v.string()],
    ['a date', z.object({ at: z.date() })],
    ['a date that a library would be silent about', type({ at: 'Date' })],
    ['one of a record', { 200: z.string(), 404: own }],
  ] as const) {
    it(`reports ${about}, which cannot be projected`, () => {
      const [finding, ...others] = findings({ returns })
      assert.deepEqual(others, [])
      assert.deepEqual([finding?.code, finding?.where], ['RESPONSE_UNDESCRIBED', 'GET Users'])
      assert.match(finding?.message ?? '', /^The response schema cannot be described: ./)
      assert.match(finding?.fix ?? '', /jsonSchema/)
    })
  }

  it('reports params that the path does not have', () => {
    const [finding] = findings({ params: z.object({ userId: z.string(), id: z.string() }) })
    assert.deepEqual([finding?.code, finding?.where], ['PARAMS_DIFFER', 'GET Users'])
    assert.equal(
      finding?.message,
      'The schema of "params" names userId, which the path "/users/{id}/files/{rest...}" does not have',
    )
    assert.equal(finding?.fix, 'Name them as the path does: id, rest')
  })

  it('says what to do where the path has no parameters', () => {
    class Plain extends Route {
      static readonly get = this.contract({ params: z.object({ id: z.string() }) })
      get() {}
    }
    const [finding] = createApp({ routes: { Plain }, logger: false }).check()
    assert.equal(finding?.fix, 'Leave "params" out: the path has none')
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
