import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Route, type JsonSchema, type Schema } from 'verbena'
import { createUntypedApp, looseContract } from '#test/apps.js'
import { describedSchema } from '#test/described.js'
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

describe('components', () => {
  it('has one for a schema that one endpoint uses in several places', () => {
    const shared = describedSchema(object({ a: text }))
    const document = readDocument({ One: routeOf({ body: shared, returns: shared }) })
    assert.deepEqual(ownComponents(document), ['OnePostResponse'])
    assert.equal(JSON.stringify(document.paths).split(`${REF}OnePostResponse`).length - 1, 2)
  })

  it('has two for schemas that look the same but are not: they may part tomorrow', () => {
    const document = readDocument({
      One: routeOf({ returns: describedSchema(object({ a: text })) }),
      Two: routeOf({ returns: describedSchema(object({ a: text })) }),
    })
    assert.deepEqual(ownComponents(document), ['OnePostResponse', 'TwoPostResponse'])
  })

  it('resolves references to an $id, as TypeBox writes them in recursive schemas', async () => {
    const tree = describedSchema({ ...Object(object({ kids: { type: 'array', items: { $ref: 'T0' } } })), $id: 'T0' })
    const document = readDocument({ One: routeOf({ returns: tree }) })
    const [name = ''] = ownComponents(document)
    const items = { $ref: `${REF}${name}` }
    assert.deepEqual(Object(document.components.schemas[name]).properties, { kids: { type: 'array', items } })
    assert.deepEqual(await validateDocument(document), [])
  })

  it('has none for scalars and lists without a name', () => {
    const list = describedSchema({ type: 'array', items: object({ a: text }) })
    const scalar = describedSchema({ anyOf: [text, { type: 'null' }, false] })
    assert.deepEqual(ownComponents(readDocument({ One: routeOf({ body: scalar, returns: list }) })), [])
  })

  it('has one for alternatives of objects', () => {
    const either = describedSchema({ oneOf: [object({ a: text }), object({ b: text })] })
    assert.deepEqual(ownComponents(readDocument({ One: routeOf({ returns: either }) })), ['OnePostResponse'])
  })

  it('numbers different schemas of one name, and tells sides apart by words', () => {
    const named = (key: string) => describedSchema({ $ref: '#/$defs/Same', $defs: { Same: object({ [key]: text }) } })
    const outputs = { One: routeOf({ returns: named('a') }), Two: routeOf({ returns: named('b') }) }
    assert.deepEqual(ownComponents(readDocument(outputs)), ['Same', 'Same2'])
    const sides = { One: routeOf({ body: named('a'), returns: named('b') }), Two: routeOf({ returns: named('c') }) }
    assert.deepEqual(ownComponents(readDocument(sides)), ['SameInput', 'SameOutput', 'SameOutput2'])
  })

  it('takes schemas of one name for one when only the order of their keys differs', () => {
    const one = describedSchema({ $ref: '#/$defs/A', $defs: { A: object({ a: text, b: text }) } })
    const other = describedSchema({
      $ref: '#/$defs/A',
      $defs: { A: { properties: { b: text, a: text }, type: 'object' } },
    })
    const document = readDocument({ One: routeOf({ returns: one }), Two: routeOf({ returns: other }) })
    assert.deepEqual(ownComponents(document), ['A'])
  })

  it('tells recursive schemas apart that differ only in what they lead to', () => {
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

  it('leaves its own names to the framework, also where that has no use for them', () => {
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

  it('makes names of what may not stand in them', () => {
    const odd = describedSchema({ $ref: '#/$defs/a~1b c', $defs: { 'a/b c': object({ a: text }) } })
    const routes = {
      'größe-maß': routeOf({ returns: describedSchema(object({ a: text })) }),
      Two: routeOf({ returns: odd }),
    }
    assert.deepEqual(ownComponents(readDocument(routes)), ['Gr__eMa_PostResponse', 'a_b_c'])
  })
})

describe('names by use', () => {
  const shared = describedSchema(object({ a: text }))
  it('is that of the one route that returns it, however many take it', () => {
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

  it('is that of the one route that takes it, where none returns it', () => {
    assert.deepEqual(ownComponents(readDocument({ One: routeOf({ body: shared }) })), ['OnePostBody'])
  })

  it('has of verb and role what all uses have in common', () => {
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

  it('is none for what several routes return, or take: it is shown where it stands', () => {
    for (const contract of [{ returns: shared }, { body: shared }]) {
      const document = readDocument({ One: routeOf(contract), Two: routeOf(contract) })
      assert.deepEqual(ownComponents(document), [])
      const shown = JSON.stringify(document.paths).split('"properties":{"a":{"type":"string"}}').length - 1
      assert.equal(shown, 2)
    }
  })

  it('does not depend on the order of routes', () => {
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

  it('names all its routes where a schema leads to itself, which nothing in place can', async () => {
    const tree = describedSchema(object({ kids: { type: 'array', items: { $ref: '#' } } }))
    const app = createUntypedApp({ routes: { Woods: routeOf({ returns: tree }), Trees: routeOf({ returns: tree }) } })
    assert.deepEqual(ownComponents(app.openapi()), ['TreesWoods'])
    assert.deepEqual(await validateDocument(app.openapi()), [])
  })

  it('keeps what stands beside a part that is shown in place', () => {
    const both = describedSchema(object({ a: object({ b: text }), c: { $ref: '#/properties/a', description: 'of c' } }))
    const { paths } = readDocument({ One: routeOf({ returns: both }), Two: routeOf({ returns: both }) })
    const shown: unknown = paths['/one']?.['post']?.responses['200']
    const { properties } = Object(shown).content['application/json'].schema
    assert.deepEqual(properties.c, { description: 'of c', allOf: [object({ b: text })] })
  })

  it('shows in place what is nothing but a reference with words', () => {
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

describe('references', () => {
  const lifted = (root: JsonSchema): JsonSchema | undefined =>
    schemasOf({ One: routeOf({ returns: describedSchema(root) }) })['OnePostResponse']

  it('keeps what stands beside a reference', () => {
    const root = {
      ...Object(object({ a: { $ref: '#/$defs/A', description: 'first' } })),
      $defs: { A: object({ b: text }) },
    }
    assert.deepEqual(Object(lifted(root)).properties, { a: { $ref: `${REF}A`, description: 'first' } })
  })

  it('keeps what stands beside a reference that is all of a schema', () => {
    const root = { $ref: '#/$defs/A', description: 'the only one', $defs: { A: object({ b: text }) } }
    const { paths, components } = readDocument({ One: routeOf({ returns: describedSchema(root) }) })
    const { content } = Object(paths['/one']?.['post']?.responses['200'])
    assert.deepEqual(content['application/json'].schema, { $ref: `${REF}A`, description: 'the only one' })
    assert.ok('A' in components.schemas)
  })

  it('follows references to any place', () => {
    const root = object({ a: object({ b: text }), c: { $ref: '#/properties/a' } })
    assert.deepEqual(Object(lifted(root)).properties.c, { $ref: `${REF}OnePostResponseC` })
  })

  it('follows definitions of older drafts, chains of references, and those to true', () => {
    const definitions = { A: { $ref: '#/definitions/B' }, B: object({ b: text }), Any: true }
    const root = {
      ...Object(object({ a: { $ref: '#/definitions/A' }, any: { $ref: '#/definitions/Any' } })),
      definitions,
    }
    assert.deepEqual(Object(lifted(root)).properties, { a: { $ref: `${REF}B` }, any: {} })
  })

  it('leaves references to other documents alone', () => {
    const root = object({ a: { $ref: 'https://example.com/a.json' } })
    assert.deepEqual(Object(lifted(root)).properties, { a: { $ref: 'https://example.com/a.json' } })
  })

  it('lifts schemas wherever they may stand, and booleans', () => {
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

  it('takes no member of a record for a keyword', () => {
    const root = object({ $ref: text, properties: text, id: text, $defs: text, enum: { enum: ['a'] } })
    assert.deepEqual(lifted(root), root)
  })

  it('bears keywords that hold what they must not', () => {
    const root = { properties: { a: { items: 'odd', properties: 7, anyOf: 'odd', $ref: 8 } } }
    assert.deepEqual(lifted(root), { properties: { a: { items: 'odd', properties: 7, anyOf: 'odd' } } })
  })

  it('shows a reference that leads nowhere as unknown, and reports it', async () => {
    const routes = {
      One: routeOf({ returns: describedSchema(object({ a: { $ref: '#/$defs/None' }, b: { $ref: '#x' } })) }),
    }
    const app = createUntypedApp({ routes })
    assert.deepEqual(await validateDocument(app.openapi()), [])
    assert.deepEqual(Object(app.openapi().components.schemas['OnePostResponse']).properties, { a: {}, b: {} })
    assert.deepEqual(
      app.check().map(({ code, route, method, message }) => [code, `${method} ${route}`, message]),
      ['#/$defs/None', '#x'].map((reference) => {
        return ['DOCUMENT_GAP', 'POST One', `The schema of "response" refers to "${reference}", which leads nowhere`]
      }),
    )
  })

  it('comes to an end with references that only lead to each other', () => {
    const circle = describedSchema({ $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/B' }, B: { $ref: '#/$defs/A' } } })
    const app = createUntypedApp({ routes: { One: routeOf({ returns: circle }) } })
    assert.equal(app.check()[0]?.code, 'DOCUMENT_GAP')
    assert.equal(JSON.stringify(app.openapi()).includes('$defs'), false)
  })

  it('writes true and false as tools know them, and leaves what closes a record or a list', () => {
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

  it('completes a reference that is a parameter', () => {
    const query = describedSchema({
      properties: { a: { $ref: '#/$defs/A', description: 'first' } },
      $defs: { A: { anyOf: [object({}), text] } },
    })
    const { paths } = readDocument({ One: routeOf({ query }) })
    const [parameter] = paths['/one']?.['post']?.parameters ?? []
    assert.deepEqual(parameter?.schema, { $ref: `${REF}A`, description: 'first' })
  })

  it('has no component that nothing in the document refers to', () => {
    const A = { $ref: '#/$defs/A' }
    const $defs = { A: object({ b: { $ref: '#/$defs/B' } }), B: object({}) }
    const params = describedSchema({ ...Object(object({ stray: A })), $defs })
    assert.deepEqual(ownComponents(readDocument({ One: routeOf({ params }) })), [])
  })

  it('follows a reference from a parameter to the whole', () => {
    const node: Schema = describedSchema(object({ kids: { type: 'array', items: { anyOf: [{ $ref: '#' }, text] } } }))
    const { paths, components } = readDocument({ One: routeOf({ query: node }) })
    const [parameter] = paths['/one']?.['post']?.parameters ?? []
    assert.deepEqual(parameter?.schema, { type: 'array', items: { anyOf: [{ $ref: `${REF}OnePostQuery` }, text] } })
    assert.ok('OnePostQuery' in components.schemas)
  })
})
