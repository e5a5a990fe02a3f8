import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bytes, decorator, events, form, json, provide, Route, stream, text } from 'verbena'
import { deprecated, version } from 'verbena/decorators'
import { looseContract } from '#test/apps.js'
import { describedSchema } from '#test/described-schemas.js'
import { validateDocument, readDocument, findOperation, resolveReference } from '#test/openapi.js'
import * as z from 'zod'

const schema = describedSchema({ type: 'integer' })
const media = { schema: { type: 'integer' } }
const content = { 'application/json': media }

function made(contract: object | undefined, options: object = {}) {
  class Probe extends Route {
    static readonly post = contract && looseContract(this, contract)
    post() {}
  }
  return readDocument({ Probe }, options)
}

function statusesOf(contract: object | undefined, options: object = {}): string[] {
  return Object.keys(findOperation(made(contract, options), '/probe', 'post').responses)
}

const RETURNS: readonly (readonly [about: string, contract: object, shown: object])[] = [
  ['a schema', { returns: schema }, { 200: { description: 'OK', content } }],
  ['a status', { returns: schema, status: 201 }, { 201: { description: 'Created', content } }],
  ['a status without a title', { returns: schema, status: 299 }, { 299: { description: 'Success', content } }],
  ['a redirection', { returns: null, status: 303 }, { 303: { description: 'See Other' } }],
  ['a redirection without a title', { returns: null, status: 399 }, { 399: { description: 'Redirection' } }],
  ['no body', { returns: null }, { 204: { description: 'No Content' } }],
  ['an empty contract', {}, { 200: { description: 'OK' } }],
  [
    'text',
    { returns: text() },
    { 200: { description: 'OK', content: { 'text/plain': { schema: { type: 'string' } } } } },
  ],
  ['bytes', { returns: bytes() }, { 200: { description: 'OK', content: { 'application/octet-stream': {} } } }],
  ['a stream', { returns: stream() }, { 200: { description: 'OK', content: { 'application/octet-stream': {} } } }],
  [
    'a record of statuses',
    { returns: { 200: schema, 204: null, 404: schema } },
    {
      200: { description: 'OK', content },
      204: { description: 'No Content' },
      404: { description: 'Not Found', content },
    },
  ],
]

describe('openapi: responses', () => {
  for (const [about, contract, shown] of RETURNS) {
    it(`documents the response of ${about}`, async () => {
      const document = made(contract)
      const { responses } = findOperation(document, '/probe', 'post')
      const returned = Object.entries(responses).filter(([, response]) => !('$ref' in response))
      assert.deepEqual(Object.fromEntries(returned), shown)
      assert.deepEqual(await validateDocument(document), [])
    })
  }

  it('documents the data of events', async () => {
    const document = made({ returns: events(z.object({ n: z.number() })) })
    const { responses } = findOperation(document, '/probe', 'post')
    const { schema: shown } = Object(responses['200']).content['text/event-stream']
    assert.deepEqual([shown.type, shown.contentMediaType], ['string', 'text/event-stream'])
    assert.match(shown.description, /A failure is the last event: its name is "error", and its data is a problem$/)
    assert.deepEqual(shown.contentSchema, { $ref: '#/components/schemas/ProbePostResponse' })
    assert.deepEqual(await validateDocument(document), [])
  })

  it('documents the headers of a response schema', async () => {
    const total = z.int().optional().describe('How many there are')
    const tagged = z.object({ etag: z.string(), 'x-total': total, 'content-type': z.string() })
    const document = made({ returns: { 200: text({ headers: tagged }), 202: json(schema, { headers: z.object({}) }) } })
    const { responses } = findOperation(document, '/probe', 'post')
    const { headers } = Object(responses['200'])
    assert.deepEqual(Object.keys(headers), ['etag', 'x-total'])
    assert.deepEqual(headers.etag, { required: true, schema: { type: 'string' } })
    const { description, required, schema: shown } = headers['x-total']
    assert.deepEqual([description, required, shown.type], ['How many there are', undefined, 'integer'])
    assert.equal('headers' in Object(responses['202']), false)
    assert.deepEqual(await validateDocument(document), [])
  })

  it('adds the status to component names if there are several statuses', () => {
    const one = z.object({ a: z.string() })
    const { components } = made({ returns: { 200: one, 202: z.object({ b: z.string() }) } })
    assert.ok('ProbePostResponse200' in components.schemas && 'ProbePostResponse202' in components.schemas)
    assert.ok('ProbePostResponse' in made({ returns: { 201: one } }).components.schemas)
  })
})

describe('openapi: problems', () => {
  const REFUSALS: readonly (readonly [
    about: string,
    contract: object | undefined,
    statuses: readonly string[],
    options?: object,
  ])[] = [
    ['an empty contract', {}, []],
    ['no contract, which accepts any JSON', undefined, ['400', '408', '413', '415']],
    ['a fixed media type', { returns: schema }, ['406']],
    ['a query', { query: schema }, ['400', '422']],
    ['a validated body', { body: json(schema) }, ['400', '408', '413', '415', '422']],
    ['a form', { body: form(schema) }, ['400', '408', '413', '415', '422']],
    ['a body without validation', { body: text() }, ['400', '408', '413', '415']],
    ['a timeout', { timeout: 10 }, ['503']],
    ['a timeout of the app', {}, ['503'], { timeouts: { handler: 10 } }],
    ['errors', { errors: [404, 409] }, ['404', '409']],
  ]
  for (const [about, contract, statuses, options] of REFUSALS) {
    it(`documents the problems of ${about}, and all others as "default"`, () => {
      assert.deepEqual(statusesOf(contract, options), ['200', ...statuses, 'default'])
    })
  }

  it('documents each problem once, as a component', async () => {
    const document = made({ query: schema, errors: [418] })
    const { responses } = findOperation(document, '/probe', 'post')
    assert.deepEqual(responses['418'], { $ref: '#/components/responses/Problem418' })
    assert.deepEqual(document.components.responses['Problem418']?.description, 'Client Error')
    assert.deepEqual(Object.keys(document.components.responses), ['Problem', 'Problem400', 'Problem418', 'Problem422'])
    const validation = Object(resolveReference(document, responses['422'])).content['application/problem+json'].schema
    assert.deepEqual(validation, { $ref: '#/components/schemas/ValidationProblem' })
    assert.deepEqual(await validateDocument(document), [])
  })

  it('documents a problem with the description or the schema of the contract', async () => {
    const taken = z.object({ taken: z.string() }).meta({ id: 'Taken' })
    const document = made({ body: schema, errors: { 409: 'Name taken', 410: taken, 422: 'No such thing', 423: taken } })
    const { responses } = findOperation(document, '/probe', 'post')
    const ofType = (status: string) => Object(responses[status]).content['application/problem+json'].schema
    assert.deepEqual(Object(responses['409']).description, 'Name taken')
    assert.deepEqual(ofType('409'), { $ref: '#/components/schemas/Problem' })
    assert.deepEqual(ofType('422'), { $ref: '#/components/schemas/ValidationProblem' })
    assert.deepEqual(ofType('410'), {
      allOf: [{ $ref: '#/components/schemas/Problem' }, { $ref: '#/components/schemas/Taken' }],
    })
    assert.deepEqual(await validateDocument(document), [])
  })

  /** Returns the parts of a problem schema before the declared schema. */
  async function ours(status: number, schema: unknown) {
    const document = made({ body: json(z.string()), errors: { [status]: schema } })
    assert.deepEqual(await validateDocument(document), [])
    const { responses } = findOperation(document, '/probe', 'post')
    const { allOf } = Object(responses[String(status)]).content['application/problem+json'].schema
    return allOf.slice(0, -1).map((part: unknown) => {
      const { $ref, properties = {}, required = [] } = Object(part)
      return $ref ?? [Object.keys(properties).join(), required.join()]
    })
  }

  it('replaces standard members of a problem by members of a declared schema', async () => {
    const problem = '#/components/schemas/Problem'
    assert.deepEqual(await ours(422, z.object({ reason: z.string() })), ['#/components/schemas/ValidationProblem'])
    assert.deepEqual(await ours(422, z.object({ errors: z.record(z.string(), z.array(z.string())) })), [
      problem,
      ['omitted', ''],
    ])
    assert.deepEqual(await ours(422, z.object({ detail: z.object({ code: z.string() }) })), [
      ['type,title,status,requestId', 'type,title,status,requestId'],
      ['errors,omitted', ''],
    ])
    assert.deepEqual(await ours(409, z.object({ errors: z.array(z.string()) })), [problem])
    const union = z.union([z.object({ type: z.literal('urn:a') }), z.object({ type: z.literal('urn:b') })])
    assert.deepEqual(await ours(409, union), [['title,status,detail,requestId', 'title,status,requestId']])
  })

  it('documents alternatives if several providers declare the same status', async () => {
    const role = provide({ errors: { 403: z.object({ role: z.string() }) } }, () => 1)
    const quota = provide({ errors: { 403: z.object({ left: z.number() }) } }, () => 1)
    const document = made({ uses: { role, quota } })
    const { responses } = findOperation(document, '/probe', 'post')
    const { anyOf } = Object(responses['403']).content['application/problem+json'].schema
    const refs = anyOf.map(({ allOf }: { allOf: readonly { $ref: string }[] }) => allOf[1]?.$ref.split('/').at(-1))
    assert.deepEqual(refs, ['ProbePostError403', 'ProbePostError4032'])
    assert.deepEqual(await validateDocument(document), [])
  })

  it('prefers a declared return value to a problem with the same status', () => {
    const { responses } = findOperation(made({ returns: { 200: null, 404: schema }, errors: [404] }), '/probe', 'post')
    assert.deepEqual(responses['404'], { description: 'Not Found', content })
  })

  it('documents problems of providers and decorators, and prefers problems with a description', () => {
    const teapot = decorator(() => ({ errors: [418, 409] }))
    const role = provide({ errors: { 403: 'Not for you', 409: 'Held' } }, () => 1)
    class Probe extends Route {
      static readonly get = this.contract({ uses: { role }, errors: [409], decorators: [teapot] })
      get() {}
    }
    const { responses } = findOperation(readDocument({ Probe }), '/probe')
    assert.deepEqual(Object.keys(responses), ['200', '403', '409', '418', 'default'])
    assert.deepEqual(
      [Object(responses['403']).description, Object(responses['409']).description],
      ['Not for you', 'Held'],
    )
  })

  it('documents the problems of @version and @deprecated', () => {
    class Probe extends Route {
      static readonly get = this.contract({ decorators: [version('*'), deprecated({ sunset: '2999-01-01' })] })
      get() {}
    }
    const operation = findOperation(readDocument({ Probe }), '/probe')
    assert.deepEqual(Object.keys(operation.responses), ['200', '400', '406', '410', 'default'])
    assert.equal(operation.deprecated, true)
    assert.equal(operation['x-sunset'], '2999-01-01T00:00:00.000Z')
  })

  it('omits x-sunset if @deprecated has no sunset', () => {
    class Probe extends Route {
      static readonly get = this.contract({ decorators: [deprecated({ since: '2026-01-31' })] })
      get() {}
    }
    const operation = findOperation(readDocument({ Probe }), '/probe')
    assert.equal(operation.deprecated, true)
    assert.ok(!('x-sunset' in operation))
  })
})
