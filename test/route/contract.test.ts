import assert from 'node:assert/strict'
import * as z from 'zod'
import * as v from 'valibot'
import { contract, readContract, isStatusRecord } from '#src/route/contract.js'
import { sendRequest, assertSetupError, looseContract, createUntypedApp } from '#test/apps.js'
import { describe, it } from 'node:test'
import { Route, reply, type SetupCode } from 'verbena'
import { log } from 'verbena/decorators'

describe('contract()', () => {
  it('keeps what was said, apart from the object it was said with', () => {
    const spec: Record<string, unknown> = { summary: 'List', query: z.object({}) }
    const made = contract('Users', spec)
    spec['summary'] = 'Other'
    assert.equal(readContract(made)?.summary, 'List')
  })

  it('cannot be altered', () => {
    const made = contract('Users', { summary: 'List' })
    assert.throws(() => Object.assign(made['~spec'], { status: 500 }), TypeError)
    assert.throws(() => Object.assign(made, { '~spec': {} }), TypeError)
  })

  it('is what `this.contract` makes', () => {
    class Users extends Route {
      static readonly get = this.contract({ summary: 'List' })
    }
    assert.deepEqual(readContract(Users.get), { summary: 'List' })
  })
})

describe('readContract()', () => {
  it('reads nothing but a contract: a look-alike has not been checked', () => {
    const lookalike = { '~spec': { uses: {} } }
    for (const value of [undefined, null, {}, lookalike, () => {}]) assert.equal(readContract(value), undefined)
  })
})

const Text = z.string()

type Refusal = readonly [about: string, spec: unknown, code: SetupCode, ...says: string[]]

const REFUSED: readonly Refusal[] = [
  ['null', null, 'CONTRACT_INVALID', '"Users"', 'this.contract({ … })'],
  ['a text', 'get', 'CONTRACT_INVALID', 'it is not an object'],
  ['an unknown key', { colour: 1 }, 'CONTRACT_INVALID', '"colour"', 'A contract has params, query'],
  ['a slip of the pen', { retruns: Text }, 'CONTRACT_INVALID', 'Did you mean "returns"?'],
  ['another slip', { Body: Text }, 'CONTRACT_INVALID', 'Did you mean "body"?'],
  ['uses that are no record', { uses: [] }, 'USES_INVALID', 'a contract of "Users"', 'not a record'],
  ['uses of no provider', { uses: { user: 7 } }, 'USES_INVALID', '"user" is not a provider', 'provide(…)'],
  ['use', { use: {} }, 'CONTRACT_INVALID', 'unknown key "use"'],
  ['decorators', { decorators: {} }, 'DECORATOR_INVALID', 'a contract of "Users"', 'no array', '[first, second]'],
  [
    'an entry of decorators',
    { decorators: [log, () => {}] },
    'DECORATOR_INVALID',
    'entry 1 is a function',
    'decorator()',
  ],
  ['a time-out that is none', { timeout: -1 }, 'CONTRACT_INVALID', 'timeout -1'],
  ...['params', 'query', 'headers', 'cookies', 'body', 'returns'].map((key): Refusal => [
    `no schema as ${key}`,
    { [key]: { type: 'string' } },
    'SCHEMA_INVALID',
    `"${key}"`,
    '"Users"',
  ]),
  ['null as a source', { query: null }, 'SCHEMA_INVALID', 'it is null, not a schema', 'Standard Schema 1'],
  ['an array as a source', { body: [Text] }, 'SCHEMA_INVALID', 'it is an array'],
  ['a function as a source', { body: () => true }, 'SCHEMA_INVALID', 'it is a function'],
  ['a class as a source', { body: Date }, 'SCHEMA_INVALID', 'it is a function'],
  ['another version of the standard', { body: { '~standard': { version: 2, validate() {} } } }, 'SCHEMA_INVALID'],
  ['an empty record of statuses', { returns: {} }, 'SCHEMA_INVALID', '"returns"'],
  ['a record with a key that is no status', { returns: { 200: Text, ok: Text } }, 'SCHEMA_INVALID', '"returns"'],
  ['no schema in a record', { returns: { 200: 'text' } }, 'SCHEMA_INVALID', 'it is a string'],
  ['a body with 204', { returns: Text, status: 204 }, 'CONTRACT_INVALID', '204 has no body', '"null"'],
  ['a body with 304 in a record', { returns: { 304: Text } }, 'CONTRACT_INVALID', '304 has no body'],
  ['status beside a record', { returns: { 200: Text }, status: 200 }, 'CONTRACT_INVALID', 'Leave "status" out'],
  ['no error in errors', { errors: { 404: 7 } }, 'SCHEMA_INVALID', '"errors" for 404'],
  ['errors that are no list', { errors: 404 }, 'CONTRACT_INVALID', '"errors"', '[404]'],
  ['tags that are a text', { tags: 'users' }, 'CONTRACT_INVALID', '"tags"', "['users']"],
  ['tags that are no texts', { tags: [7] }, 'CONTRACT_INVALID', '"tags"'],
]

const BAD_STATUSES: readonly (readonly [spec: unknown, status: string, range: string])[] = [
  [{ status: 99 }, '99', '200 to 399'],
  [{ status: 199 }, '199', '200 to 399'],
  [{ status: 400 }, '400', '200 to 399'],
  [{ status: 404, returns: Text }, '404', '200 to 399'],
  [{ status: 200.5 }, '200.5', '200 to 399'],
  [{ status: Number.NaN }, 'NaN', '200 to 399'],
  [{ status: '201' }, '201', '200 to 399'],
  [{ returns: { 100: Text } }, '100', '200 to 599'],
  [{ returns: { 600: Text } }, '600', '200 to 599'],
  [{ errors: [399] }, '399', '400 to 599'],
  [{ errors: [404, 600] }, '600', '400 to 599'],
  [{ errors: ['404'] }, '404', '400 to 599'],
  [{ errors: { 200: 'fine' } }, '200', '400 to 599'],
]

describe('contract() checks what an author wrote', () => {
  for (const [about, spec, code, ...says] of REFUSED) {
    it(`refuses ${about}`, () => {
      assertSetupError(() => contract('Users', spec), code, 'Users', ...says)
    })
  }

  for (const [spec, status, range] of BAD_STATUSES) {
    it(`refuses the status in ${JSON.stringify(spec)}`, () => {
      assertSetupError(() => contract('Users', spec), 'CONTRACT_INVALID', 'Users', `status ${status} `, range)
    })
  }

  it('accepts everything a contract has', () => {
    const spec = {
      ...{ params: Text, query: v.string(), headers: Text, cookies: Text, body: Text },
      ...{ returns: { 200: Text, 204: null, 404: Text, 599: Text } },
      ...{ errors: { 400: 'Bad', 409: Text } },
      ...{
        summary: 's',
        description: 'd',
        tags: ['t'],
        operationId: 'o',
        hidden: true,
        meta: {},
        decorators: [log, log({ level: 'debug' })],
      },
    }
    assert.deepEqual(contract('Users', spec)['~spec'], spec)
  })

  it('accepts the bounds of statuses', () => {
    for (const spec of [{ status: 200 }, { status: 399 }, { errors: [400, 599] }, { status: 205, returns: null }]) {
      assert.deepEqual(contract('Users', spec)['~spec'], spec)
    }
  })

  it('names the class in whose body the contract stands', () => {
    assertSetupError(
      () =>
        class Orders extends Route {
          static readonly get = looseContract(this, { qeury: Text })
        },
      'CONTRACT_INVALID',
      'contract of "Orders"',
      'Did you mean "query"?',
    )
  })
})

describe('isStatusRecord()', () => {
  it('tells a record of statuses from a schema, even one that is a function or has numbers as keys', () => {
    const callable = Object.assign(() => {}, Text)
    assert.equal(isStatusRecord({ 200: Text }), true)
    for (const returns of [undefined, null, Text, callable]) assert.equal(isStatusRecord(returns), false)
    assert.equal(isStatusRecord(Object.assign({ 200: Text }, { '~standard': Text['~standard'] })), false)
  })
})

describe('a contract of any status', () => {
  it('can declare an error status in a record, which is then no problem', async () => {
    class Gone extends Route {
      static readonly get = this.contract({ returns: { 410: z.object({ since: z.number() }) } })
      get() {
        return reply(410, { since: 2020 })
      }
    }
    const answer = await sendRequest(createUntypedApp({ routes: { Gone } }), '/gone')
    assert.deepEqual(
      [answer.status, answer.headers.get('content-type'), answer.text],
      [410, 'application/json', '{"since":2020}'],
    )
  })
})
