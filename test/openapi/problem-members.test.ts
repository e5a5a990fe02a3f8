/** Problems in documents whose members a schema of the author's says. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Route } from 'verbena'
import { looseContract } from '#test/apps.js'
import { readDocument, findOperation, resolveReference } from '#test/openapi.js'
import * as z from 'zod'

/** Returns the schemas of the problem of a status. */
function problemWith(errors: object, status: string): unknown {
  class Probe extends Route {
    static readonly post = looseContract(Probe, { errors })
    post() {}
  }
  const document = readDocument({ Probe })
  const { content } = Object(findOperation(document, '/probe', 'post').responses[status])
  return content['application/problem+json'].schema.allOf.map((part: object) => resolveReference(document, part))
}

describe('openapi: members of a problem', () => {
  it('replaces members of Verbena by members of a declared schema', () => {
    const own = z.object({ errors: z.record(z.string(), z.array(z.string())) })
    const [usual, rest, said] = Object(problemWith({ 422: own }, '422'))
    assert.deepEqual(Object.keys(usual.properties), ['type', 'title', 'status', 'detail', 'requestId'])
    assert.deepEqual(Object.keys(rest.properties), ['omitted'])
    assert.equal(said.properties.errors.type, 'object')
  })

  it('replaces members that parts and alternatives of a schema declare', () => {
    const taken = z.object({ type: z.literal('https://e.example/taken') })
    const own = z.union([taken, z.intersection(z.object({ detail: z.literal('a') }), z.object({ seat: z.string() }))])
    const [usual] = Object(problemWith({ 409: own }, '409'))
    assert.deepEqual(Object.keys(usual.properties), ['title', 'status', 'requestId'])
    assert.deepEqual(usual.required, ['title', 'status', 'requestId'])
  })

  it('keeps the members of Verbena if a schema declares other members', () => {
    const [usual] = Object(problemWith({ 422: z.object({ seat: z.string() }) }, '422'))
    assert.equal(usual.allOf.length, 2)
  })
})
