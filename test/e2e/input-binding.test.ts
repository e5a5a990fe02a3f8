import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Route, type Schema } from 'verbena'
import { sendRequest, json, captureLog, looseContract, createUntypedApp } from '#test/apps.js'
import { type as arktype } from 'arktype'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import * as z from 'zod'

interface Sources {
  readonly [source: string]: unknown
}

/** Creates an app whose endpoints return their input. */
function echo(contract?: object, options: object = {}) {
  class Echo extends Route {
    static readonly path = '/echo/{id}'
    get(input: Sources) {
      return this.shown(input)
    }
    post(input: Sources) {
      return this.shown(input)
    }
    put(input: Sources) {
      return this.shown(input)
    }
    patch(input: Sources) {
      return this.shown(input)
    }
    delete(input: Sources) {
      return this.shown(input)
    }
    shown({ params, query, headers, cookies, body }: Sources) {
      return { params, query, headers, cookies, body }
    }
  }
  for (const verb of contract === undefined ? [] : ['get', 'post', 'put', 'patch', 'delete']) {
    if (verb === 'get' && contract !== undefined && 'body' in contract) continue
    Object.defineProperty(Echo, verb, { value: looseContract(Echo, contract) })
  }
  return createUntypedApp({ routes: { Echo }, ...options })
}

const Numbers = { n: z.number(), on: z.boolean().optional(), list: z.array(z.int()).optional() }
const standard = (schema: Parameters<typeof toStandardJsonSchema>[0]) => toStandardJsonSchema(schema)

type Read = readonly [about: string, contract: object | undefined, target: string, init: RequestInit, expected: object]

const READ: readonly Read[] = [
  [
    'raw params and query',
    undefined,
    '/echo/a?x=1&x=2&y',
    {},
    { params: { id: 'a' }, query: { x: ['1', '2'], y: '' } },
  ],
  ['any JSON body', undefined, '/echo/a', json({ a: [1] }), { params: { id: 'a' }, query: {}, body: { a: [1] } }],
  [
    'a body of +json',
    undefined,
    '/echo/a',
    { ...json(7), headers: { 'content-type': 'application/vnd.a+json' } },
    { params: { id: 'a' }, query: {}, body: 7 },
  ],
  ['no body', undefined, '/echo/a', { method: 'POST' }, { params: { id: 'a' }, query: {} }],
  [
    'no body with a type',
    undefined,
    '/echo/a',
    { method: 'PUT', headers: { 'content-type': 'text/plain' } },
    { params: { id: 'a' }, query: {} },
  ],
  [
    'params of a DELETE request, ignoring its body',
    undefined,
    '/echo/a',
    { method: 'DELETE', body: '{' },
    { params: { id: 'a' }, query: {} },
  ],
  ['only params with an empty contract', {}, '/echo/a?x=1', json(1), { params: { id: 'a' } }],
  [
    'a query by its schema',
    { query: z.object(Numbers) },
    '/echo/a?n=1.5&on=true&list=1',
    {},
    { params: { id: 'a' }, query: { n: 1.5, on: true, list: [1] } },
  ],
  [
    'a query with valibot',
    { query: standard(v.object({ n: v.number() })) },
    '/echo/a?n=2',
    {},
    { params: { id: 'a' }, query: { n: 2 } },
  ],
  [
    'a query with arktype',
    { query: arktype({ n: 'number' }) },
    '/echo/a?n=2',
    {},
    { params: { id: 'a' }, query: { n: 2 } },
  ],
  [
    'defaults',
    { query: z.object({ limit: z.int().default(10) }) },
    '/echo/a',
    {},
    { params: { id: 'a' }, query: { limit: 10 } },
  ],
  ['params by their schema', { params: z.object({ id: z.int() }) }, '/echo/7', {}, { params: { id: 7 } }],
  [
    'declared headers',
    { headers: z.object({ 'x-n': z.int() }) },
    '/echo/a',
    { headers: { 'X-N': '7', 'x-other': '1' } },
    { params: { id: 'a' }, headers: { 'x-n': 7 } },
  ],
  [
    'declared cookies',
    { cookies: z.object({ a: z.string() }) },
    '/echo/a',
    { headers: { cookie: 'a=%C3%A4; b=2; a=3' } },
    { params: { id: 'a' }, cookies: { a: 'ä' } },
  ],
  [
    'a body by its schema',
    { body: z.object({ a: z.string() }) },
    '/echo/a',
    json({ a: 'x', b: 1 }),
    { params: { id: 'a' }, body: { a: 'x' } },
  ],
  [
    'a body without conversion',
    { body: z.object({ a: z.string() }) },
    '/echo/a',
    json({ a: '7' }),
    { params: { id: 'a' }, body: { a: '7' } },
  ],
  [
    'an optional body that is missing',
    { body: z.object({ a: z.string() }).optional() },
    '/echo/a',
    { method: 'POST' },
    { params: { id: 'a' } },
  ],
  [
    'sources with asynchronous schemas',
    { query: z.object({ q: z.string().refine(async () => true) }), body: z.string().refine(async () => true) },
    '/echo/a?q=1',
    json('b'),
    { params: { id: 'a' }, query: { q: '1' }, body: 'b' },
  ],
]

const schemaOf = (validate: (value: unknown) => unknown): Schema => ({
  '~standard': { version: 1, vendor: 'own', validate },
})

describe('input of the handler', () => {
  for (const [about, contract, target, init, expected] of READ) {
    it(`reads ${about}`, async () => {
      const { status, body, text } = await sendRequest(echo(contract), target, init)
      assert.deepEqual([status, body], [200, expected], text)
    })
  }

  for (const method of ['POST', 'PUT', 'PATCH']) {
    it(`accepts only JSON for ${method} without a contract`, async () => {
      const app = echo()
      assert.equal((await sendRequest(app, '/echo/a', json([1], method))).status, 200)
      for (const headers of [
        { 'content-type': 'text/plain' },
        { 'content-type': 'application/x-www-form-urlencoded' },
      ]) {
        assert.equal((await sendRequest(app, '/echo/a', { method, body: '[1]', headers })).status, 415)
      }
    })
  }

  const REFUSED: readonly (readonly [
    about: string,
    contract: object,
    target: string,
    init: RequestInit,
    issues: readonly string[],
  ])[] = [
    ['params', { params: z.object({ id: z.int() }) }, '/echo/7.5', {}, ['params /id']],
    ['a query', { query: z.object(Numbers) }, '/echo/a?n=0x10&on=yes', {}, ['query /n', 'query /on']],
    ['a repeated query key that must be unique', { query: z.object(Numbers) }, '/echo/a?n=1&n=2', {}, ['query /n']],
    ['a header', { headers: z.object({ 'x-n': z.int() }) }, '/echo/a', { headers: { 'x-n': 'n' } }, ['headers /x-n']],
    ['a cookie', { cookies: z.object({ a: z.int() }) }, '/echo/a', { headers: { cookie: 'a=b' } }, ['cookies /a']],
    [
      'a body',
      { body: z.object({ a: z.object({ 'b/c~': z.int() }) }) },
      '/echo/a',
      json({ a: { 'b/c~': 'x' } }),
      ['body /a/b~1c~0'],
    ],
    ['a body as a whole', { body: z.object({}) }, '/echo/a', json(null), ['body ']],
    [
      'sources with asynchronous schemas that fail',
      { query: z.object({ q: z.string().refine(async () => false) }), body: z.string().refine(async () => false) },
      '/echo/a?q=1',
      json('b'),
      ['query /q', 'body '],
    ],
    [
      'all sources together',
      {
        params: z.object({ id: z.int() }),
        query: z.object({ n: z.int() }),
        headers: z.object({ 'x-n': z.int() }),
        cookies: z.object({ a: z.int() }),
        body: z.int(),
      },
      '/echo/a',
      json('b'),
      ['params /id', 'query /n', 'headers /x-n', 'cookies /a', 'body '],
    ],
  ]
  for (const [about, contract, target, init, issues] of REFUSED) {
    it(`rejects ${about} with 422 and pointers`, async () => {
      const { status, body } = await sendRequest(echo(contract), target, init)
      const found = Object(body).errors.map((issue: { in: string; pointer: string }) => `${issue.in} ${issue.pointer}`)
      assert.deepEqual([status, found], [422, issues])
      assert.deepEqual(
        [Object(body).title, Object(body).detail],
        ['Unprocessable Content', 'The request does not follow its schema'],
      )
    })
  }

  it('omits the sent values from a 422', async () => {
    const contract = { query: z.object({ pin: z.enum(['a', 'b']) }), body: z.object({ password: z.string().max(3) }) }
    const { status, text } = await sendRequest(
      echo(contract),
      '/echo/a?pin=hunter2',
      json({ password: 'correct horse' }),
    )
    assert.equal(status, 422)
    assert.doesNotMatch(text, /hunter2|correct|horse/)
  })

  it('responds 400 if a required body is missing', async () => {
    const { status, body } = await sendRequest(echo({ body: z.object({}) }), '/echo/a', { method: 'POST' })
    assert.equal(status, 400)
    assert.match(Object(body).detail, /needs a .*body/)
  })

  it('lists accepted media types and encodings in a 415', async () => {
    const text = { method: 'POST', body: 'text' }
    assert.match((await sendRequest(echo(), '/echo/a', text)).headers.get('accept') ?? '', /application\/json/)
    const packed = { ...json(1), headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } }
    const { status, headers } = await sendRequest(echo(), '/echo/a', packed)
    assert.deepEqual([status, headers.get('accept-encoding')], [415, 'identity'])
    const plain = { ...json(1), headers: { 'content-type': 'application/json', 'content-encoding': 'Identity' } }
    assert.equal((await sendRequest(echo(), '/echo/a', plain)).status, 200)
  })

  it('limits the body size, its depth and the number of query keys', async () => {
    const app = echo(undefined, { limits: { body: 20, depth: 2, keys: 2 } })
    assert.equal((await sendRequest(app, '/echo/a', json('a'.repeat(18)))).status, 200)
    assert.equal((await sendRequest(app, '/echo/a', json('a'.repeat(19)))).status, 413)
    assert.equal((await sendRequest(app, '/echo/a', json([[1]]))).status, 200)
    assert.equal((await sendRequest(app, '/echo/a', json([[[1]]]))).status, 400)
    assert.equal((await sendRequest(app, '/echo/a?a&b')).status, 200)
    assert.equal((await sendRequest(app, '/echo/a?a&b&c')).status, 400)
  })

  it('responds 500 if a validator throws or rejects', async () => {
    const now = schemaOf(() => assert.fail('secret'))
    const later = schemaOf(async () => assert.fail('secret'))
    for (const contract of [
      { query: now },
      { query: later },
      { body: now },
      { body: later },
      { query: later, body: now },
      { query: later, body: later },
    ]) {
      const { logger, lines } = captureLog()
      const { status, text } = await sendRequest(echo(contract, { logger }), '/echo/a?q=1', json('b'))
      assert.equal(status, 500)
      assert.doesNotMatch(text, /secret/)
      assert.equal(lines.filter(({ level }) => level === 'error').length, 1)
    }
  })
})
