/** Fields of a surface, by source and status. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { bytes, events, form, json, provide, Route, stream, text, type ContractSpec } from 'verbena'
import { files } from 'verbena/files'
import { jsonLines } from 'verbena/lines'
import { mount } from 'verbena/mount'
import { multipart, parts } from 'verbena/multipart'
import { surface } from 'verbena/prove'
import { upgrade } from 'verbena/upgrade'
import * as z from 'zod'
import { createUntypedApp } from '#test/apps.js'
import { anything, opaqueSchema } from '#test/opaque-schemas.js'

/** Returns the lines about fields of an app with a route. */
function listFields(routes: object, options: object = {}): string[] {
  const app = createUntypedApp({ openapi: false, devConsole: false, ...options, routes })
  const lines = surface(app).split('\n')
  return lines.filter((line) => /^ {2}(?:in|out) /.test(line)).map((line) => line.trim())
}

/** Returns the lines about fields of a POST with a contract. */
function listOf(spec: ContractSpec, options: object = {}): string[] {
  class Items extends Route {
    static readonly path = '/items/{id}'
    static readonly post = this.contract({ params: Params, ...spec })
    post(): never {
      throw new Error('not called')
    }
  }
  return listFields({ Items }, options).filter((line) => line !== 'in path id')
}

const Params = z.object({ id: z.string(), other: z.string().optional() })

describe('surface(): fields of requests', () => {
  it('lists the path, query, headers, cookies and body of contract and providers', () => {
    const tenant = provide(
      { headers: z.object({ 'x-tenant': z.string() }), query: z.object({ page: z.string() }) },
      () => 1,
    )
    const spec = {
      uses: { tenant },
      query: z.object({ page: z.number(), filter: z.array(z.string()) }),
      headers: z.object({ 'x-a': z.string().meta({ secret: true }) }),
      cookies: z.object({ theme: z.string() }),
      body: z.object({ b: z.string(), a: z.string() }),
      returns: null,
    }
    assert.deepEqual(listOf(spec), [
      ...['in query filter[]', 'in query page', 'in headers x-a (secret)', 'in headers x-tenant', 'in cookies theme'],
      ...['in body a', 'in body b', 'out 204 body (empty)'],
    ])
  })

  it('marks values without a schema as undescribed', () => {
    class Items extends Route {
      static readonly path = '/items/{id}'
      post() {}
    }
    assert.deepEqual(listFields({ Items }), [
      ...['in path id (undescribed)', 'in body (undescribed)', 'out 200 body (undescribed)'],
    ])
    const raw = provide({ rawBody: true }, () => 1)
    assert.deepEqual(listOf({ uses: { raw }, returns: null })[0], 'in body (undescribed)')
    assert.deepEqual(listOf({ body: opaqueSchema(anything), returns: null })[0], 'in body (undescribed)')
  })

  it('lists fields of forms and multipart bodies, and no fields of other kinds', () => {
    const a = z.object({ a: z.string() })
    const list = (body: NonNullable<ContractSpec['body']>): string[] => listOf({ body, returns: null }).slice(0, -1)
    assert.deepEqual(list(form(a)), ['in body a'])
    assert.deepEqual(list(text()), ['in body (text, undescribed)'])
    assert.deepEqual(list(bytes()), ['in body (bytes, undescribed)'])
    assert.deepEqual(list(stream()), ['in body (stream, undescribed)'])
    assert.deepEqual(list(parts()), ['in body (undescribed)'])
    assert.deepEqual(list(multipart(a)), ['in body a'])
    assert.deepEqual(list(multipart(a, { files: { picture: { limit: 10 } } })), [
      'in body a',
      'in body picture (undescribed)',
    ])
  })

  it('lists no fields of mounted handlers and of messages after an upgrade', () => {
    assert.deepEqual(listFields({ '/a': mount(() => new Response()) }), [
      ...['in everything (undescribed)', 'out everything (undescribed)'],
    ])
    const live = upgrade({ query: z.object({ room: z.string() }) }, (_, socket) => socket.end())
    assert.deepEqual(listFields({ '/live': live }), [
      ...['in query room', 'in messages (undescribed)', 'out messages (undescribed)'],
    ])
  })
})

describe('surface(): fields of responses', () => {
  it('sorts fields by status, and lists headers', () => {
    const headers = z.object({ 'x-total': z.number() })
    const returns = { 201: json(z.object({ id: z.string() }), { headers }), 202: null, 200: z.array(z.string()) }
    assert.deepEqual(listOf({ returns }), [
      ...['out 200 body []', 'out 201 headers x-total', 'out 201 body id', 'out 202 body (empty)'],
    ])
  })

  it('lists fields of events, and no fields of text', () => {
    assert.deepEqual(listOf({ returns: text() }), ['out 200 body (text, undescribed)'])
    assert.deepEqual(listOf({ returns: events(z.object({ n: z.number() })) }), ['out 200 events n'])
  })

  it('lists fields of the items of JSON Lines', () => {
    const lines = jsonLines(z.object({ n: z.int() }))
    assert.deepEqual(listOf({ body: lines, returns: lines }), ['in body n', 'out 200 body n'])
  })

  it('adds a line for unknown properties with "project: false"', () => {
    const returns = json(z.object({ a: z.string() }), { project: false })
    assert.deepEqual(listOf({ returns }), ['out 200 body * (undescribed)', 'out 200 body a'])
  })

  it('lists members of declared problems, and all fields of an error format', () => {
    const Conflict = z.object({ rival: z.string().meta({ personal: true }) })
    assert.deepEqual(listOf({ returns: null, errors: { 409: Conflict, 404: 'Missing' } }), [
      ...['out 204 body (empty)', 'out 409 body rival (personal)'],
    ])
    const errorFormat = { schema: z.object({ code: z.string() }), write: () => ({ code: 'a' }) }
    assert.deepEqual(listOf({ returns: null, errors: { 409: Conflict } }, { errorFormat }), [
      ...['out 204 body (empty)', 'out errors body code'],
    ])
  })

  it('lists no fields of a directory', () => {
    assert.deepEqual(listFields({ '/static': files(new URL('.', import.meta.url)) }), [
      ...['out 200 body (files of a directory)', 'in path path (undescribed)', 'out 200 body (files of a directory)'],
    ])
  })
})

describe('surface(): marks of fields', () => {
  it('reads the marks of three libraries', () => {
    const schemas = [
      z.object({ e: z.string().meta({ personal: true }) }),
      v.object({ e: v.pipe(v.string(), v.metadata({ personal: true })) }),
      type({ e: type('string').configure(Object({ personal: true })) }),
    ]
    for (const returns of schemas) {
      assert.deepEqual(listOf({ returns }, { jsonSchema: { valibot: toJsonSchema } }), ['out 200 body e (personal)'])
    }
  })
})
