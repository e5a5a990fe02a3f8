/** Schema names of each library, and the names in the document. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema'
import { scope, type } from 'arktype'
import { reply, Route, type Schema } from 'verbena'
import * as v from 'valibot'
import * as z from 'zod'
import * as mini from 'zod/mini'
import { validateDocument, readDocument, findOperation, ownComponents, resolveReference } from '#test/openapi.js'

const CONVERTERS = { jsonSchema: { valibot: toJsonSchema, zod: z.toJSONSchema } }

/** Creates a route that returns one schema and accepts another one as its body, if there is a second schema. */
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

describe('openapi: names of zod schemas', () => {
  const User = z.object({ id: z.string(), name: z.string().default('x') }).meta({ id: 'User', title: 'A user' })

  it('defines a schema with an id once at any depth', async () => {
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

  it('creates an Input and an Output component if the sides differ, also for referring schemas', async () => {
    const Team = z.object({ lead: User }).meta({ id: 'Team' })
    const { names, schemas } = await made({ Teams: routeOf(Team, Team) })
    assert.deepEqual(names, ['TeamInput', 'TeamOutput', 'UserInput', 'UserOutput'])
    assert.deepEqual(Object(schemas['TeamInput']).properties, { lead: { $ref: `${REF}UserInput` } })
    assert.deepEqual(Object(schemas['TeamOutput']).properties, { lead: { $ref: `${REF}UserOutput` } })
    assert.deepEqual(Object(schemas['UserInput']).required, ['id'])
    assert.deepEqual(Object(schemas['UserOutput']).required, ['id', 'name'])
  })

  it('keeps the id of a schema with another description', async () => {
    const User = z.object({ id: z.string() }).meta({ id: 'User' })
    const { names, document } = await made({ Users: routeOf(User, User.describe('who it is now')) })
    assert.deepEqual(names, ['User'])
    const { content } = Object(document.paths['/users']?.['post']?.responses['200'])
    assert.equal(content['application/json'].schema.$ref, `${REF}User`)
  })

  it('creates one component for both sides if they are equal', async () => {
    const Pet = z.object({ name: z.string() }).meta({ id: 'Pet' })
    assert.deepEqual((await made({ Pets: routeOf(Pet, Pet) })).names, ['Pet'])
  })

  it('uses a title as a name, unless it is a sentence', async () => {
    const Cat = z.object({ a: z.string() }).meta({ title: 'Cat' })
    const dog = z.object({ a: z.string() }).meta({ title: 'Big dog' })
    const cow = z.object({ a: z.string() }).meta({ title: 'Says moo, mostly' })
    const routes = { Cats: routeOf(Cat), Dogs: routeOf(dog), Cows: routeOf(cow) }
    assert.deepEqual((await made(routes)).names, ['BigDog', 'Cat', 'CowsPostResponse'])
  })

  it('names a recursive schema after its use instead of "#" or "__schema0"', async () => {
    const Tree: z.ZodType = z.object({ id: z.string(), kids: z.array(z.lazy(() => Tree)) })
    const { names, schemas } = await made({ Trees: routeOf(Tree), Woods: routeOf(z.object({ trees: z.array(Tree) })) })
    assert.deepEqual(names, ['TreesPostResponse', 'WoodsPostResponse', 'WoodsPostResponseTrees'])
    assert.deepEqual(Object(schemas['TreesPostResponse']).properties.kids.items, { $ref: `${REF}TreesPostResponse` })
    assert.deepEqual(Object(schemas['WoodsPostResponseTrees']).properties.kids.items, {
      $ref: `${REF}WoodsPostResponseTrees`,
    })
  })

  it('uses the converter for zod/mini, whose schemas do not provide JSON Schema', async () => {
    const User = mini.object({ id: mini.string() }).register(z.globalRegistry, { id: 'MiniUser' })
    const { names } = await made({ One: routeOf(User), List: routeOf(mini.array(User)) })
    assert.deepEqual(names, ['MiniUser'])
  })
})

describe('openapi: names of valibot schemas', () => {
  it('uses the title, or the id of the metadata, as a name', async () => {
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

  it('names recursive definitions with numeric keys after their use', async () => {
    const Tree: v.GenericSchema = v.object({ id: v.string(), kids: v.array(v.lazy(() => Tree)) })
    for (const tree of [Tree, toStandardJsonSchema(Tree)]) {
      const { names, schemas } = await made({ Trees: routeOf(tree) })
      assert.deepEqual(names, ['TreesPostResponse'])
      assert.deepEqual(Object(schemas['TreesPostResponse']).properties.kids.items, {
        $ref: `${REF}TreesPostResponse`,
      })
    }
  })

  it('omits an empty "required"', async () => {
    const { schemas } = await made({ Users: routeOf(v.object({ a: v.optional(v.string()) })) })
    assert.deepEqual(schemas['UsersPostResponse'], { type: 'object', properties: { a: text } })
  })
})

describe('openapi: names of arktype schemas', () => {
  it('names definitions after their use, because the generated names of arktype can change', async () => {
    const { tree } = scope({ tree: { id: 'string', kids: 'tree[]' } }).export()
    const { document, names, schemas } = await made({ Trees: routeOf(tree) })
    assert.deepEqual(names, ['TreesPostResponse', 'TreesPostResponseKids'])
    assert.deepEqual(schemas['TreesPostResponseKids'], { type: 'array', items: { $ref: `${REF}TreesPostResponse` } })
    assert.doesNotMatch(JSON.stringify(document), /intersection/)
  })

  it('creates the same document after more schemas were created', () => {
    const first = scope({ tree: { id: 'string', kids: 'tree[]' } }).export().tree
    const before = JSON.stringify(readDocument({ Trees: routeOf(first) }))
    type({ some: 'string', other: 'number[]' })
    const second = scope({ tree: { id: 'string', kids: 'tree[]' } }).export().tree
    assert.equal(JSON.stringify(readDocument({ Trees: routeOf(second) })), before)
  })

  it('omits keywords next to a reference at the root', async () => {
    const { document } = await made({ Users: routeOf(type({ id: 'string' })) })
    const response = findOperation(document, '/users', 'post').responses['200']
    assert.deepEqual(Object(response).content['application/json'].schema, { $ref: `${REF}UsersPostResponse` })
  })
})

describe('openapi: keywords that are removed', () => {
  it('removes "additionalProperties: false" from responses, but not from requests', async () => {
    const { schemas } = await made({ Users: routeOf(z.object({ a: z.string() }), z.strictObject({ a: z.string() })) })
    assert.deepEqual(schemas['UsersPostResponse'], { type: 'object', properties: { a: text }, required: ['a'] })
    assert.equal(Object(schemas['UsersPostBody']).additionalProperties, false)
  })

  it('removes "$schema", but keeps data that looks like a schema', () => {
    const Odd = z.object({ a: z.string() }).meta({ id: 'Odd', examples: [{ $ref: '#/a', id: 'x', $schema: 'y' }] })
    const document = readDocument({ Odds: routeOf(Odd) })
    assert.deepEqual(Object(document.components.schemas['Odd']).examples, [{ $ref: '#/a', id: 'x', $schema: 'y' }])
    assert.equal(JSON.stringify(document).split('$schema').length, 2)
  })
})

describe('openapi: incomplete schemas', () => {
  it('documents parts without JSON Schema as {}, and a schema without any as "Not described"', async () => {
    const own: Schema = { '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }) } }
    const { document } = await made({ Dated: routeOf(z.object({ at: z.symbol(), n: z.number() }), own) })
    const { requestBody, responses } = findOperation(document, '/dated', 'post')
    assert.deepEqual(requestBody?.content['application/json'], { schema: { description: 'Not described' } })
    const shown = resolveReference(document, Object(responses['200']).content['application/json'].schema)
    assert.deepEqual(Object(shown).properties, { at: {}, n: { type: 'number' } })
  })
})
