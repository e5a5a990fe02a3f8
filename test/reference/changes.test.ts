import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listChanges } from '#src/reference/changes.js'
import { readModel } from '#src/reference/model.js'

const json = (schema: object) => ({ content: { 'application/json': { schema } } })

/** Returns the differences of an operation as text: the part, and its old and new description. */
function differences(before: object, after: object, components: object = {}): string[] {
  const [old, current] = [before, after].map((get) => readModel({ paths: { '/teas/{id}': { get } }, components }))
  assert.ok(old !== undefined && current !== undefined)
  const { added, removed, changed } = listChanges(old, current)
  assert.deepEqual([added, removed], [[], []])
  return changed.flatMap(({ differences: rows }) =>
    rows.map(
      ({ kind, name, owner, before: was, after: is }) =>
        `${kind} ${name}${owner && ` of ${owner}`}: ${was ?? '-'} -> ${is ?? '-'}`,
    ),
  )
}

describe('listChanges()', () => {
  it('lists operations that are new or removed, by method and shape of the path', () => {
    const before = readModel({
      paths: { '/teas/{id}': { get: {}, put: {} }, '/old': { get: {} } },
      webhooks: { sold: { post: {} } },
    })
    const after = readModel({ paths: { '/teas/{teaId}': { get: {}, patch: {} }, '/new': { get: {} } } })
    const { added, removed, changed } = listChanges(before, after)
    const names = [added, removed].map((all) => all.map(({ method, path }) => `${method} ${path}`))
    assert.deepEqual(names, [
      ['PATCH /teas/{teaId}', 'GET /new'],
      ['PUT /teas/{id}', 'GET /old', 'POST sold'],
    ])
    assert.deepEqual(changed, [])
  })

  it('lists parameters that are new, removed or different', () => {
    const parameter = (name: string, others: object) => ({ name, in: 'query', ...others })
    const before = [parameter('a', { schema: { type: 'string' } }), parameter('b', { schema: { type: 'integer' } })]
    const after = [
      parameter('b', { schema: { type: 'integer', minimum: 1 }, required: true }),
      { name: 'c', in: 'header', schema: { type: 'string' }, description: 'Another' },
      { name: 'Accept-Version', in: 'header', schema: { type: 'string' }, description: 'Version of the API: 2.x' },
      { name: 'X-Schema-Version', in: 'header', schema: { type: 'string' } },
    ]
    assert.deepEqual(differences({ parameters: before }, { parameters: after }), [
      'query parameter a: string -> -',
      'query parameter b: integer -> integer, ≥ 1, required',
      'header parameter c: - -> string',
      'header parameter X-Schema-Version: - -> string',
    ])
  })

  it('lists fields of bodies, also of schemas with a name and of lists', () => {
    const object = (properties: object, ...required: string[]) => ({ type: 'object', properties, required })
    const City = object({ name: { type: 'string' } })
    const $ref = '#/components/schemas/City'
    const before = {
      requestBody: json(object({ city: { type: 'string' } })),
      responses: { 200: json({ type: 'array', items: City }) },
    }
    const after = {
      requestBody: { required: true, ...json(object({ city: { $ref } }, 'city')) },
      responses: {
        200: json({ type: 'array', items: object({ name: { type: 'string' }, size: { type: 'integer' } }) }),
      },
    }
    assert.deepEqual(differences(before, after, { schemas: { City } }), [
      'request body : application/json object -> application/json object, required',
      'field city of request body: string -> object, required',
      'field city.name of request body: - -> string',
      'field size of 200 response: - -> integer',
    ])
  })

  it('does not list other names of schemas, descriptions and examples', () => {
    const schema = { type: 'object', properties: { name: { type: 'string' } } }
    const operation = (name: string) => ({
      summary: name,
      responses: {
        200: { description: name, ...json({ type: 'array', items: { $ref: `#/components/schemas/${name}` } }) },
      },
    })
    assert.deepEqual(
      differences(operation('A'), operation('B'), { schemas: { A: schema, B: { ...schema, description: 'b' } } }),
      [],
    )
  })

  it('lists credentials, deprecation, media types and statuses', () => {
    const before = { responses: { 200: json({ type: 'string' }), 204: {}, 409: json({ type: 'string' }) } }
    const after = {
      deprecated: true,
      security: [{ key: [], user: [] }, {}],
      responses: {
        200: { content: { 'text/event-stream': { itemSchema: { type: 'string' } }, 'application/jsonl': {} } },
        404: json({ type: 'object', properties: { detail: { type: 'string' } } }),
      },
    }
    assert.deepEqual(differences(before, after), [
      'credentials : none -> key + user or none',
      '200 response : application/json string -> text/event-stream or application/jsonl string',
      '204 response :  -> -',
      '409 response :  -> -',
      'deprecation : - -> ',
      '404 response : - -> ',
    ])
  })

  it('reads a limited number of parts of hostile documents', () => {
    const names = Array.from({ length: 300 }, (_, index) => `f${index}`)
    const $ref = '#/components/schemas/Node'
    const Node = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { $ref }])) }
    const paths = (schema: object) =>
      Object.fromEntries(names.map((name) => [`/${name}`, { post: { requestBody: json(schema) } }]))
    const before = readModel({ paths: paths({ $ref }), components: { schemas: { Node } } })
    const after = readModel({ paths: { ...paths({ type: 'string' }) } })
    const { changed } = listChanges(before, after)
    // All parts of 300 operations would be 300 ** 4.
    assert.equal(changed.length, 300)
    assert.ok(changed.every(({ differences: rows }) => rows.length <= 500))
    const same = readModel({
      paths: Object.fromEntries(
        Array.from({ length: 1_000 }, (_, index) => [`/${index}`, { post: { requestBody: json({ $ref }) } }]),
      ),
      components: { schemas: { Node } },
    })
    const other = readModel({
      paths: Object.fromEntries(
        Array.from({ length: 1_000 }, (_, index) => [
          `/${index}`,
          { post: { requestBody: json({ $ref }), deprecated: true } },
        ]),
      ),
      components: { schemas: { Node } },
    })
    assert.equal(listChanges(same, other).changed.length, 200)
  })
})
