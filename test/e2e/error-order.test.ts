/** Requests with two errors: the response contains the earlier error in the published order. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Route, type Input } from 'verbena'
import { sendRequest, createUntypedApp } from '#test/apps.js'
import * as z from 'zod'

let calls = 0

class Notes extends Route {
  static readonly path = '/notes/{id}'
  static readonly post = this.contract({
    query: z.object({ n: z.number().optional() }),
    body: z.object({ text: z.string() }),
    returns: z.object({ text: z.string() }),
  })
  post({ body }: Input<typeof Notes.post>) {
    calls++
    return body
  }
}

class Files extends Route {
  static readonly path = '/files/{path...}'
  get() {
    calls++
    return 'file'
  }
}

const app = createUntypedApp({ routes: { Notes, Files }, limits: { body: 50, keys: 2 } })

type Faults = readonly [first: string, second: string, status: number, target: string, init: RequestInit]

const JSON_TYPE = 'application/json'
const post = (headers: Record<string, string>, body?: string): RequestInit => ({
  method: 'POST',
  headers,
  ...(body === undefined ? undefined : { body }),
})
const fine = '{"text":"a"}'
const long = JSON.stringify({ text: 'a'.repeat(60) })

const TABLE: readonly Faults[] = [
  ['400 of the target', '501', 400, '/%zz', { method: 'PROPFIND' }],
  ['400 of the target', '404', 400, '/%ff', {}],
  ['400 of the target', '405', 400, '/notes/%zz', { method: 'PUT' }],
  ['400 of a query that does not decode', '404', 400, '/none?a=%', {}],
  ['400 of a wildcard', '405', 400, '/files/a%2Fb', { method: 'PUT' }],
  ['501', '404', 501, '/none', { method: 'PROPFIND' }],
  ['501', '405', 501, '/notes/1', { method: 'LINK' }],
  ['404', '405', 404, '/none', { method: 'PUT' }],
  ['404', 'OPTIONS', 404, '/none', { method: 'OPTIONS' }],
  ['404', '415', 404, '/none', post({}, 'text')],
  ['405', '406', 405, '/notes/1', { method: 'PUT', headers: { accept: 'text/html' } }],
  ['405', '415', 405, '/notes/1', { method: 'PUT', body: 'text' }],
  ['406', '415', 406, '/notes/1', post({ accept: 'text/html' }, 'text')],
  ['406', '413', 406, '/notes/1', post({ accept: 'text/html', 'content-type': JSON_TYPE }, long)],
  ['406', '400 of the body', 406, '/notes/1', post({ accept: 'text/html', 'content-type': JSON_TYPE }, '{')],
  ['406', '422', 406, '/notes/1', post({ accept: 'text/html', 'content-type': JSON_TYPE }, '{}')],
  ['415', '413', 415, '/notes/1', post({}, long)],
  ['415', '400 of the body', 415, '/notes/1', post({ 'content-type': 'text/json' }, '{')],
  ['415', '422 of the query', 415, '/notes/1?n=x', post({}, 'text')],
  [
    '415 of the encoding',
    '413',
    415,
    '/notes/1',
    post({ 'content-type': JSON_TYPE, 'content-encoding': 'gzip' }, long),
  ],
  ['413', '400 of the body', 413, '/notes/1', post({ 'content-type': JSON_TYPE }, `{${' '.repeat(60)}`)],
  ['413', '422 of the query', 413, '/notes/1?n=x', post({ 'content-type': JSON_TYPE }, long)],
  ['400 of the body', '422 of the query', 400, '/notes/1?n=x', post({ 'content-type': JSON_TYPE }, '{')],
  ['400 of a body that is missing', '422 of the query', 400, '/notes/1?n=x', post({})],
  ['400 of too many keys', '422', 400, '/notes/1?a=1&b=2&c=3', post({ 'content-type': JSON_TYPE }, '{}')],
  ['422', 'the handler', 422, '/notes/1?n=x', post({ 'content-type': JSON_TYPE }, fine)],
]

describe('order of errors', () => {
  for (const [first, second, status, target, init] of TABLE) {
    it(`responds ${first} before ${second}`, async () => {
      calls = 0
      const answer = await sendRequest(app, target, init)
      assert.equal(answer.status, status, answer.text)
      assert.equal(calls, 0)
    })
  }

  it('calls the handler if the request is valid', async () => {
    const answer = await sendRequest(app, '/notes/1', post({ accept: JSON_TYPE, 'content-type': JSON_TYPE }, fine))
    assert.deepEqual([answer.status, answer.text], [200, fine])
  })

  it('reports issues of all sources together', async () => {
    const { status, body } = await sendRequest(app, '/notes/1?n=x', post({ 'content-type': JSON_TYPE }, '{"text":7}'))
    const places = Object(body).errors.map((issue: { in: string; pointer: string }) => `${issue.in} ${issue.pointer}`)
    assert.deepEqual([status, places], [422, ['query /n', 'body /text']])
  })
})
