/** Response headers that a contract describes: they must match their schema if responses are validated. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bytes, events, form, json, reply, Route, stream, text, type Input, type Middleware } from 'verbena'
import { sendRequest, assertSetupError, captureLog, looseContract, createUntypedApp } from '#test/apps.js'
import * as v from 'valibot'
import * as z from 'zod'

const User = z.object({ id: z.string() })
const Tagged = z.object({ etag: z.string().startsWith('"'), 'x-total': z.int().optional() })
const GOOD = { ETag: '"1"', 'x-total': '7', 'x-other': 'as it is' }

/** Returns the response and the log of an app whose only endpoint has these `returns`. */
async function answered(returns: unknown, answer: (input: Input) => unknown, options: object = {}) {
  class Probe extends Route {
    static readonly get = looseContract(Probe, { returns })
    get(input: Input) {
      return answer(input)
    }
  }
  const { logger, lines } = captureLog()
  const {
    status,
    headers,
    text: body,
  } = await sendRequest(createUntypedApp({ routes: { Probe }, logger, ...options }), '/probe')
  return { status, body, headers, why: lines.map(({ fields }) => String(Object(fields['err']).message)) }
}

async function* chunks(data: unknown) {
  yield data
}

const KINDS: readonly (readonly [name: string, returns: unknown, value: () => unknown, body: string])[] = [
  ['json()', json(User, { headers: Tagged }), () => ({ id: '1', secret: 2 }), '{"id":"1"}'],
  ['json() with project: false', json(User, { headers: Tagged, project: false }), () => ({ id: '1' }), '{"id":"1"}'],
  ['text()', text({ headers: Tagged }), () => 'a', 'a'],
  ['bytes()', bytes({ headers: Tagged }), () => Buffer.from('b'), 'b'],
  ['stream()', stream({ headers: Tagged }), () => chunks('c'), 'c'],
  ['events()', events(User, { headers: Tagged }), () => chunks({ data: { id: '1' } }), 'data: {"id":"1"}\n\n'],
  ['an asynchronous schema', text({ headers: Tagged.refine(async () => true) }), () => 'a', 'a'],
  [
    'an asynchronously validated response',
    json(
      User.refine(async () => true),
      { headers: Tagged },
    ),
    () => ({ id: '1' }),
    '{"id":"1"}',
  ],
  ['one status of several', { 200: text({ headers: Tagged }), 404: null }, () => 'a', 'a'],
  ['names in any case', text({ headers: z.object({ ETag: z.string() }) }), () => 'a', 'a'],
  ['a schema that accepts any name', text({ headers: z.looseObject({ etag: z.string() }) }), () => 'a', 'a'],
  ['valibot', text({ headers: v.object({ etag: v.string() }) }), () => 'a', 'a'],
]

describe('declared response headers', () => {
  for (const [name, returns, value, body] of KINDS) {
    it(`sends declared headers of ${name} unchanged`, async () => {
      const answer = await answered(returns, () => reply(200, value(), GOOD))
      assert.deepEqual([answer.status, answer.body, answer.why], [200, body, []])
      const { headers } = answer
      assert.deepEqual([headers.get('etag'), headers.get('x-total'), headers.get('x-other')], ['"1"', '7', 'as it is'])
    })

    it(`responds 500 and logs a missing header of ${name}`, async () => {
      const answer = await answered(returns, () => reply(200, value(), { 'x-total': '7' }))
      assert.equal(answer.status, 500)
      assert.match(String(answer.why), /its headers do not match their schema\. .*\n  \/etag: /i)
    })
  }

  it('validates headers set through "response" before the first chunk, and prefers headers of the reply', async () => {
    const returns = stream({ headers: Tagged })
    async function* late({ response }: Input) {
      response.header('ETag', '"1"')
      yield 'a'
    }
    assert.equal((await answered(returns, late)).status, 200)
    const overruled = await answered(text({ headers: Tagged }), ({ response }) => {
      response.header('etag', '"1"')
      return reply(200, 'a', { etag: 'wrong' })
    })
    assert.equal(overruled.status, 500)
    const set = await answered(text({ headers: Tagged }), ({ response }) => {
      response.header('etag', '"1"')
      return 'a'
    })
    assert.equal(set.status, 200)
  })

  it('does not count headers that middleware sets after next()', async () => {
    const late: Middleware = async (_context, next) => (await next()).with({ etag: '"1"' })
    assert.equal((await answered(text({ headers: Tagged }), () => 'a', { middleware: [late] })).status, 500)
    const early: Middleware = ({ response }, next) => {
      response.header('etag', '"1"')
      return next()
    }
    assert.equal((await answered(text({ headers: Tagged }), () => 'a', { middleware: [early] })).status, 200)
  })

  it('converts header strings like query strings', async () => {
    const answer = await answered(text({ headers: Tagged }), () => reply(200, 'a', { ...GOOD, 'x-total': 'seven' }))
    assert.match(String(answer.why), /\/x-total: /)
  })

  it('does not validate headers with validateResponses: false', async () => {
    const answer = await answered(text({ headers: Tagged }), () => 'a', { validateResponses: false })
    assert.equal(answer.status, 200)
  })

  it('ends the stream of a response with invalid headers', async () => {
    let ended = false
    async function* open() {
      try {
        yield 'a'
        yield 'b'
      } finally {
        ended = true
      }
    }
    assert.equal((await answered(stream({ headers: Tagged }), open)).status, 500)
    assert.equal(ended, true)
  })
})

const MISPLACED: readonly (readonly [about: string, contract: object, ...said: string[]])[] = [
  [
    'a limit in "returns"',
    { returns: text({ limit: 1 }) },
    '"limit" is only valid in "body". Remove it from "returns"',
  ],
  [
    'types of JSON in "returns"',
    { returns: { 200: json(User, { headers: Tagged, types: ['a/b'] }) } },
    '"types" is only valid in "body"',
  ],
  ['raw in "returns"', { returns: json(User, { headers: Tagged, raw: true }) }, '"raw" is only valid in "body"'],
  ['a limit with "project"', { returns: json(User, { project: false, limit: 1 }) }, '"limit" is only valid in "body"'],
  [
    'headers of a body',
    { body: text({ headers: Tagged }) },
    '"headers" is only valid in "returns"',
    'Remove it from "body"',
  ],
  ['headers of a JSON body', { body: json(User, { headers: Tagged }) }, '"headers" is only valid in "returns"'],
  ['json() without options', { returns: json(User, {}) }, '"json(…)" is only valid as "body"'],
]

describe('misplaced options of kinds', () => {
  for (const [about, contract, ...said] of MISPLACED) {
    it(`rejects ${about}`, () => {
      class Probe extends Route {}
      assertSetupError(() => looseContract(Probe, contract), 'CONTRACT_INVALID', ...said)
    })
  }

  it('rejects headers without a schema and headers of a form', () => {
    const none: object = { headers: { etag: 'text' } }
    assertSetupError(() => text(none), 'OPTION_INVALID', '"headers" of text()', 'Standard Schema')
    assertSetupError(() => form(User, none), 'OPTION_INVALID', '"headers" of form()', 'unknown')
  })
})
