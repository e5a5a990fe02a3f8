/** The document as the page gets it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { buildFormDocument, tryForm } from '#src/devconsole/serve/form-document.js'

const NAME = { $ref: '#/components/schemas/Name' }
const DOCUMENT = { components: { schemas: { Name: { type: 'string', minLength: 2 } } } }
const WORDED = {
  components: { schemas: { Name: { type: 'string', minLength: 2, 'x-type': 'string, at least 2 characters' } } },
}

const withPost = (post: object) => ({ paths: { '/users': { summary: 'Users', post } } })
const EMPTY_FORM = { fields: [], body: null, type: 'application/json' }

describe('buildFormDocument()', () => {
  it('adds a description of the type to each schema, including nested schemas', () => {
    const list = { type: 'array', items: { anyOf: [NAME, { properties: { id: { type: 'integer' } } }] } }
    const odd = { parameters: ['odd'], example: { schema: {} }, schema: true }
    const given = { ...DOCUMENT, ...withPost({ ...odd, responses: { 200: { content: { a: { schema: list } } } } }) }
    const id = { type: 'integer', 'x-type': 'integer' }
    const choices = [
      { ...NAME, 'x-type': 'Name' },
      { properties: { id }, 'x-type': 'object' },
    ]
    const items = { anyOf: choices, 'x-type': 'Name | object' }
    const schema = { type: 'array', items, 'x-type': '(Name | object)[]' }
    const field = { place: 'query', name: '', required: false, options: [], kind: 'text', value: '', hint: 'any' }
    assert.deepEqual(buildFormDocument(given), {
      ...WORDED,
      ...withPost({
        ...odd,
        responses: { 200: { content: { a: { schema } } } },
        'x-form': { ...EMPTY_FORM, fields: [field] },
      }),
    })
  })

  it('adds a form to each operation', () => {
    const requestBody = { content: { 'text/plain': { schema: NAME } } }
    const media = { schema: { ...NAME, 'x-type': 'Name' } }
    assert.deepEqual(buildFormDocument({ ...DOCUMENT, ...withPost({ requestBody }) }), {
      ...WORDED,
      ...withPost({
        requestBody: { content: { 'text/plain': media } },
        'x-form': { fields: [], body: 'text', type: 'text/plain' },
      }),
    })
  })

  it('shows the media types of files in a form', () => {
    const typed = (encoding: unknown, properties: object) =>
      JSON.stringify(
        buildFormDocument(withPost({ requestBody: { content: { form: { schema: { properties }, encoding } } } })),
      )
    const file = { contentMediaType: 'application/octet-stream' }
    const encoding = { a: { contentType: 'image/png' } }
    assert.match(typed(encoding, { a: file }), /"contentMediaType":"image\/png","x-type":"file, image\/png"/)
    assert.match(typed(encoding, { a: { type: 'array', items: file } }), /"x-type":"\(file, image\/png\)\[\]"/)
    for (const other of [{ b: file }, { a: true }, { a: { type: 'string' } }])
      assert.doesNotMatch(typed(encoding, other), /"x-type":"[^"]*png/)
    assert.doesNotMatch(typed(undefined, { a: file }), /png/)
  })

  it('describes the items of streams, and prefills a body of lines with one line', () => {
    const itemSchema = { type: 'object', properties: { name: NAME } }
    const content = { 'application/jsonl': { itemSchema } }
    const name = { ...NAME, 'x-type': 'Name' }
    const media = { itemSchema: { ...itemSchema, properties: { name }, 'x-type': 'object' } }
    assert.deepEqual(buildFormDocument({ ...DOCUMENT, ...withPost({ requestBody: { content } }) }), {
      ...WORDED,
      ...withPost({
        requestBody: { content: { 'application/jsonl': media } },
        'x-form': { fields: [], body: '{"name":"text"}', type: 'application/jsonl' },
      }),
    })
  })

  it('accepts a document without paths and components', () => {
    assert.deepEqual(buildFormDocument({ openapi: '3.1.1' }), {
      openapi: '3.1.1',
      paths: {},
      components: { schemas: {} },
    })
  })
})

const LIMIT = { name: 'limit', in: 'query', schema: { type: 'integer', default: 20 } }
const WITH_LIMIT = { components: { parameters: { Limit: LIMIT } } }

describe('tryForm()', () => {
  it('returns one field for each parameter', () => {
    const { fields } = tryForm(WITH_LIMIT, {
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { type: 'string', example: 'u_1' } },
        { $ref: '#/components/parameters/Limit' },
        { name: 'ratio', in: 'query', schema: { type: 'number' } },
        { name: 'active', in: 'query', schema: { type: 'boolean' } },
        { name: 'fresh', in: 'query', schema: { type: 'boolean', default: true } },
        { name: 'sold', in: 'query', required: true, schema: { type: 'boolean' } },
        { name: 'order', in: 'query', schema: { enum: ['name', 'date'] } },
        { name: 'sort', in: 'query', required: true, schema: { enum: ['up', 'down'] } },
        { name: 'Accept-Version', in: 'header', schema: { type: 'string' } },
        { name: 'session', in: 'cookie', schema: { type: 'string' } },
      ],
    })
    assert.deepEqual(
      fields.map(({ place, name, kind, options, required, value }) => [place, name, kind, options, required, value]),
      [
        ['path', 'id', 'text', [], true, 'u_1'],
        ['query', 'limit', 'number', [], false, '20'],
        ['query', 'ratio', 'number', [], false, ''],
        ['query', 'active', 'select', ['', 'false', 'true'], false, ''],
        ['query', 'fresh', 'select', ['', 'false', 'true'], false, 'true'],
        ['query', 'sold', 'select', ['false', 'true'], true, 'false'],
        ['query', 'order', 'select', ['', 'name', 'date'], false, ''],
        ['query', 'sort', 'select', ['up', 'down'], true, 'up'],
        ['header', 'Accept-Version', 'text', [], false, ''],
        ['cookie', 'session', 'text', [], false, ''],
      ],
    )
    assert.equal(fields[1]?.hint, 'integer, default 20')
  })

  it('describes a form with files by one field for each part, without a body', () => {
    const bytes = { contentMediaType: 'application/octet-stream' }
    const properties = {
      title: { type: 'string' },
      count: { type: 'integer' },
      home: { type: 'object', default: {} },
      image: bytes,
      pages: { type: 'array', items: bytes },
      other: bytes,
    }
    const encoding = {
      home: { contentType: 'application/json' },
      image: { contentType: 'image/png' },
      pages: { contentType: 'image/*' },
      other: { contentType: '*/*' },
    }
    const media = { schema: { type: 'object', properties, required: ['image'] }, encoding }
    const form = tryForm({}, { requestBody: { content: { 'multipart/form-data': media } } })
    assert.deepEqual([form.body, form.type], [null, 'multipart/form-data'])
    assert.deepEqual(
      form.fields.map(({ place, name, kind, options, required, hint }) => [place, name, kind, options, required, hint]),
      [
        ['part', 'title', 'text', [], false, 'string'],
        ['part', 'count', 'number', [], false, 'integer'],
        ['part', 'home', 'file', ['application/json'], false, 'object, default {}'],
        ['part', 'image', 'file', ['image/png'], true, 'file, image/png'],
        ['part', 'pages', 'files', ['image/*'], false, '(file, image/*)[]'],
        ['part', 'other', 'file', ['*/*'], false, 'file, any type'],
      ],
    )
  })

  it('prefills the body with a generated example, or with the example of the document', () => {
    const formOf = (media: object, type: string) => tryForm(WITH_LIMIT, { requestBody: { content: { [type]: media } } })
    const made = formOf({ schema: { properties: { a: { const: 1 } } } }, 'application/json')
    assert.deepEqual([made.body, made.type], ['{\n  "a": 1\n}', 'application/json'])
    const given = formOf({ example: 'hello' }, 'text/plain')
    assert.deepEqual([given.body, given.type], ['hello', 'text/plain'])
    assert.equal(formOf({ example: 'hello' }, 'application/json').body, '"hello"')
    const example = { name: 'Zoë & Co', tags: ['a', 'b'], age: 3 }
    assert.equal(
      formOf({ example }, 'application/x-www-form-urlencoded').body,
      'name=Zo%C3%AB+%26+Co&tags=a&tags=b&age=3',
    )
    assert.deepEqual(tryForm(WITH_LIMIT, {}), { fields: [], body: null, type: 'application/json' })
  })
})

describe('tryForm(): security', () => {
  const schemes = {
    token: { type: 'http', scheme: 'Bearer' },
    login: { type: 'http', scheme: 'basic' },
    digest: { type: 'http', scheme: 'digest' },
    oauth: { type: 'oauth2' },
    head: { type: 'apiKey', in: 'header', name: 'X-Key' },
    query: { type: 'apiKey', in: 'query', name: 'key' },
    cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
  }
  const paths = {
    '/session': { post: { security: [], summary: 'Begin' }, get: { summary: 'log in' } },
    '/in': { post: { summary: 'Sign in' } },
    '/closed-login': { post: { security: [{ token: [] }] } },
    '/other': { post: {} },
  }
  const securityOf = (security: unknown, document: object = {}) => {
    const { schemes: found, signIn } = tryForm(
      { components: { securitySchemes: schemes }, paths, ...document },
      { security },
    )
    return [found?.map(({ kind, name }) => `${kind} ${name}`), signIn]
  }

  it('contains each scheme of all alternatives once, and one field for all tokens of Authorization', () => {
    const alternatives = [
      { token: [], head: [] },
      { login: [], head: [] },
      { query: [] },
      { digest: [] },
      { oauth: [] },
    ]
    assert.deepEqual(securityOf(alternatives), [
      ['http Bearer token', 'header X-Key', 'basic Basic', 'query key', 'http Authorization'],
      undefined,
    ])
    assert.deepEqual(securityOf([]), [undefined, undefined])
    assert.deepEqual(securityOf(undefined, { security: [{ head: [] }] }), [['header X-Key'], undefined])
  })

  it('names public operations that look like a sign-in for a cookie', () => {
    assert.deepEqual(securityOf([{ cookie: [] }]), [
      ['cookie sid'],
      [
        ['/session', 'post'],
        ['/in', 'post'],
      ],
    ])
    assert.deepEqual(securityOf([{ cookie: [] }], { paths: {} }), [['cookie sid'], undefined])
  })
})
