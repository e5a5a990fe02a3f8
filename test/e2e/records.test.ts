/** Records with listed names, in every source of strings, over a socket. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createApp, form, Route, type Input } from 'verbena'
import * as z from 'zod'
import { createUntypedApp, looseContract, sendRequest } from '#test/apps.js'

const record = z.record(z.enum(['x-a', 'x-b']), z.int())

class Records extends Route {
  static readonly path = '/records/{id}'
  static readonly get = this.contract({
    params: z.record(z.literal('id'), z.int()),
    query: record,
    headers: record,
    cookies: z.partialRecord(z.enum(['x-a', 'x-b']), z.array(z.int()).or(z.int())),
  })
  async get({ params, query, headers, cookies }: Input<typeof Records.get>) {
    return [params, query, headers, cookies]
  }
  static readonly post = this.contract({ body: form(z.record(z.enum(['tags', 'ids']), z.array(z.int()))) })
  async post({ body }: Input<typeof Records.post>) {
    return body
  }
}

const optional = z.record(z.enum(['a', 'b']), z.number().optional())

class Counts extends Route {
  static readonly get = looseContract(this, {
    returns: z.object({
      optional,
      any: z.record(z.enum(['a']), z.unknown()),
      undefined: z.record(z.enum(['a']), z.union([z.undefined(), z.int()])),
      date: z.record(z.enum(['a']), z.date().optional()),
      default: z.record(z.enum(['a']), z.int().default(1)),
      required: z.record(z.enum(['a']), z.int()),
    }),
  })
  async get() {
    return { optional: { b: 2 }, any: {}, undefined: {}, date: {}, default: {}, required: { a: 1 } }
  }
}

const app = createApp({ routes: { Records }, logger: false, signals: false })

describe('z.record() with listed names', () => {
  let url = ''
  before(async () => {
    url = (await app.listen()).url
  })
  after(() => app.close())

  // A request always has other headers. If their names are not known, zod rejects them.
  it('is read from query, path, headers and cookies', async () => {
    const headers = { 'x-a': '3', 'x-b': '4', cookie: 'x-b=5; other=6' }
    const response = await fetch(`${url}/records/7?x-a=1&x-b=2`, { headers })
    const both = { 'x-a': 3, 'x-b': 4 }
    assert.deepEqual(
      [response.status, await response.json()],
      [200, [{ id: 7 }, { 'x-a': 1, 'x-b': 2 }, both, { 'x-b': 5 }]],
    )
  })

  it('is a 422 without a required name, or with another name in the query', async () => {
    const headers = { 'x-a': '3', 'x-b': '4' }
    for (const query of ['x-a=1', 'x-a=1&x-b=2&x-c=3']) {
      assert.equal((await fetch(`${url}/records/7?${query}`, { headers })).status, 422)
    }
  })

  it('can have lists in a form, with both spellings', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const response = await fetch(`${url}/records/7`, { method: 'POST', headers, body: 'tags[]=1&ids=2&ids=3' })
    assert.deepEqual(await response.json(), { tags: [1], ids: [2, 3] })
  })

  it('requires only names that a response always has', async () => {
    const strict = createUntypedApp({ routes: { Counts }, strict: true, logger: false })
    const { text } = await sendRequest(strict, '/counts')
    const sent = { optional: { b: 2 }, any: {}, undefined: {}, date: {}, default: { a: 1 }, required: { a: 1 } }
    assert.deepEqual(JSON.parse(text), sent)
    const { properties } = Object(strict.openapi().components.schemas['CountsGetResponse'])
    const required = Object.entries(properties).map(([name, schema]) => [name, Object(schema).required])
    const none = ['optional', 'any', 'undefined', 'date'].map((name) => [name, undefined])
    assert.deepEqual(required, [...none, ['default', ['a']], ['required', ['a']]])
  })
})
