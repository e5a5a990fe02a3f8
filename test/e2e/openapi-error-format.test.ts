/** Errors in documents: in a format of the author's. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { group, Route, type OpenApiDocument } from 'verbena'
import { looseContract, createUntypedApp } from '#test/apps.js'
import { validateDocument, readDocument, findOperation, resolveReference } from '#test/openapi.js'
import * as z from 'zod'

const Failed = z.object({ errors: z.record(z.string(), z.array(z.string())) })
const format = { mediaType: 'application/json; charset=utf-8', schema: Failed, write: () => ({ errors: {} }) }
const other = { schema: z.object({ code: z.number() }), write: () => ({ code: 1 }) }

class Seat extends Route {
  static readonly post = looseContract(Seat, {
    body: z.object({ name: z.string() }),
    returns: z.object({ id: z.string() }),
    errors: { 404: 'No such seat', 409: z.object({ seat: z.string() }) },
  })
  post() {}
}

/** Returns the media types and schemas of the error responses, by status. */
function errorsOf(document: OpenApiDocument, path: string): Record<string, unknown> {
  const { responses } = findOperation(document, path, 'post')
  const errors = Object.entries(responses).filter(([status]) => status !== '200')
  return Object.fromEntries(
    errors.map(([status, response]) => {
      const [entry = assert.fail('no content')] = Object.entries(Object(resolveReference(document, response)).content)
      return [status, [entry[0], Object(entry[1]).schema]]
    }),
  )
}

describe('openapi: custom error format', () => {
  it('documents every error response with the custom format instead of problem details', async () => {
    const document = readDocument({ Seat }, { errorFormat: format })
    const described = ['application/json', { $ref: '#/components/schemas/Error' }]
    const errors = errorsOf(document, '/seat')
    assert.deepEqual(Object.keys(errors), ['400', '404', '406', '408', '409', '413', '415', '422', 'default'])
    for (const [status, said] of Object.entries(errors)) assert.deepEqual(said, described, status)
    assert.deepEqual(Object.keys(document.components.schemas), ['Error', 'SeatPostBody', 'SeatPostResponse'])
    const { responses } = findOperation(document, '/seat', 'post')
    assert.equal(Object(responses['404']).description, 'No such seat')
    assert.deepEqual(responses['409'], { $ref: '#/components/responses/Error409' })
    assert.equal(document.components.responses['ErrorOther']?.description, 'Any other error')
    assert.deepEqual(await validateDocument(document), [])
  })

  it('documents the error format of each group', async () => {
    const routes = { Seat, '/v1': group({ errorFormat: format, routes: { Seat } }) }
    const document = readDocument({ ...routes, '/v2': group({ errorFormat: other, routes: { Seat } }) })
    assert.deepEqual(errorsOf(document, '/seat')['404'], [
      'application/problem+json',
      { $ref: '#/components/schemas/Problem' },
    ])
    assert.deepEqual(errorsOf(document, '/v1/seat')['413'], [
      'application/json',
      { $ref: '#/components/schemas/Error' },
    ])
    assert.deepEqual(errorsOf(document, '/v2/seat')['413'], [
      'application/problem+json',
      { $ref: '#/components/schemas/Error2' },
    ])
    const { responses } = findOperation(document, '/v2/seat', 'post')
    assert.deepEqual(responses['413'], { $ref: '#/components/responses/Error2_413' })
    assert.deepEqual(await validateDocument(document), [])
  })

  it('reports a schema of an error format without JSON Schema once', () => {
    const schema = z.object({ at: z.symbol() })
    const routes = { Seat, '/v1': { Seat } }
    const app = createUntypedApp({ routes, errorFormat: { schema, write: () => ({}) } })
    const found = app.check().filter(({ message }) => message.includes('The schema of "errorFormat"'))
    assert.deepEqual(
      found.map(({ code, route }) => [code, route]),
      [['SCHEMA_UNDESCRIBED', 'Seat']],
    )
  })
})
