import assert from 'node:assert/strict'
import * as z from 'zod'
import * as v from 'valibot'
import { contract, readContract, isStatusRecord } from '#src/route/contract.js'
import { sendRequest, assertSetupError, looseContract, createUntypedApp } from '#test/apps.js'
import { describe, it } from 'node:test'
import { Route, reply, type SetupCode } from 'verbena'
import { log } from 'verbena/decorators'

describe('contract()', () => {
  it('copies its options, so that later changes have no effect', () => {
    const spec: Record<string, unknown> = { summary: 'List', query: z.object({}) }
    const made = contract('Users', spec)
    spec['summary'] = 'Other'
    assert.equal(readContract(made)?.summary, 'List')
  })

  it('returns a frozen contract', () => {
    const made = contract('Users', { summary: 'List' })
    assert.throws(() => Object.assign(made['~spec'], { status: 500 }), TypeError)
    assert.throws(() => Object.assign(made, { '~spec': {} }), TypeError)
  })

  it('has the same result as `this.contract`', () => {
    class Users extends Route {
      static readonly get = this.contract({ summary: 'List' })
    }
    assert.deepEqual(readContract(Users.get), { summary: 'List' })
  })
})

describe('readContract()', () => {
  it('returns undefined for an object that only looks like a contract', () => {
    const lookalike = { '~spec': { uses: {} } }
    for (const value of [undefined, null, {}, lookalike, () => {}]) assert.equal(readContract(value), undefined)
  })
})

const Text = z.string()

type Refusal = readonly [about: string, spec: unknown, code: SetupCode, ...says: string[]]

const REFUSED: readonly Refusal[] = [
  ['null', null, 'OPTION_INVALID', '"Users"', 'they must be an object'],
  ['a string', 'get', 'OPTION_INVALID', 'they must be an object'],
  ['an unknown key', { colour: 1 }, 'OPTION_INVALID', '"colour"', 'Valid options are params, query'],
  ['a misspelled key', { retruns: Text }, 'OPTION_INVALID', 'Did you mean "returns"?'],
  ['a key in upper case', { Body: Text }, 'OPTION_INVALID', 'Did you mean "body"?'],
  ['uses that are not an object', { uses: [] }, 'USES_INVALID', 'a contract of "Users"', 'must be an object'],
  [
    'an entry of uses that is not a provider',
    { uses: { user: 7 } },
    'USES_INVALID',
    '"user" must be a provider',
    'provide(…)',
  ],
  ['the key "use"', { use: {} }, 'OPTION_INVALID', '"use" of a contract of "Users": it is unknown'],
  [
    'decorators that are not an array',
    { decorators: {} },
    'DECORATOR_INVALID',
    'a contract of "Users"',
    'must be an array',
    '[first, second]',
  ],
  [
    'an entry of decorators that is not a decorator',
    { decorators: [log, () => {}] },
    'DECORATOR_INVALID',
    'entry 1 is a function',
    'decorator()',
  ],
  ['a negative timeout', { timeout: -1 }, 'OPTION_INVALID', 'not -1'],
  ...['params', 'query', 'headers', 'cookies', 'body', 'returns'].map((key): Refusal => [
    `${key} that is not a schema`,
    { [key]: { type: 'string' } },
    'SCHEMA_INVALID',
    `"${key}"`,
    '"Users"',
  ]),
  ['null as a source', { query: null }, 'SCHEMA_INVALID', 'it must be a schema, not null', 'Standard Schema 1'],
  ['an array as a source', { body: [Text] }, 'SCHEMA_INVALID', 'not an array'],
  ['a function as a source', { body: () => true }, 'SCHEMA_INVALID', 'not a function'],
  ['a class as a source', { body: Date }, 'SCHEMA_INVALID', 'not a function'],
  ['another version of the standard', { body: { '~standard': { version: 2, validate() {} } } }, 'SCHEMA_INVALID'],
  ['an empty object of statuses', { returns: {} }, 'SCHEMA_INVALID', '"returns"'],
  ['a key of returns that is not a status', { returns: { 200: Text, ok: Text } }, 'CONTRACT_INVALID', '"returns"'],
  ['a value of returns that is not a schema', { returns: { 200: 'text' } }, 'SCHEMA_INVALID', 'not a string'],
  [
    'a schema with status 204',
    { returns: Text, status: 204 },
    'CONTRACT_INVALID',
    'a 204 response has no body',
    '"null"',
  ],
  ['a schema with status 304 in returns', { returns: { 304: Text } }, 'CONTRACT_INVALID', 'a 304 response has no body'],
  ['status with an object in returns', { returns: { 200: Text }, status: 200 }, 'CONTRACT_INVALID', 'Remove "status"'],
  ['a value of errors that is not a schema', { errors: { 404: 7 } }, 'SCHEMA_INVALID', '"errors" for 404'],
  ['errors that are a number', { errors: 404 }, 'OPTION_INVALID', '"errors"', '[404]'],
  ['tags that are a string', { tags: 'users' }, 'OPTION_INVALID', '"tags"', "['users']"],
  ['tags that are not strings', { tags: [7] }, 'OPTION_INVALID', '"tags"'],
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

describe('contract(): validation', () => {
  for (const [about, spec, code, ...says] of REFUSED) {
    it(`rejects ${about}`, () => {
      assertSetupError(() => contract('Users', spec), code, 'Users', ...says)
    })
  }

  for (const [spec, status, range] of BAD_STATUSES) {
    it(`rejects the status in ${JSON.stringify(spec)}`, () => {
      assertSetupError(() => contract('Users', spec), 'CONTRACT_INVALID', 'Users', `not ${status}`, range)
    })
  }

  it('accepts all keys of a contract', () => {
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

  it('accepts the lowest and highest statuses', () => {
    for (const spec of [{ status: 200 }, { status: 399 }, { errors: [400, 599] }, { status: 205, returns: null }]) {
      assert.deepEqual(contract('Users', spec)['~spec'], spec)
    }
  })

  it('names the class of an invalid contract', () => {
    assertSetupError(
      () =>
        class Orders extends Route {
          static readonly get = looseContract(this, { qeury: Text })
        },
      'OPTION_INVALID',
      'contract of "Orders"',
      'Did you mean "query"?',
    )
  })
})

describe('isStatusRecord()', () => {
  it('distinguishes an object of statuses from a schema that is a function or has numeric keys', () => {
    const callable = Object.assign(() => {}, Text)
    assert.equal(isStatusRecord({ 200: Text }), true)
    for (const returns of [undefined, null, Text, callable]) assert.equal(isStatusRecord(returns), false)
    assert.equal(isStatusRecord(Object.assign({ 200: Text }, { '~standard': Text['~standard'] })), false)
  })
})

describe('contract(): error status in returns', () => {
  it('sends the declared body instead of problem details', async () => {
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
