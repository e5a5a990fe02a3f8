/** One suite for every kind of schema: libraries with JSON Schema, libraries with a converter, and handwritten schemas. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema'
import { scope, type } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'
import * as mini from 'zod/mini'
import { describeSchema, type Converters } from '#src/validation/describe-schema.js'
import { projector } from '#src/validation/projection/projector.js'
import type { Schema } from '#src/validation/schema.js'
import type { RawText } from '#src/validation/text/convert-text.js'
import { textSource } from '#src/validation/text/string-source.js'
import { validate } from '#src/validation/validate.js'
import { readIssues, readOutcome, type ReadOutcome } from '#test/issues.js'

interface Library {
  readonly name: string
  readonly converters: Converters
  /** `{ limit: integer >= 1, active?: boolean, q?: string, ids?: number[] }` */
  readonly query: Schema
  /** `{ id: string, tags: { name: string }[], note: string | null }` */
  readonly user: Schema
  /** By `kind`: `{ kind: 'cat', lives: number }` or `{ kind: 'dog', secret: string }` */
  readonly pet: Schema
  /** `{ id: string, kids: tree[] }` */
  readonly tree: Schema
  /** An object with any keys and values `{ id: string }` */
  readonly byName: Schema
}

const Tree: z.ZodType = z.object({ id: z.string(), kids: z.array(z.lazy(() => Tree)) })
const MiniTree: mini.ZodMiniType = mini.object({ id: mini.string(), kids: mini.array(mini.lazy(() => MiniTree)) })
const BotTree: v.GenericSchema = v.object({ id: v.string(), kids: v.array(v.lazy(() => BotTree)) })

const zodSchemas = {
  query: z.object({
    limit: z.number().int().min(1),
    active: z.boolean().optional(),
    q: z.string().optional(),
    ids: z.array(z.number()).optional(),
  }),
  user: z.object({ id: z.string(), tags: z.array(z.object({ name: z.string() })), note: z.string().nullable() }),
  pet: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('cat'), lives: z.number() }),
    z.object({ kind: z.literal('dog'), secret: z.string() }),
  ]),
  tree: Tree,
  byName: z.record(z.string(), z.object({ id: z.string() })),
}

const miniSchemas = {
  query: mini.object({
    limit: mini.int().check(mini.minimum(1)),
    active: mini.optional(mini.boolean()),
    q: mini.optional(mini.string()),
    ids: mini.optional(mini.array(mini.number())),
  }),
  user: mini.object({
    id: mini.string(),
    tags: mini.array(mini.object({ name: mini.string() })),
    note: mini.nullable(mini.string()),
  }),
  pet: mini.discriminatedUnion('kind', [
    mini.object({ kind: mini.literal('cat'), lives: mini.number() }),
    mini.object({ kind: mini.literal('dog'), secret: mini.string() }),
  ]),
  tree: MiniTree,
  byName: mini.record(mini.string(), mini.object({ id: mini.string() })),
}

const botSchemas = {
  query: v.object({
    limit: v.pipe(v.number(), v.integer(), v.minValue(1)),
    active: v.optional(v.boolean()),
    q: v.optional(v.string()),
    ids: v.optional(v.array(v.number())),
  }),
  user: v.looseObject({
    id: v.string(),
    tags: v.array(v.looseObject({ name: v.string() })),
    note: v.nullable(v.string()),
  }),
  pet: v.variant('kind', [
    v.object({ kind: v.literal('cat'), lives: v.number() }),
    v.object({ kind: v.literal('dog'), secret: v.string() }),
  ]),
  tree: BotTree,
  byName: v.record(v.string(), v.object({ id: v.string() })),
}

const arkSchemas = {
  query: type({ limit: 'number.integer >= 1', 'active?': 'boolean', 'q?': 'string', 'ids?': 'number[]' }),
  user: type({ id: 'string', tags: type({ name: 'string' }).array(), note: 'string | null' }),
  pet: type({ kind: "'cat'", lives: 'number' }).or({ kind: "'dog'", secret: 'string' }),
  tree: scope({ tree: { id: 'string', kids: 'tree[]' } }).export().tree,
  byName: type({ '[string]': { id: 'string' } }),
}

/** Creates a handwritten schema: validates with another schema, but returns the input unchanged. */
function byHand(schema: Schema, wait: boolean): Schema {
  const judge = (value: unknown): unknown => {
    const outcome = validate(schema, value)
    assert.ok(!(outcome instanceof Promise))
    const issues = readIssues(outcome)?.map(({ pointer, message }) => ({ message, path: pointer.split('/').slice(1) }))
    return issues ? { issues } : { value }
  }
  const describe = (side: 'input' | 'output') => () => describeSchema(schema, side, {}).schema
  const jsonSchema = { input: describe('input'), output: describe('output') }
  const judged = wait ? async (value: unknown) => judge(value) : judge
  return { '~standard': { version: 1, vendor: 'own', validate: judged, jsonSchema } }
}

function each(schemas: typeof zodSchemas, change: (schema: Schema) => Schema): Omit<Library, 'name' | 'converters'> {
  const { query, user, pet, tree, byName } = schemas
  return { query: change(query), user: change(user), pet: change(pet), tree: change(tree), byName: change(byName) }
}

const converters: Converters = { valibot: toJsonSchema, zod: z.toJSONSchema }
const LIBRARIES: readonly Library[] = [
  { name: 'zod', converters: {}, ...zodSchemas },
  { name: 'zod/mini with a converter', converters, ...miniSchemas },
  { name: 'zod/mini, text only', converters, ...miniSchemas, query: byHandBare(miniSchemas.query) },
  { name: 'valibot with a converter', converters, ...botSchemas },
  {
    name: 'valibot that describes itself',
    converters: {},
    query: toStandardJsonSchema(botSchemas.query),
    user: toStandardJsonSchema(botSchemas.user),
    pet: toStandardJsonSchema(botSchemas.pet),
    tree: toStandardJsonSchema(botSchemas.tree),
    byName: toStandardJsonSchema(botSchemas.byName),
  },
  { name: 'arktype', converters: {}, ...arkSchemas },
  { name: 'a schema by hand', converters: {}, ...each(zodSchemas, (schema) => byHand(schema, false)) },
  { name: 'an asynchronous schema by hand', converters: {}, ...each(zodSchemas, (schema) => byHand(schema, true)) },
]

/** Removes the JSON Schema, and prevents conversion by changing the vendor. */
function byHandBare(schema: Schema): Schema {
  const { version, validate } = schema['~standard']
  return { '~standard': { version, vendor: 'own', validate: (value) => validate(value) } }
}

const USER = { id: '1', tags: [{ name: 'a' }], note: null }
const PRIVATE = { ...USER, tags: [{ name: 'a', passwordHash: 'h' }], passwordHash: 'h' }

for (const library of LIBRARIES) {
  const read = async (raw: RawText): Promise<ReadOutcome> =>
    readOutcome(await textSource(library.query, library.converters).read(raw))
  const bare = { ...library, query: byHandBare(library.query) }
  const readBare = async (raw: RawText): Promise<ReadOutcome> => readOutcome(await textSource(bare.query, {}).read(raw))
  const answer = async (schema: Schema, value: unknown): Promise<unknown> => {
    const outcome = await validate(schema, value)
    assert.equal(outcome.issues, undefined)
    const { schema: description } = describeSchema(schema, 'output', library.converters)
    assert.notEqual(description, undefined)
    return JSON.parse(JSON.stringify(projector(description ?? true)?.(outcome.value)))
  }

  // Without JSON Schema, the first issue is reported, which is about the string.
  const skip = describeSchema(library.query, 'input', library.converters).schema === undefined
  it(`${library.name}: reports a fraction as a wrong integer, unlike a word`, { skip }, async () => {
    const [fraction, word] = await Promise.all([read({ limit: '1.5' }), read({ limit: 'x' })])
    const [{ message } = { message: '' }] = fraction.issues ?? []
    assert.match(message, /int/i)
    assert.notEqual(message, word.issues?.[0]?.message)
  })

  for (const [how, reading] of [
    ['with its JSON Schema', read],
    ['without JSON Schema', readBare],
  ] as const) {
    describe(`${library.name}: strings, ${how}`, () => {
      it('converts numbers, booleans and lists, and keeps strings', async () => {
        const { value, issues } = await reading({ limit: '42', active: 'true', q: '007', ids: ['1', '2.5'] })
        assert.equal(issues, undefined)
        assert.deepEqual({ ...Object(value) }, { limit: 42, active: true, q: '007', ids: [1, 2.5] })
      })

      it('accepts a single value for a list', async () => {
        const { value } = await reading({ limit: '1', ids: '5' })
        assert.deepEqual({ ...Object(value) }, { limit: 1, ids: [5] })
      })

      it('rejects strings that are not integers', async () => {
        for (const limit of [' 5', '0x10', '', '1.5', '1e', 'Infinity', 'NaN', '+5', '5 ', '0', '9007199254740993']) {
          const { issues } = await reading({ limit })
          assert.deepEqual([limit, issues?.map((issue) => issue.pointer)], [limit, ['/limit']])
        }
      })

      it('rejects strings that are not booleans, and items that are not numbers', async () => {
        const { issues } = await reading({ limit: '1', active: '1', ids: ['1', 'x'] })
        assert.deepEqual(issues?.map((issue) => issue.pointer).toSorted(), ['/active', '/ids/1'])
      })

      it('rejects several values for a single value', async () => {
        const { issues } = await reading({ limit: '1', q: ['a', 'b'] })
        assert.deepEqual(
          issues?.map((issue) => issue.pointer),
          ['/q'],
        )
      })

      it('reports missing keys', async () => {
        const { issues } = await reading({})
        assert.deepEqual(
          issues?.map((issue) => issue.pointer),
          ['/limit'],
        )
      })

      it('never repeats input in its issues', async () => {
        const { issues } = await reading({ limit: 'hunter2', active: 'hunter2', ids: ['hunter2'] })
        assert.equal(issues?.length, 3)
        assert.ok(!JSON.stringify(issues).includes('hunter2'))
        for (const issue of issues ?? []) assert.deepEqual(Object.keys(issue).toSorted(), ['message', 'pointer'])
      })
    })
  }

  describe(`${library.name}: values`, () => {
    it('reports the location of an issue', async () => {
      const issues = readIssues(
        await validate(library.user, { id: '1', tags: [{ name: 'a' }, { name: 2 }], note: null }),
      )
      assert.deepEqual(
        issues?.map((issue) => issue.pointer),
        ['/tags/1/name'],
      )
    })

    it('reports an issue of the whole value with an empty pointer', async () => {
      const issues = readIssues(await validate(library.user, 'hunter2'))
      assert.deepEqual(
        issues?.map((issue) => issue.pointer),
        [''],
      )
      assert.ok(!JSON.stringify(issues).includes('hunter2'))
    })
  })

  describe(`${library.name}: projection`, () => {
    it('removes undeclared properties at every depth', async () => {
      assert.deepEqual(await answer(library.user, PRIVATE), USER)
    })

    it('keeps the properties of the matching branch of a union', async () => {
      const cat = { kind: 'cat', lives: 9, secret: 's', passwordHash: 'h' }
      assert.deepEqual(await answer(library.pet, cat), { kind: 'cat', lives: 9 })
    })

    it('removes undeclared properties of a recursive schema', async () => {
      const leaf = { id: '2', kids: [], passwordHash: 'h' }
      const tree = { id: '1', kids: [leaf], passwordHash: 'h' }
      assert.deepEqual(await answer(library.tree, tree), { id: '1', kids: [{ id: '2', kids: [] }] })
    })

    it('keeps all keys of an object with any keys, and projects its values', async () => {
      assert.deepEqual(await answer(library.byName, { a: { id: '1', passwordHash: 'h' } }), { a: { id: '1' } })
    })
  })
}
