/** References, including recursive ones and references in any place, and values that are not a document. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { breaking } from 'verbena/openapi'
import { content, generateDocument, ofSchema, type Part } from '#test/documents.js'

const ok = { 200: { description: 'a' } }
const to = (name: string): Part => ({ $ref: `#/components/schemas/${name}` })
const withSchemas = (schema: Part, schemas: Part): Part => ofSchema(schema, { components: { schemas } })
const text = { type: 'string' }
const rulesOf = (before: Part, after: Part): string[] => breaking(before, after).map(({ rule }) => rule)

describe('breaking(): references', () => {
  it('treats an inline schema and a component of any name as equal', () => {
    const user = { type: 'object', properties: { name: text }, required: ['name'] }
    const documents = [
      ofSchema(user),
      withSchemas(to('User'), { User: user }),
      withSchemas(to('B'), { B: to('C'), C: user }),
      withSchemas(to('a~1b%20c'), { 'a/b c': { ...user, properties: { name: to('Name') } }, Name: text }),
    ]
    for (const before of documents) for (const after of documents) assert.deepEqual(breaking(before, after), [])
  })

  it('points to the component, and reports each change of an operation once', () => {
    const list = (name: Part): Part =>
      withSchemas(
        { type: 'object', properties: { a: to('User'), b: to('User') } },
        { User: { type: 'object', properties: { name } } },
      )
    const changes = breaking(list(text), list({ type: 'integer' }))
    assert.deepEqual(
      new Set(changes.map(({ pointer }) => pointer)),
      new Set(['/components/schemas/User/properties/name']),
    )
    assert.deepEqual(
      changes.map(({ message }) => message),
      [
        'POST /a: "/a/name" of the request body no longer accepts a string',
        'POST /a: "/b/name" of the request body no longer accepts a string',
        'POST /a: "/a/name" of the 200 response may now be an integer',
        'POST /a: "/b/name" of the 200 response may now be an integer',
      ],
    )
  })

  it('reports a change in each operation, even if two schemas refer to each other', () => {
    const each = (required: string[]): Part => {
      const A = { type: 'object', properties: { b: to('B'), x: text }, required }
      const B = { type: 'object', properties: { a: to('A') } }
      const taking = (name: string): Part => ({ requestBody: content(to(name)), responses: ok })
      const paths = { '/a': { post: taking('A') }, '/b': { post: taking('B') } }
      return generateDocument({}, { paths, components: { schemas: { A, B } } })
    }
    const changes = breaking(each([]), each(['x']))
    assert.deepEqual(new Set(changes.map(({ path }) => path)), new Set(['/a', '/b']))
  })

  it('compares keywords next to a reference', () => {
    const before = withSchemas({ ...to('Name'), minLength: 2 }, { Name: text })
    assert.deepEqual(rulesOf(withSchemas(to('Name'), { Name: text }), before), ['request-body-min-length-set'])
  })

  it('finds changes in recursive schemas', () => {
    const tree = (more: Part, name = 'Tree'): Part =>
      withSchemas(to(name), {
        [name]: { type: 'object', properties: { kids: { type: 'array', items: to(name) }, ...more } },
      })
    assert.deepEqual(breaking(tree({}), tree({}, 'Node')), [])
    assert.deepEqual(rulesOf(tree({ a: text }), tree({ a: { type: 'integer' } })), [
      'request-property-type-changed',
      'response-property-type-changed',
    ])
    assert.deepEqual(rulesOf(tree({ a: text }), tree({})), [
      'request-property-removed',
      'response-optional-property-removed',
    ])
  })

  it('compares schemas that only refer to themselves, and cycles in keywords such as "not"', () => {
    const circle = withSchemas(to('A'), { A: to('A') })
    const longer = withSchemas(to('A'), { A: to('B'), B: to('A') })
    assert.deepEqual(breaking(circle, longer), [])
    assert.equal(
      breaking(circle, ofSchema({ ...text, minLength: 2 }))[0]?.pointer,
      '/paths/~1a/post/requestBody/content/application~1json/schema',
    )
    const inner = (name: string): Part =>
      withSchemas({ not: to(name) }, { [name]: { type: 'object', properties: { a: to(name), b: [1, 'a'] } } })
    assert.deepEqual(breaking(inner('A'), inner('B')), [])
    const both = withSchemas({ allOf: [to('A'), to('A')] }, { A: { allOf: [to('A'), text] } })
    assert.deepEqual(breaking(both, ofSchema(text)), [])
  })

  it('resolves references to parameters, bodies, responses, headers and paths', () => {
    const components = {
      parameters: { Q: { name: 'q', in: 'query', required: true, schema: text } },
      requestBodies: { B: { required: true, ...content(text) } },
      responses: { R: { headers: { etag: { $ref: '#/components/headers/H' } }, ...content(text) } },
      headers: { H: { required: true, schema: text } },
      pathItems: { P: {} },
    }
    const ref = (path: string): Part => ({ $ref: `#/components/${path}` })
    const operation = {
      parameters: [ref('parameters/Q')],
      requestBody: ref('requestBodies/B'),
      responses: { 200: ref('responses/R') },
    }
    const referring = {
      ...generateDocument({}, { components: { ...components, pathItems: { P: { post: operation } } } }),
      paths: { '/a': ref('pathItems/P') },
    }
    const inPlace = generateDocument({
      parameters: [components.parameters.Q],
      requestBody: components.requestBodies.B,
      responses: { 200: { ...content(text), headers: { etag: components.headers.H } } },
    })
    assert.deepEqual([breaking(referring, inPlace), breaking(inPlace, referring)], [[], []])
    assert.deepEqual(rulesOf(generateDocument({ responses: ok }), referring), [
      'new-required-request-parameter',
      'request-body-added-required',
    ])
  })
})

describe('breaking(): invalid documents', () => {
  const good = generateDocument({ responses: ok })

  it('rejects a value that is not a document of OpenAPI 3.0, 3.1 or 3.2', () => {
    for (const wrong of [{}, { swagger: '2.0' }, { openapi: '3.01' }, { openapi: '3.3.0' }, [], JSON.parse('null')]) {
      assert.throws(
        () => breaking(wrong, good),
        /^TypeError: Cannot compare documents: "before" must be an OpenAPI document of version 3\.0, 3\.1 or 3\.2/,
      )
      assert.throws(() => breaking(good, wrong), /"after" must be an OpenAPI document of version 3\.0, 3\.1 or 3\.2/)
    }
  })

  it('rejects a reference without a target in the document', () => {
    for (const $ref of ['#/components/schemas/None', 'other.json#/a', '#/__proto__']) {
      const message = `Cannot compare documents: the reference "${$ref}" at "/paths/~1a/post/requestBody/content/application~1json/schema" has no target`
      assert.throws(
        () => breaking(ofSchema({ $ref }), ofSchema({})),
        ({ message: said }: Error) => said.startsWith(message),
      )
    }
  })
})
