/** Contracts with a fault, or with something that `app.check()` reports: each schema in each place, and faults of other kinds. */
import { type } from 'arktype'
import * as v from 'valibot'
import { bytes, events, form, json, text, type Schema } from 'verbena'
import * as z from 'zod'

interface FaultyContract {
  readonly about: string
  readonly verb: 'get' | 'post'
  /** Creates the contract. May throw a setup error. */
  readonly contract: () => object
}

const own: Schema = { '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }) } }
/** Says that it is JSON Schema, but its conversion fails, is a promise, or is not a schema. */
const broken = (convert: () => unknown): Schema => ({
  '~standard': {
    ...{ version: 1, vendor: 'broken', validate: (value: unknown) => ({ value }) },
    jsonSchema: { input: convert, output: convert },
  },
})
const Tree = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree)
  },
})
const node = z.object({ id: z.int(), made: z.date() })

/** Schemas of a member named `at`, whose JSON Schema is incomplete or which strings cannot express. */
const SCHEMAS: Readonly<Record<string, Schema>> = {
  date: z.object({ at: z.date() }),
  bigint: z.object({ at: z.bigint() }),
  anything: z.object({ at: z.any() }),
  custom: z.object({ at: z.custom<string>() }),
  instance: z.object({ at: z.instanceof(Date) }),
  transform: z.object({ at: z.string().transform((text) => ({ text })) }),
  'transformed member of an object': z.object({ at: z.object({ id: z.string().transform(Number) }) }),
  'whole transform': z.object({ at: z.string() }).transform(({ at }) => ({ at, secret: 1 })),
  map: z.object({ at: z.map(z.string(), z.number()) }),
  set: z.object({ at: z.set(z.string()) }),
  never: z.object({ at: z.never() }),
  undefined: z.object({ at: z.undefined() }),
  object: z.object({ at: z.object({ id: z.int() }) }),
  'list of objects': z.object({ at: z.array(z.object({ id: z.int() })) }),
  'list of lists': z.object({ at: z.array(z.array(z.string())) }),
  record: z.record(z.string(), z.array(z.object({ id: z.int() }))),
  'record of dates': z.object({ at: z.record(z.string(), z.date()) }),
  'union of objects': z.object({ at: z.union([z.object({ a: z.int() }), z.object({ b: z.date() })]) }),
  intersection: z.object({ at: z.intersection(z.object({ a: z.int() }), z.object({ b: z.bigint() })) }),
  recursive: Tree,
  coercion: z.object({ at: z.coerce.date() }),
  'flagged pattern': z.object({ at: z.string().regex(/^a.b$/is) }),
  'list at the top': z.array(node),
  'own vendor': own,
  'failing conversion': broken(() => {
    throw new Error('No JSON Schema for this')
  }),
  'promised conversion': broken(async () => ({ type: 'object' })),
  'conversion to a number': broken(() => 7),
  'dangling reference': broken(() => ({ type: 'object', properties: { at: { $ref: '#/$defs/Missing' } } })),
  'valibot date': v.object({ at: v.date() }),
  'arktype date': type({ at: 'Date' }),
  'arktype narrow': type({ at: 'string' }).narrow(({ at }) => at !== ''),
}

/** Contracts with a schema in one place. */
const PLACES: readonly (readonly [
  about: string,
  verb: FaultyContract['verb'],
  contractOf: (schema: Schema) => object,
])[] = [
  ['query', 'get', (query) => ({ query })],
  ['headers', 'get', (headers) => ({ headers })],
  ['cookies', 'get', (cookies) => ({ cookies })],
  ['params', 'get', (params) => ({ params })],
  ['body', 'post', (body) => ({ body })],
  ['form', 'post', (schema) => ({ body: form(schema as never) })],
  ['returns', 'get', (returns) => ({ returns })],
  ['returns by status', 'post', (schema) => ({ returns: { 200: schema, 201: z.object({ id: z.int() }) } })],
  ['events', 'get', (schema) => ({ returns: events(schema) })],
  ['headers of a response', 'get', (headers) => ({ returns: text({ headers: headers as never }) })],
  ['errors', 'get', (schema) => ({ errors: { 409: schema }, returns: text() })],
]

const Name = z.object({ name: z.string() })
const OTHERS: readonly (readonly [about: string, verb: FaultyContract['verb'], contract: object])[] = [
  ['a body of GET', 'get', { body: Name }],
  ['an ETag of POST', 'post', { returns: Name, etag: true }],
  ['an ETag of a stream', 'get', { returns: events(Name), etag: true }],
  ['an unknown property', 'get', { return: Name }],
  ['a query that is no schema', 'get', { query: { name: 'string' } }],
  ['a body that is no schema', 'post', { body: 'json' }],
  ['returns that is no schema', 'get', { returns: 7 }],
  ['returns with a wrong status', 'get', { returns: { 99: Name } }],
  ['returns with no status', 'get', { returns: {} }],
  ['a wrong status', 'get', { returns: Name, status: 404 }],
  ['a status that is no number', 'get', { returns: Name, status: '200' }],
  ['errors that are no object', 'get', { errors: 404 }],
  ['errors with a wrong status', 'get', { errors: { 200: 'fine' } }],
  ['tags that are no array', 'get', { tags: 'users' }],
  ['a timeout that is no number', 'get', { timeout: 'long' }],
  ['a negative timeout', 'get', { timeout: -1 }],
  ['decorators that are no array', 'get', { decorators: 'log' }],
  ['uses that are no object', 'get', { uses: 7 }],
  ['uses that are no provider', 'get', { uses: { user: 7 } }],
  ['idempotency that is wrong', 'post', { idempotency: true, returns: Name }],
  ['a body with the headers of a response', 'post', { body: json(Name, { headers: Name }) }],
  ['a response with the limit of a body', 'get', { returns: json(Name, { limit: 7 }) }],
  ['an empty response with a body', 'get', { returns: null, status: 200 }],
  ['an operation id of another type', 'get', { operationId: 7 }],
  ['meta of another type', 'get', { meta: 'x' }],
  ['a public endpoint of another type', 'get', { public: 'yes' }],
  ['bytes without a type', 'post', { body: bytes(), returns: bytes() }],
]

export const FAULTY_CONTRACTS: readonly FaultyContract[] = [
  ...PLACES.flatMap(([place, verb, contractOf]) =>
    Object.entries(SCHEMAS).map(([name, schema]) => ({
      about: `${place}: ${name}`,
      verb,
      contract: () => contractOf(schema),
    })),
  ),
  ...OTHERS.map(([about, verb, contract]) => ({ about, verb, contract: () => contract })),
]
