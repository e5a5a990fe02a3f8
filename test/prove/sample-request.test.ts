/** Requests of proofs, whose input comes from schemas and examples. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ProofApp } from '#src/prove/proof-app.js'
import { sampleInput, type Example } from '#src/prove/sample-request.js'
import { createApp, json, Route, text } from 'verbena'
import * as z from 'zod'

/** A schema that cannot be converted to JSON Schema. */
const undescribed = {
  '~standard': { version: 1, vendor: 'example', validate: (value: unknown) => ({ value }) },
} as const

class Search extends Route {
  static readonly get = this.contract({
    query: z.object({ tag: z.array(z.string()).min(2), page: z.number(), near: z.string().optional() }),
    headers: undescribed,
  })
  async get() {}
}
class Anything extends Route {
  static readonly get = this.contract({ query: z.any() })
  async get() {}
}
class Notes extends Route {
  static readonly post = this.contract({ body: z.object({ noteId: z.number(), text: z.string() }) })
  async post() {}
  static readonly put = this.contract({ body: text() })
  async put() {}
  static readonly patch = this.contract({ body: json(undescribed) })
  async patch() {}
}

const app = new ProofApp(createApp({ routes: { Search, Anything, Notes }, openapi: false }), {})

async function sample(label: string, example: Example = {}, members?: Readonly<Record<string, unknown>>) {
  const target = app.endpoints.find((each) => each.label === label)
  assert.ok(target)
  const input = await sampleInput(target.endpoint, example, { ...app.variant.parts.preparation, members })
  assert.ok(!('issue' in input), JSON.stringify(input))
  return input
}

describe('sampleInput()', () => {
  it('makes strings and lists from schemas, and omits the values of an undescribed schema', async () => {
    const { sources } = await sample('GET /search')
    assert.deepEqual(sources, { params: {}, query: { tag: ['a', 'a'], page: '1' }, headers: {}, cookies: {} })
    assert.deepEqual((await sample('GET /anything')).sources.query, {})
  })

  it('replaces values by an example, with lists, and removes a value for null', async () => {
    const { sources } = await sample('GET /search', { query: { tag: ['x', 'y'], near: null }, headers: { 'X-A': 1 } })
    assert.deepEqual(sources.query, { tag: ['x', 'y'], page: '1' })
    assert.deepEqual(sources.headers, { 'x-a': '1' })
  })

  it('sends strings and bytes of an example as they are, and other values as JSON', async () => {
    assert.equal((await sample('PUT /notes', { body: 'text' })).body, 'text')
    assert.deepEqual((await sample('PUT /notes', { body: Buffer.from('ab') })).body, new Uint8Array([97, 98]))
    assert.equal((await sample('PUT /notes')).body, null)
    assert.equal((await sample('PATCH /notes', { body: [1] })).body, '[1]')
    assert.equal((await sample('PATCH /notes')).body, null)
  })

  it('replaces members of a body, as numbers if the schema has numbers', async () => {
    assert.equal((await sample('POST /notes')).body, '{"noteId":1,"text":"a"}')
    const members = { noteId: '7', text: 'tea', other: 'x' }
    assert.equal((await sample('POST /notes', {}, members)).body, '{"noteId":7,"text":"tea"}')
  })
})
