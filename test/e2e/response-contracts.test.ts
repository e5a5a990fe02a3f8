/** Responses under a contract: valid ones, violations, and responses without validation. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { redirect, reply, Route } from 'verbena'
import { sendRequest, captureLog, looseContract, createUntypedApp } from '#test/apps.js'
import { type as arktype } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'

/** Creates an app whose only endpoint returns this value, with or without a contract. */
function answering(returned: () => unknown, contract?: object, options: object = {}) {
  class Probe extends Route {
    get() {
      return returned()
    }
  }
  if (contract !== undefined) Object.defineProperty(Probe, 'get', { value: looseContract(Probe, contract) })
  return createUntypedApp({ routes: { Probe }, ...options })
}

const JSON_TYPE = 'application/json'

async function* texts() {
  yield 'a'
}

const User = z.object({ id: z.string() })
const stored = { id: '7', passwordHash: 'x' }

type Kept = readonly [
  about: string,
  contract: object,
  value: () => unknown,
  status: number,
  type: string | null,
  text: string,
]

const KEPT: readonly Kept[] = [
  ['projects an object', { returns: User }, () => stored, 200, JSON_TYPE, '{"id":"7"}'],
  ['projects with valibot', { returns: v.object({ id: v.string() }) }, () => stored, 200, JSON_TYPE, '{"id":"7"}'],
  ['projects with arktype', { returns: arktype({ id: 'string' }) }, () => stored, 200, JSON_TYPE, '{"id":"7"}'],
  ['uses the status of the contract', { returns: User, status: 201 }, () => stored, 201, JSON_TYPE, '{"id":"7"}'],
  ['sends a string as JSON', { returns: z.string() }, () => 'a', 200, JSON_TYPE, '"a"'],
  ['sends null', { returns: z.null() }, () => null, 200, JSON_TYPE, 'null'],
  [
    'sends the output of the schema',
    { returns: z.string().transform((text) => text.length) },
    () => 'abc',
    200,
    JSON_TYPE,
    '3',
  ],
  ['waits for a schema', { returns: z.string().refine(async () => true) }, () => 'a', 200, JSON_TYPE, '"a"'],
  ['accepts a reply', { returns: User }, () => reply(202, stored), 202, JSON_TYPE, '{"id":"7"}'],
  ['sends no body for null', { returns: null }, () => undefined, 204, null, ''],
  ['accepts null for null', { returns: null }, async () => null, 204, null, ''],
  ['uses the status of the contract for null', { returns: null, status: 202 }, () => undefined, 202, null, ''],
  ['accepts a reply for null', { returns: null }, () => reply(205), 205, null, ''],
  ['accepts a redirect for null', { returns: null }, () => redirect('/a'), 302, null, ''],
  [
    'accepts a declared status',
    { returns: { 200: User, 404: z.string() } },
    () => reply(404, 'no'),
    404,
    JSON_TYPE,
    '"no"',
  ],
  ['accepts a declared status without a body', { returns: { 200: User, 204: null } }, () => reply(204), 204, null, ''],
]

describe('respond() with a contract', () => {
  for (const [about, contract, value, status, type, text] of KEPT) {
    it(about, async () => {
      const answer = await sendRequest(answering(value, contract), '/probe')
      assert.deepEqual([answer.status, answer.headers.get('content-type'), answer.text], [status, type, text])
    })
  }

  it('keeps the headers of a reply', async () => {
    const app = answering(() => reply(201, stored, { location: '/users/7' }), { returns: { 201: User } })
    assert.equal((await sendRequest(app, '/probe')).headers.get('location'), '/users/7')
  })
})

const BREACHES: readonly (readonly [about: string, contract: object, value: () => unknown, says: RegExp])[] = [
  ['a value that violates the schema', { returns: User }, () => ({ id: 7 }), /does not match its schema[^]*\/id: /],
  ['a value of another type', { returns: User }, () => 'text', /\(whole\): /],
  [
    'a value that an asynchronous schema rejects',
    { returns: z.string().refine(async () => false, 'no') },
    () => 'a',
    /\(whole\): no/,
  ],
  ['nothing', { returns: User }, () => undefined, /nothing was returned/],
  ['undefined for an optional schema', { returns: z.string().optional() }, () => undefined, /nothing was returned/],
  ['a body for null', { returns: null }, () => ({}), /a body was returned, but "returns" declares none/],
  ['a reply with a body for null', { returns: null }, () => reply(200, 'x'), /a body was returned/],
  ['a reply with 404', { returns: User }, () => reply(404, stored), /status 404 is not declared. Throw an HttpError/],
  [
    'an undeclared status',
    { returns: { 200: User, 201: User } },
    () => reply(202, stored),
    /202 is not one of the declared statuses 200, 201\. Throw an HttpError, or declare it/,
  ],
  [
    'a value without a status',
    { returns: { 200: User } },
    () => stored,
    /value without a status.*reply\(status, body\)/,
  ],
  ['a web response', { returns: z.any() }, () => new Response('x'), /a web Response was returned/],
  [
    'a web response for a declared status',
    { returns: { 200: z.any() } },
    () => reply(200, new Response('x')),
    /a web Response/,
  ],
  ['a generator', { returns: z.any() }, texts, /a stream was returned/],
  ['an output that JSON cannot represent', { returns: z.string().transform(() => 7n) }, () => 'a', /BigInt/],
  ['a validator that throws', { returns: z.string().refine(() => assert.fail('secret')) }, () => 'a', /secret/],
]

describe('respond() to a contract violation', () => {
  for (const [about, contract, value, says] of BREACHES) {
    it(`responds with a 500 without detail and logs ${about}`, async () => {
      const { logger, lines: logged } = captureLog()
      const { status, body } = await sendRequest(answering(value, contract, { logger }), '/probe')
      const { requestId, ...rest } = Object(body)
      assert.equal(logged[0]?.fields['requestId'], requestId)
      assert.deepEqual([status, rest], [500, { type: 'about:blank', title: 'Internal Server Error', status: 500 }])
      assert.match(String(logged[0]?.fields['err']), says)
      assert.equal(logged.length, 1)
    })
  }

  it('logs the issues with their pointers', async () => {
    const { logger, lines: logged } = captureLog()
    await sendRequest(
      answering(() => ({ id: 7 }), { returns: User }, { logger }),
      '/probe',
    )
    const { name, issues } = Object(logged[0]?.fields['err'])
    assert.equal(name, 'ContractBreach')
    assert.deepEqual(Object(issues)[0]?.pointer, '/id')
  })

  it('ends an undeclared stream', async () => {
    for (const contract of [{ returns: z.any() }, { returns: { 200: z.any() } }]) {
      const source = Readable.from(['a'])
      const value = () => ('returns' in contract && 'parse' in contract.returns ? source : reply(200, source))
      assert.equal((await sendRequest(answering(value, contract), '/probe')).status, 500)
      assert.equal(source.destroyed, true)
    }
  })
})

describe('validateResponses: false', () => {
  const off = { validateResponses: false }

  it('accepts an invalid value, but projects it', async () => {
    const { text } = await sendRequest(
      answering(() => ({ ...stored, id: 7 }), { returns: User }, off),
      '/probe',
    )
    assert.equal(text, '{"id":7}')
  })

  it('rejects missing values, streams and undeclared statuses with validateResponses: false', async () => {
    for (const [contract, value] of [
      [{ returns: User }, () => undefined],
      [{ returns: User }, () => texts()],
      [{ returns: { 200: User } }, () => reply(201, stored)],
    ] as const) {
      assert.equal((await sendRequest(answering(value, contract, off), '/probe')).status, 500)
    }
  })

  it('does not run schemas with validateResponses: false', async () => {
    const schema = z.string().refine(() => assert.fail('not asked for'))
    assert.equal(
      (
        await sendRequest(
          answering(() => 'a', { returns: schema }, off),
          '/probe',
        )
      ).text,
      '"a"',
    )
  })
})

describe('a promise instead of a value', () => {
  const returned = (): unknown => reply(200, Promise.resolve({ id: '7', passwordHash: 'x' }))
  const CONTRACTS: readonly object[] = [{ returns: User }, { returns: { 200: User } }, { returns: z.any() }]
  for (const validateResponses of [true, false]) {
    it(`rejects a promise with validateResponses: ${validateResponses}`, async () => {
      for (const contract of CONTRACTS) {
        const { logger, lines } = captureLog()
        const app = answering(returned, contract, { validateResponses, logger })
        const { status, text } = await sendRequest(app, '/probe')
        assert.deepEqual([status, text.includes('passwordHash'), lines.length], [500, false, 1])
      }
      const rejected = answering(
        () => reply(200, Promise.reject(new Error('no'))),
        { returns: User },
        { validateResponses },
      )
      assert.equal((await sendRequest(rejected, '/probe')).status, 500)
    })
  }
})
