import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Route, type JsonSchema, type Schema } from 'verbena'
import { createUntypedApp, looseContract } from '#test/apps.js'
import { describedSchema } from '#test/described-schemas.js'
import { validateDocument, readDocument, ownComponents } from '#test/openapi.js'

const REF = '#/components/schemas/'
const text = { type: 'string' }

function routeOf(contract: object) {
  return class extends Route {
    static readonly post = looseContract(this, contract)
    post() {}
  }
}

function schemasOf(routes: object): Readonly<Record<string, JsonSchema>> {
  const { schemas } = readDocument(routes).components
  return schemas
}

const object = (properties: object): JsonSchema => ({ type: 'object', properties })

describe('openapi: components', () => {
  it('creates one component for a schema that an endpoint uses twice', () => {
    const shared = describedSchema(object({ a: text }))
    const document = readDocument({ One: routeOf({ body: shared, returns: shared }) })
    assert.deepEqual(ownComponents(document), ['OnePostResponse'])
    assert.equal(JSON.stringify(document.paths).split(`${REF}OnePostResponse`).length - 1, 2)
  })

  it('creates separate components for equal schemas without a name', () => {
    const document = readDocument({
      One: routeOf({ returns: describedSchema(object({ a: text })) }),
      Two: routeOf({ returns: describedSchema(object({ a: text })) }),
    })
    assert.deepEqual(ownComponents(document), ['OnePostResponse', 'TwoPostResponse'])
  })

  it('resolves references to $id, which TypeBox uses in recursive schemas', async () => {
    const tree = describedSchema({ ...Object(object({ kids: { type: 'array', items: { $ref: 'T0' } } })), $id: 'T0' })
    const document = readDocument({ One: routeOf({ returns: tree }) })
    const [name = ''] = ownComponents(document)
    const items = { $ref: `${REF}${name}` }
    assert.deepEqual(Object(document.components.schemas[name]).properties, { kids: { type: 'array', items } })
    assert.deepEqual(await validateDocument(document), [])
  })

  it('creates no component for scalars and arrays without a name', () => {
    const list = describedSchema({ type: 'array', items: object({ a: text }) })
    const scalar = describedSchema({ anyOf: [text, { type: 'null' }, false] })
    assert.deepEqual(ownComponents(readDocument({ One: routeOf({ body: scalar, returns: list }) })), [])
  })

  it('creates a component for alternatives of objects', () => {
    const either = describedSchema({ oneOf: [object({ a: text }), object({ b: text })] })
    assert.deepEqual(ownComponents(readDocument({ One: routeOf({ returns: either }) })), ['OnePostResponse'])
  })

  it('makes equal names unique with a number, or with Input and Output', () => {
    const named = (key: string) => describedSchema({ $ref: '#/$defs/Same', $defs: { Same: object({ [key]: text }) } })
    const outputs = { One: routeOf({ returns: named('a') }), Two: routeOf({ returns: named('b') }) }
    assert.deepEqual(ownComponents(readDocument(outputs)), ['Same', 'Same2'])
    const sides = { One: routeOf({ body: named('a'), returns: named('b') }), Two: routeOf({ returns: named('c') }) }
    assert.deepEqual(ownComponents(readDocument(sides)), ['SameInput', 'SameOutput', 'SameOutput2'])
  })

  it('merges schemas with the same name that differ only in the order of keys', () => {
    const one = describedSchema({ $ref: '#/$defs/A', $defs: { A: object({ a: text, b: text }) } })
    const other = describedSchema({
      $ref: '#/$defs/A',
      $defs: { A: { properties: { b: text, a: text }, type: 'object' } },
    })
    const document = readDocument({ One: routeOf({ returns: one }), Two: routeOf({ returns: other }) })
    assert.deepEqual(ownComponents(document), ['A'])
  })

  it('does not merge recursive schemas that differ only in a referenced schema', () => {
    const chain = (end: JsonSchema) =>
      describedSchema({
        $ref: '#/$defs/A',
        $defs: { A: object({ next: { $ref: '#/$defs/B' } }), B: object({ back: { $ref: '#/$defs/A' }, end }) },
      })
    const routes = {
      One: routeOf({ returns: chain(text) }),
      Two: routeOf({ returns: chain(text) }),
      Three: routeOf({ returns: chain({ type: 'number' }) }),
    }
    const schemas = schemasOf(routes)
    assert.deepEqual(Object.keys(schemas), ['Problem', 'A', 'A2', 'B', 'B2'])
    assert.deepEqual(Object(schemas['A2']).properties, { next: { $ref: `${REF}B2` } })
    assert.deepEqual(Object(schemas['B2']).properties.back, { $ref: `${REF}A2` })
  })

  it('reserves Problem and ValidationProblem, even if they are unused', () => {
    const named = (name: string) => describedSchema({ $ref: `#/$defs/${name}`, $defs: { [name]: object({ a: text }) } })
    const namesOf = (contract: object) => Object.keys(schemasOf({ One: routeOf(contract) }))
    assert.deepEqual(namesOf({ returns: named('Problem') }), ['Problem', 'Problem2'])
    assert.deepEqual(namesOf({ returns: named('ValidationProblem') }), ['Problem', 'ValidationProblem2'])
    assert.deepEqual(namesOf({ body: named('ValidationProblem') }), [
      'Problem',
      'ValidationProblem',
      'ValidationProblem2',
    ])
  })

  it('replaces characters that are invalid in component names', () => {
    const odd = describedSchema({ $ref: '#/$defs/a~1b c', $defs: { 'a/b c': object({ a: text }) } })
    const routes = {
      'größe-maß': routeOf({ returns: describedSchema(object({ a: text })) }),
      Two: routeOf({ returns: odd }),
    }
    assert.deepEqual(ownComponents(readDocument(routes)), ['Gr__eMa_PostResponse', 'a_b_c'])
  })
})

describe('openapi: components named after their use', () => {
  const shared = describedSchema(object({ a: text }))
  it('names a schema after the only route that returns it, even if several routes accept it', () => {
    const takes = { Two: routeOf({ body: shared }), Three: routeOf({ body: shared }) }
    const returns = { One: routeOf({ returns: shared }) }
    for (const routes of [
      { ...takes, ...returns },
      { ...returns, ...takes },
    ]) {
      const document = readDocument(routes)
      assert.deepEqual(ownComponents(document), ['OnePostResponse'])
      assert.equal(JSON.stringify(document.paths).split(`${REF}OnePostResponse`).length - 1, 3)
    }
  })

  it('names a schema after the only route that accepts it, if no route returns it', () => {
    assert.deepEqual(ownComponents(readDocument({ One: routeOf({ body: shared }) })), ['OnePostBody'])
  })

  it('includes verb and role in a name only if all uses share them', () => {
    const rows: readonly (readonly [routes: object, name: string])[] = [
      [{ One: routeOf({ returns: { 200: shared, 201: shared } }) }, 'OnePostResponse'],
      [{ One: routeOf({ returns: { 200: shared, 201: describedSchema(object({ b: text })) } }) }, 'OnePostResponse200'],
      [{ One: routeOf({ returns: shared, errors: { 409: shared } }) }, 'OnePost'],
    ]
    for (const [routes, name] of rows) assert.ok(ownComponents(readDocument(routes)).includes(name), name)
    class Both extends Route {
      static readonly get = looseContract(this, { returns: shared })
      static readonly put = looseContract(this, { body: shared, returns: shared })
      get() {}
      put() {}
    }
    assert.deepEqual(ownComponents(readDocument({ Both })), ['BothResponse'])
  })

  it('inlines a schema without a name that several routes return or accept', () => {
    for (const contract of [{ returns: shared }, { body: shared }]) {
      const document = readDocument({ One: routeOf(contract), Two: routeOf(contract) })
      assert.deepEqual(ownComponents(document), [])
      const shown = JSON.stringify(document.paths).split('"properties":{"a":{"type":"string"}}').length - 1
      assert.equal(shown, 2)
    }
  })

  it('names components independently of the order of routes', () => {
    const inner = describedSchema(object({ a: object({ b: text }), c: { $ref: '#/properties/a' } }))
    const routes = Object.entries({
      One: routeOf({ body: shared, returns: inner }),
      Two: routeOf({ returns: shared }),
      Three: routeOf({ body: inner }),
    })
    const componentsOf = (entries: typeof routes): unknown =>
      readDocument(Object.fromEntries(entries)).components.schemas
    assert.deepEqual(componentsOf(routes.toReversed()), componentsOf(routes))
    assert.deepEqual(ownComponents(readDocument(Object.fromEntries(routes))), [
      'OnePostResponse',
      'OnePostResponseC',
      'TwoPostResponse',
    ])
  })

  it('names a union that equals the definition it refers to, and that refers to itself', async () => {
    const union: JsonSchema = { anyOf: [{ $ref: '#/$defs/0' }] }
    const returns = describedSchema({ ...union, $defs: { '0': union } })
    const document = readDocument({ One: routeOf({ returns }), Two: routeOf({ returns }) })
    const [name = ''] = ownComponents(document)
    assert.deepEqual(ownComponents(document), [name])
    assert.deepEqual(document.components.schemas[name], { anyOf: [{ $ref: `${REF}${name}` }] })
    assert.deepEqual(await validateDocument(document), [])
  })

  it('names a recursive schema after all its routes', async () => {
    const tree = describedSchema(object({ kids: { type: 'array', items: { $ref: '#' } } }))
    const app = createUntypedApp({ routes: { Woods: routeOf({ returns: tree }), Trees: routeOf({ returns: tree }) } })
    assert.deepEqual(ownComponents(app.openapi()), ['TreesWoods'])
    assert.deepEqual(await validateDocument(app.openapi()), [])
  })

  it('keeps keywords next to a reference whose target is inlined', () => {
    const both = describedSchema(object({ a: object({ b: text }), c: { $ref: '#/properties/a', description: 'of c' } }))
    const { paths } = readDocument({ One: routeOf({ returns: both }), Two: routeOf({ returns: both }) })
    const shown: unknown = paths['/one']?.['post']?.responses['200']
    const { properties } = Object(shown).content['application/json'].schema
    assert.deepEqual(properties.c, { description: 'of c', allOf: [object({ b: text })] })
  })

  it('inlines a reference to a reference', () => {
    const $defs = { A: object({ a: text }) }
    const chain = describedSchema({
      ...Object(object({ a: { $ref: '#/$defs/A', title: 'x y, z' }, b: { $ref: '#/properties/a' } })),
      $defs,
    })
    const document = readDocument({ One: routeOf({ returns: chain }), Two: routeOf({ returns: chain }) })
    assert.deepEqual(ownComponents(document), ['A'])
    assert.ok(!JSON.stringify(document).includes(`"${REF}"`))
  })
})

describe('openapi: references in schemas', () => {
  const lifted = (root: JsonSchema): JsonSchema | undefined =>
    schemasOf({ One: routeOf({ returns: describedSchema(root) }) })['OnePostResponse']

  it('keeps keywords next to a reference', () => {
    const root = {
      ...Object(object({ a: { $ref: '#/$defs/A', description: 'first' } })),
      $defs: { A: object({ b: text }) },
    }
    assert.deepEqual(Object(lifted(root)).properties, { a: { $ref: `${REF}A`, description: 'first' } })
  })

  it('keeps keywords next to a reference at the root of a schema', () => {
    const root = { $ref: '#/$defs/A', description: 'the only one', $defs: { A: object({ b: text }) } }
    const { paths, components } = readDocument({ One: routeOf({ returns: describedSchema(root) }) })
    const { content } = Object(paths['/one']?.['post']?.responses['200'])
    assert.deepEqual(content['application/json'].schema, { $ref: `${REF}A`, description: 'the only one' })
    assert.ok('A' in components.schemas)
  })

  it('resolves references to any place in a schema', () => {
    const root = object({ a: object({ b: text }), c: { $ref: '#/properties/a' } })
    assert.deepEqual(Object(lifted(root)).properties.c, { $ref: `${REF}OnePostResponseC` })
  })

  it('resolves definitions of older drafts, chains of references and references to true', () => {
    const definitions = { A: { $ref: '#/definitions/B' }, B: object({ b: text }), Any: true }
    const root = {
      ...Object(object({ a: { $ref: '#/definitions/A' }, any: { $ref: '#/definitions/Any' } })),
      definitions,
    }
    assert.deepEqual(Object(lifted(root)).properties, { a: { $ref: `${REF}B` }, any: {} })
  })

  it('does not change references to other documents', () => {
    const root = object({ a: { $ref: 'https://example.com/a.json' } })
    assert.deepEqual(Object(lifted(root)).properties, { a: { $ref: 'https://example.com/a.json' } })
  })

  it('rewrites references in all keywords that contain schemas', () => {
    const A = { $ref: '#/$defs/A' }
    const inner = {
      ...{ patternProperties: { x: A }, additionalProperties: A, propertyNames: A, not: A },
      ...Object.fromEntries(['if', 'then', 'else'].map((keyword) => [keyword, A])),
      ...{
        prefixItems: [A, true, false],
        items: [A],
        contains: A,
        allOf: [A],
        dependentSchemas: { y: A },
        contentSchema: A,
      },
    }
    const root = { ...Object(object({ inner })), $defs: { A: object({ b: text }) } }
    const found = JSON.stringify(Object(lifted(root)).properties)
    assert.equal(found.split(`"${REF}A"`).length - 1, 13, found)
    assert.ok(!found.includes('$defs'), found)
    assert.ok(found.includes('[{"$ref":"#/components/schemas/A"},{},{"not":{}}]'), found)
  })

  it('does not treat property names as keywords', () => {
    const root = object({ $ref: text, properties: text, id: text, $defs: text, enum: { enum: ['a'] } })
    assert.deepEqual(lifted(root), root)
  })

  it('ignores keywords with invalid values', () => {
    const root = { properties: { a: { items: 'odd', properties: 7, anyOf: 'odd', $ref: 8 } } }
    assert.deepEqual(lifted(root), { properties: { a: { items: 'odd', properties: 7, anyOf: 'odd' } } })
  })

  it('reports a dangling reference, and documents it as {}', async () => {
    const routes = {
      One: routeOf({ returns: describedSchema(object({ a: { $ref: '#/$defs/None' }, b: { $ref: '#x' } })) }),
    }
    const app = createUntypedApp({ routes })
    assert.deepEqual(await validateDocument(app.openapi()), [])
    assert.deepEqual(Object(app.openapi().components.schemas['OnePostResponse']).properties, { a: {}, b: {} })
    assert.deepEqual(
      app.check().map(({ code, route, method, message }) => [code, `${method} ${route}`, message]),
      ['#/$defs/None', '#x'].map((reference) => {
        return [
          'DOCUMENT_GAP',
          'POST One',
          `The schema of "response" has the reference "${reference}", which has no target`,
        ]
      }),
    )
  })

  it('reports references that form a cycle', () => {
    const circle = describedSchema({ $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/B' }, B: { $ref: '#/$defs/A' } } })
    const app = createUntypedApp({ routes: { One: routeOf({ returns: circle }) } })
    assert.equal(app.check()[0]?.code, 'DOCUMENT_GAP')
    assert.equal(JSON.stringify(app.openapi()).includes('$defs'), false)
  })

  it('converts true and false to {} and { not: {} }, but keeps false that closes an object or an array', () => {
    const shut = { additionalProperties: false, unevaluatedItems: false, items: false, unevaluatedProperties: false }
    assert.deepEqual(lifted(object({ a: true, b: false, c: shut, d: { items: true } })), {
      type: 'object',
      properties: {
        a: {},
        b: { not: {} },
        c: { unevaluatedItems: false, items: false, unevaluatedProperties: false },
        d: { items: {} },
      },
    })
    const { paths } = readDocument({ One: routeOf({ body: describedSchema(false), returns: describedSchema(true) }) })
    assert.deepEqual(paths['/one']?.['post']?.requestBody?.content, { 'application/json': { schema: { not: {} } } })
  })

  it('completes a reference in a parameter', () => {
    const query = describedSchema({
      properties: { a: { $ref: '#/$defs/A', description: 'first' } },
      $defs: { A: { anyOf: [object({}), text] } },
    })
    const { paths } = readDocument({ One: routeOf({ query }) })
    const [parameter] = paths['/one']?.['post']?.parameters ?? []
    assert.deepEqual(parameter?.schema, { $ref: `${REF}A`, description: 'first' })
  })

  it('creates no component without a reference in the document', () => {
    const A = { $ref: '#/$defs/A' }
    const $defs = { A: object({ b: { $ref: '#/$defs/B' } }), B: object({}) }
    const params = describedSchema({ ...Object(object({ stray: A })), $defs })
    assert.deepEqual(ownComponents(readDocument({ One: routeOf({ params }) })), [])
  })

  it('resolves a reference from a parameter to the root schema', () => {
    const node: Schema = describedSchema(object({ kids: { type: 'array', items: { anyOf: [{ $ref: '#' }, text] } } }))
    const { paths, components } = readDocument({ One: routeOf({ query: node }) })
    const [parameter] = paths['/one']?.['post']?.parameters ?? []
    assert.deepEqual(parameter?.schema, { type: 'array', items: { anyOf: [{ $ref: `${REF}OnePostQuery` }, text] } })
    assert.ok('OnePostQuery' in components.schemas)
  })
})
