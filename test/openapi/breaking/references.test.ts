/** References: followed wherever they stand, in circles too; and what is no document. */
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
  it('makes no difference between what stands in place and what is a component, whatever that is called', () => {
    const user = { type: 'object', properties: { name: text }, required: ['name'] }
    const documents = [
      ofSchema(user),
      withSchemas(to('User'), { User: user }),
      withSchemas(to('B'), { B: to('C'), C: user }),
      withSchemas(to('a~1b%20c'), { 'a/b c': { ...user, properties: { name: to('Name') } }, Name: text }),
    ]
    for (const before of documents) for (const after of documents) assert.deepEqual(breaking(before, after), [])
  })

  it('points to where a component stands, and names each change of an operation once', () => {
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
        'POST /a: "/a/name" of the request body no longer takes a text',
        'POST /a: "/b/name" of the request body no longer takes a text',
        'POST /a: "/a/name" of the answer 200 may now be a whole number',
        'POST /a: "/b/name" of the answer 200 may now be a whole number',
      ],
    )
  })

  it('names a change in each operation, also where two schemas lead to each other', () => {
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

  it('takes keywords beside a reference for what they are', () => {
    const before = withSchemas({ ...to('Name'), minLength: 2 }, { Name: text })
    assert.deepEqual(rulesOf(withSchemas(to('Name'), { Name: text }), before), ['request-body-min-length-set'])
  })

  it('compares trees with trees, and finds what has changed in them', () => {
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

  it('compares one that leads to itself alone, and circles of keywords that are compared as a whole', () => {
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

  it('follows those of parameters, bodies, answers, headers and paths', () => {
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

describe('breaking(): what is no document', () => {
  const good = generateDocument({ responses: ok })

  it('is refused', () => {
    for (const wrong of [{}, { swagger: '2.0' }, { openapi: '3.0.3' }, { openapi: '3.2.0' }, [], JSON.parse('null')]) {
      assert.throws(
        () => breaking(wrong, good),
        /^TypeError: Cannot compare documents: "before" is no OpenAPI 3.1 document/,
      )
      assert.throws(() => breaking(good, wrong), /"after" is no OpenAPI 3.1 document/)
    }
  })

  it('is refused where a reference leads to nothing, or out of it', () => {
    for (const $ref of ['#/components/schemas/None', 'other.json#/a', '#/__proto__']) {
      const message = `Cannot compare documents: "${$ref}", at "/paths/~1a/post/requestBody/content/application~1json/schema", leads`
      assert.throws(
        () => breaking(ofSchema({ $ref }), ofSchema({})),
        ({ message: said }: Error) => said.startsWith(message),
      )
    }
  })
})
