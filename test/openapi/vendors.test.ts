/** What each library calls its schemas, and what the document makes of it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema'
import { scope, type } from 'arktype'
import { reply, Route, type Schema } from 'verbena'
import * as v from 'valibot'
import * as z from 'zod'
import * as mini from 'zod/mini'
import { validateDocument, readDocument, operationAt, ownComponents, resolveReference } from '#test/openapi.js'

const CONVERTERS = { jsonSchema: { valibot: toJsonSchema, zod: z.toJSONSchema } }

/** A route that returns one schema, and takes another where one is given. */
function routeOf(returns: Schema, body?: Schema) {
  return class extends Route {
    static readonly post = this.contract({ returns, ...(body && { body }) })
    post() {
      return reply(200)
    }
  }
}

async function made(routes: object, options: object = CONVERTERS) {
  const document = readDocument(routes, options)
  assert.deepEqual(await validateDocument(document), [])
  const { schemas } = document.components
  return { document, names: ownComponents(document), schemas }
}

const REF = '#/components/schemas/'
const text = { type: 'string' }

describe('names of zod schemas', () => {
  const User = z.object({ id: z.string(), name: z.string().default('x') }).meta({ id: 'User', title: 'A user' })

  it('takes the id, however deep the schema stands, and defines it once', async () => {
    const { names, schemas } = await made({
      One: routeOf(User),
      List: routeOf(z.array(User)),
      Page: routeOf(z.object({ items: z.array(User), first: User })),
    })
    assert.deepEqual(names, ['PagePostResponse', 'User'])
    assert.deepEqual(Object(schemas['PagePostResponse']).properties, {
      items: { type: 'array', items: { $ref: `${REF}User` } },
      first: { $ref: `${REF}User` },
    })
  })

  it('tells the sides apart where they differ, in all that refers to them too', async () => {
    const Team = z.object({ lead: User }).meta({ id: 'Team' })
    const { names, schemas } = await made({ Teams: routeOf(Team, Team) })
    assert.deepEqual(names, ['TeamInput', 'TeamOutput', 'UserInput', 'UserOutput'])
    assert.deepEqual(Object(schemas['TeamInput']).properties, { lead: { $ref: `${REF}UserInput` } })
    assert.deepEqual(Object(schemas['TeamOutput']).properties, { lead: { $ref: `${REF}UserOutput` } })
    assert.deepEqual(Object(schemas['UserInput']).required, ['id'])
    assert.deepEqual(Object(schemas['UserOutput']).required, ['id', 'name'])
  })

  it('keeps the words that are said of a schema where it is used', async () => {
    const User = z.object({ id: z.string() }).meta({ id: 'User' })
    const { names, document } = await made({ Users: routeOf(User, User.describe('who it is now')) })
    assert.deepEqual(names, ['User'])
    const { content } = Object(document.paths['/users']?.['post']?.responses['200'])
    assert.equal(content['application/json'].schema.$ref, `${REF}User`)
  })

  it('makes one of both sides where they are the same', async () => {
    const Pet = z.object({ name: z.string() }).meta({ id: 'Pet' })
    assert.deepEqual((await made({ Pets: routeOf(Pet, Pet) })).names, ['Pet'])
  })

  it('takes a title for a name, and no sentence', async () => {
    const Cat = z.object({ a: z.string() }).meta({ title: 'Cat' })
    const dog = z.object({ a: z.string() }).meta({ title: 'Big dog' })
    const cow = z.object({ a: z.string() }).meta({ title: 'Says moo, mostly' })
    const routes = { Cats: routeOf(Cat), Dogs: routeOf(dog), Cows: routeOf(cow) }
    assert.deepEqual((await made(routes)).names, ['BigDog', 'Cat', 'CowsPostResponse'])
  })

  it('names a recursive schema after its use: "#" and "__schema0" mean nothing in a document', async () => {
    const Tree: z.ZodType = z.object({ id: z.string(), kids: z.array(z.lazy(() => Tree)) })
    const { names, schemas } = await made({ Trees: routeOf(Tree), Woods: routeOf(z.object({ trees: z.array(Tree) })) })
    assert.deepEqual(names, ['TreesPostResponse', 'WoodsPostResponse', 'WoodsPostResponseTrees'])
    assert.deepEqual(Object(schemas['TreesPostResponse']).properties.kids.items, { $ref: `${REF}TreesPostResponse` })
    assert.deepEqual(Object(schemas['WoodsPostResponseTrees']).properties.kids.items, {
      $ref: `${REF}WoodsPostResponseTrees`,
    })
  })

  it('uses the converter for zod/mini, whose schemas do not describe themselves', async () => {
    const User = mini.object({ id: mini.string() }).register(z.globalRegistry, { id: 'MiniUser' })
    const { names } = await made({ One: routeOf(User), List: routeOf(mini.array(User)) })
    assert.deepEqual(names, ['MiniUser'])
  })
})

describe('names of valibot schemas', () => {
  it('takes the title, and the id of the metadata, which is no keyword of JSON Schema', async () => {
    const Cat = v.pipe(v.object({ a: v.string() }), v.title('Cat'))
    const Dog = v.pipe(v.object({ a: v.string() }), v.metadata({ id: 'Dog' }))
    const { names, schemas } = await made({
      Cats: routeOf(Cat),
      Dogs: routeOf(Dog),
      Packs: routeOf(v.object({ dogs: v.array(Dog) })),
    })
    assert.deepEqual(names, ['Cat', 'Dog', 'PacksPostResponse'])
    assert.deepEqual(Object(schemas['PacksPostResponse']).properties.dogs.items, { $ref: `${REF}Dog` })
    assert.ok(!JSON.stringify(schemas['Dog']).includes('"id"'))
  })

  it('names recursive definitions, whose keys are numbers, after their use', async () => {
    const Tree: v.GenericSchema = v.object({ id: v.string(), kids: v.array(v.lazy(() => Tree)) })
    for (const tree of [Tree, toStandardJsonSchema(Tree)]) {
      const { names, schemas } = await made({ Trees: routeOf(tree) })
      assert.deepEqual(names, ['TreesPostResponse'])
      assert.deepEqual(Object(schemas['TreesPostResponse']).properties.kids.items, {
        $ref: `${REF}TreesPostResponse`,
      })
    }
  })

  it('leaves out a "required" that requires nothing', async () => {
    const { schemas } = await made({ Users: routeOf(v.object({ a: v.optional(v.string()) })) })
    assert.deepEqual(schemas['UsersPostResponse'], { type: 'object', properties: { a: text } })
  })
})

describe('names of arktype schemas', () => {
  it('names definitions after their use, because the counters of the library differ from start to start', async () => {
    const { tree } = scope({ tree: { id: 'string', kids: 'tree[]' } }).export()
    const { document, names, schemas } = await made({ Trees: routeOf(tree) })
    assert.deepEqual(names, ['TreesPostResponse', 'TreesPostResponseKids'])
    assert.deepEqual(schemas['TreesPostResponseKids'], { type: 'array', items: { $ref: `${REF}TreesPostResponse` } })
    assert.doesNotMatch(JSON.stringify(document), /intersection/)
  })

  it('gives the same document again after more schemas were made', () => {
    const first = scope({ tree: { id: 'string', kids: 'tree[]' } }).export().tree
    const before = JSON.stringify(readDocument({ Trees: routeOf(first) }))
    type({ some: 'string', other: 'number[]' })
    const second = scope({ tree: { id: 'string', kids: 'tree[]' } }).export().tree
    assert.equal(JSON.stringify(readDocument({ Trees: routeOf(second) })), before)
  })

  it('leaves out what it says beside a reference that is the whole', async () => {
    const { document } = await made({ Users: routeOf(type({ id: 'string' })) })
    const response = operationAt(document, '/users', 'post').responses['200']
    assert.deepEqual(Object(response).content['application/json'].schema, { $ref: `${REF}UsersPostResponse` })
  })
})

describe('schemas that say too much', () => {
  it('closes no answer: clients must bear with more than is described', async () => {
    const { schemas } = await made({ Users: routeOf(z.object({ a: z.string() }), z.strictObject({ a: z.string() })) })
    assert.deepEqual(schemas['UsersPostResponse'], { type: 'object', properties: { a: text }, required: ['a'] })
    assert.equal(Object(schemas['UsersPostBody']).additionalProperties, false)
  })

  it('drops "$schema", and keeps data that only looks like a schema', () => {
    const Odd = z.object({ a: z.string() }).meta({ id: 'Odd', examples: [{ $ref: '#/a', id: 'x', $schema: 'y' }] })
    const document = readDocument({ Odds: routeOf(Odd) })
    assert.deepEqual(Object(document.components.schemas['Odd']).examples, [{ $ref: '#/a', id: 'x', $schema: 'y' }])
    assert.equal(JSON.stringify(document).split('$schema').length, 2)
  })
})

describe('schemas that say too little', () => {
  it('shows what is described, and says of the rest that nothing is known', async () => {
    const own: Schema = { '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }) } }
    const { document } = await made({ Dated: routeOf(z.object({ at: z.date(), n: z.number() }), own) })
    const { requestBody, responses } = operationAt(document, '/dated', 'post')
    assert.deepEqual(requestBody?.content['application/json'], { schema: { description: 'Not described' } })
    const shown = resolveReference(document, Object(responses['200']).content['application/json'].schema)
    assert.deepEqual(Object(shown).properties, { at: {}, n: { type: 'number' } })
  })
})
