/** Changed operations of two documents: removals, new and required parts, statuses, media types, headers and security. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { breaking } from 'verbena/openapi'
import { atPointer, content, generateDocument, type Part } from '#test/documents.js'

const ok = { 200: { description: 'a' } }
const text = { type: 'string' }
const parameter = (name: string, where: string, rest: Part = {}): Part => ({ name, in: where, schema: text, ...rest })
const asked = (...parameters: Part[]): Part => generateDocument({ parameters, responses: ok })
const answered = (response: Part, status = 200): Part => generateDocument({ responses: { [status]: response } })
const taken = (requestBody: Part): Part => generateDocument({ requestBody, responses: ok })
const plain = generateDocument({ responses: ok })
const image = { content: { 'image/png': {} } }
const field = (rest: Part = {}): Part => answered({ headers: { ETag: { schema: text, ...rest } } })

const form = (contentType?: string): Part =>
  taken({
    content: {
      'multipart/form-data': {
        schema: { type: 'object', properties: { file: {} } },
        encoding: { file: { ...(contentType !== undefined && { contentType }) } },
      },
    },
  })

/** Change, documents before and after it, broken rules with a part of the first message, and the rules of the reverse change. */
type Row = readonly [about: string, before: Part, after: Part, there: readonly string[], back: readonly string[]]

const ROWS: readonly Row[] = [
  ['a parameter', plain, asked(parameter('q', 'query')), [], ['request-parameter-removed']],
  [
    'a required parameter',
    plain,
    asked(parameter('q', 'query', { required: true })),
    ['new-required-request-parameter'],
    ['request-parameter-removed'],
  ],
  [
    'a parameter that becomes required',
    asked(parameter('q', 'query')),
    asked(parameter('q', 'query', { required: true })),
    ['request-parameter-became-required'],
    [],
  ],
  ['a deprecated parameter', asked(parameter('q', 'query', { deprecated: true })), plain, [], []],
  ['a header in another case', asked(parameter('X-A', 'header')), asked(parameter('x-a', 'header')), [], []],
  [
    'a parameter in another place',
    asked(parameter('a', 'cookie')),
    asked(parameter('a', 'query')),
    ['request-parameter-removed'],
    ['request-parameter-removed'],
  ],
  [
    'a parameter of another type',
    asked(parameter('q', 'query')),
    asked(parameter('q', 'query', { schema: { type: 'integer' } })),
    ['request-parameter-type-changed'],
    ['request-parameter-type-changed'],
  ],
  [
    'a parameter with items of another type',
    asked(parameter('q', 'query', { schema: { type: 'array', items: text } })),
    asked(parameter('q', 'query', { schema: { type: 'array', items: { type: 'integer' } } })),
    ['request-parameter-property-type-changed'],
    ['request-parameter-property-type-changed'],
  ],
  [
    'a parameter with content',
    asked({ name: 'q', in: 'query', content: { 'application/json': { schema: text } } }),
    asked({ name: 'q', in: 'query', content: { 'application/json': { schema: { type: 'integer' } } } }),
    ['request-parameter-type-changed'],
    ['request-parameter-type-changed'],
  ],
  ['a body', plain, taken(content(text)), [], ['request-body-removed']],
  [
    'a required body',
    plain,
    taken({ required: true, ...content(text) }),
    ['request-body-added-required'],
    ['request-body-removed'],
  ],
  [
    'a body that becomes required',
    taken(content(text)),
    taken({ required: true, ...content(text) }),
    ['request-body-became-required'],
    [],
  ],
  [
    'another media type',
    taken(content(text)),
    taken(content(text, 'text/csv')),
    ['request-body-media-type-removed'],
    ['request-body-media-type-removed'],
  ],
  [
    'a range of media types',
    taken(image),
    taken({ content: { 'image/*': {} } }),
    [],
    ['request-body-media-type-removed'],
  ],
  [
    'all media types',
    taken({ content: { 'image/*': {} } }),
    taken({ content: { '*/*': {} } }),
    [],
    ['request-body-media-type-removed'],
  ],
  [
    'a body with a schema',
    taken({ content: { 'application/json': {} } }),
    taken(content(text)),
    ['request-body-media-type-schema-added'],
    [],
  ],
  [
    'a response with a schema',
    answered({ content: { 'application/json': {} } }),
    answered(content(text)),
    [],
    ['response-body-media-type-schema-removed'],
  ],
  ['one more media type of a part', form('a/b'), form('a/b, c/d'), [], ['request-body-encoding-content-type-removed']],
  [
    'a range of media types of a part',
    form('image/png'),
    form('image/*'),
    [],
    ['request-body-encoding-content-type-removed'],
  ],
  ['any media type of a part', form('image/png'), form(), [], ['request-body-encoding-content-type-removed']],
  ['the same media types of a part', form('a/b,c/d'), form('c/d, a/b'), [], []],
  ['bytes', taken(image), taken(image), [], []],
  [
    'a response in another media type',
    answered(content(text)),
    answered(content(text, 'text/csv')),
    ['response-media-type-removed'],
    ['response-media-type-removed'],
  ],
  [
    'a response in one more media type',
    answered(content(text)),
    answered({ content: { ...Object(content(text)['content']), 'image/png': {} } }),
    [],
    ['response-media-type-removed'],
  ],
  [
    'a response in a range',
    answered(image),
    answered({ content: { 'image/*': {} } }),
    ['response-media-type-removed'],
    ['response-media-type-removed'],
  ],
  [
    'another status',
    answered({}),
    answered({}, 201),
    ['response-success-status-removed'],
    ['response-success-status-removed'],
  ],
  ['another status of errors', answered({}, 404), answered({}, 410), [], []],
  [
    'another body of errors',
    answered(content(text), 404),
    answered(content({ type: 'integer' }), 404),
    ['response-body-type-changed'],
    ['response-body-type-changed'],
  ],
  ['a header of the response', answered({}), field(), [], ['optional-response-header-removed']],
  [
    'a required header of the response',
    answered({}),
    field({ required: true }),
    [],
    ['required-response-header-removed'],
  ],
  ['a header that becomes optional', field({ required: true }), field(), ['response-header-became-optional'], []],
  ['a header that stays required', field({ required: true }), field({ required: true }), [], []],
  [
    'a header of another type',
    field(),
    field({ schema: { type: 'integer' } }),
    ['response-header-type-changed'],
    ['response-header-type-changed'],
  ],
  ['a deprecated header of the response', field({ deprecated: true }), answered({}), [], []],
]

describe('breaking(): operations', () => {
  for (const [about, before, after, there, back] of ROWS) {
    it(`reports a change and the reverse change: ${about}`, () => {
      const rules = (old: Part, now: Part): string[] =>
        breaking(old, now).map((change) => {
          assert.ok(
            [old, now].some((document) => atPointer(document, change) !== undefined),
            change.pointer,
          )
          return change.rule
        })
      assert.deepEqual([rules(before, after), rules(after, before)], [there, back])
    })
  }

  it('reports operation, pointer and message of a change', () => {
    const after = asked(parameter('q', 'query', { required: true }))
    assert.deepEqual(breaking(plain, after), [
      {
        rule: 'new-required-request-parameter',
        method: 'POST',
        path: '/a',
        pointer: '/paths/~1a/post/parameters/0',
        message: 'POST /a: the query parameter "q" is new and required',
      },
    ])
    const types = { content: { 'a/b': { schema: text }, 'c/d': { schema: text } } }
    const others = { content: { 'a/b': { schema: text }, 'c/d': { schema: { type: 'integer' } } } }
    assert.deepEqual(
      breaking(answered(types), answered(others)).map(({ message }) => message),
      ['POST /a: the 200 response (c/d) may now be an integer'],
    )
  })
})

describe('breaking(): paths', () => {
  const of = (paths: Part): Part => ({ ...plain, paths })
  const get = { responses: ok }

  it('reports removed methods and paths, unless they were deprecated', () => {
    const old = of({ '/a': { get, post: get }, '/b': { get, put: get }, '/c': { get: { ...get, deprecated: true } } })
    const changes = breaking(old, of({ '/a': { get } }))
    assert.deepEqual(
      changes.map(({ rule, method, path, pointer }) => [rule, method, path, pointer]),
      [
        ['api-removed-without-deprecation', 'POST', '/a', '/paths/~1a/post'],
        ['api-path-removed-without-deprecation', 'GET', '/b', '/paths/~1b/get'],
        ['api-path-removed-without-deprecation', 'PUT', '/b', '/paths/~1b/put'],
      ],
    )
    assert.deepEqual(
      changes.map(({ message }) => message),
      ['POST /a: the operation was removed', 'GET /b: the operation was removed', 'PUT /b: the operation was removed'],
    )
  })

  it('reports an operation that is removed before its x-sunset', () => {
    const sunset = { ...get, deprecated: true, 'x-sunset': '2026-06-30T12:00:00.000Z' }
    const old = of({ '/a': { get: sunset, put: get }, '/b': { get: sunset } })
    const now = of({ '/a': { put: get } })
    const time = Date.UTC(2026, 5, 30, 12)
    for (const late of [time, new Date(time), '2026-06-30T12:00:00Z', time + 1]) {
      assert.deepEqual(breaking(old, now, { now: late }), [])
    }
    const changes = breaking(old, now, { now: time - 1 })
    assert.deepEqual(
      changes.map(({ rule, message }) => [rule, message]),
      [
        ['api-removed-before-sunset', 'GET /a: the operation was removed before its sunset, 2026-06-30T12:00:00.000Z'],
        [
          'api-path-removed-before-sunset',
          'GET /b: the operation was removed before its sunset, 2026-06-30T12:00:00.000Z',
        ],
      ],
    )
    assert.deepEqual(breaking(of({ '/a': { get: { ...get, 'x-sunset': '2026-06-30' } } }), of({}), { now: time }), [])
    assert.deepEqual(breaking(of({ '/a': { get: { ...get, deprecated: true, 'x-sunset': 'soon' } } }), of({})), [])
    assert.deepEqual(breaking(of({ '/a': { get: { ...get, 'x-sunset': '2020-01-01' } } }), of({})), [])
    assert.equal(breaking(of({ '/a': { get: { ...get, 'x-sunset': '2999-01-01' } } }), of({})).length, 1)
  })

  it('rejects invalid options', () => {
    assert.throws(() => breaking(plain, plain, { now: 'today' }), {
      name: 'TypeError',
      message:
        'Cannot use the option "now" of breaking(): it must be a date, not a string of length 5. Write "now: new Date()"',
    })
    assert.throws(
      () => Reflect.apply(breaking, null, [plain, plain, { Now: 1 }]),
      /"Now" of breaking\(\): it is unknown. Did you mean "now"/,
    )
  })

  it('treats a renamed path parameter as the same parameter', () => {
    const old = of({ '/a/{x}/{y}': { get: { ...get, parameters: [parameter('x', 'path'), parameter('y', 'path')] } } })
    const swapped = [parameter('x', 'path', { schema: { type: 'integer' } }), parameter('z', 'path')]
    const now = of({ '/a/{z}/{x}': { parameters: swapped, get } })
    assert.deepEqual(breaking(old, old), [])
    assert.deepEqual(
      breaking(old, now).map(({ rule, message, path }) => [rule, path, message]),
      [
        [
          'request-parameter-type-changed',
          '/a/{x}/{y}',
          'GET /a/{x}/{y}: the path parameter "x" no longer accepts a string',
        ],
      ],
    )
  })

  it('replaces parameters of the path by parameters of the operation', () => {
    const shared = { parameters: [parameter('q', 'query', { required: true })] }
    const old = of({ '/a': { get } })
    const now = of({ '/a': { ...shared, get: { ...get, parameters: [parameter('q', 'query')] } } })
    assert.deepEqual(breaking(old, now), [])
    assert.equal(breaking(old, of({ '/a': { ...shared, get } }))[0]?.rule, 'new-required-request-parameter')
  })

  it('does not report new paths and methods', () => {
    assert.deepEqual(breaking(of({}), plain), [])
    assert.deepEqual(breaking({ openapi: '3.1.0' }, plain), [])
  })
})

describe('breaking(): security', () => {
  const schemes = {
    token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'a token' },
    key: { type: 'apiKey', in: 'header', name: 'x-key' },
    oauth: { type: 'oauth2', flows: {} },
  }
  const secured = (security: unknown, components: Part = { securitySchemes: schemes }, rest: Part = {}): Part =>
    generateDocument({ responses: ok, ...(security !== undefined && { security }) }, { components, ...rest })
  const SECURITY: readonly (readonly [about: string, before: Part, after: Part, there: string[], back: string[]])[] = [
    ['credentials instead of empty "security"', secured([]), secured([{ token: [] }]), ['api-security-added'], []],
    ['credentials instead of missing "security"', plain, secured([{ token: [] }]), ['api-security-added'], []],
    [
      'credentials of the document',
      secured([{ token: [] }]),
      secured(undefined, undefined, { security: [{ token: [] }] }),
      [],
      [],
    ],
    [
      'credentials that become optional',
      secured([{ token: [] }]),
      secured([{ token: [] }, {}]),
      [],
      ['api-security-added'],
    ],
    [
      'an additional alternative',
      secured([{ token: [] }]),
      secured([{ token: [] }, { key: [] }]),
      [],
      ['api-security-removed'],
    ],
    [
      'an additional scheme in the same requirement',
      secured([{ token: [] }]),
      secured([{ token: [], key: [] }]),
      ['api-security-removed'],
      [],
    ],
    [
      'another scope',
      secured([{ oauth: ['read'] }]),
      secured([{ oauth: ['read', 'write'] }]),
      ['api-security-scope-added'],
      [],
    ],
    [
      'a scheme of another name',
      secured([{ token: [] }]),
      secured([{ jwt: [] }], { securitySchemes: { jwt: { scheme: 'bearer', type: 'http' } } }),
      [],
      [],
    ],
    [
      'another scheme of the same name',
      secured([{ key: [] }]),
      secured([{ key: [] }], { securitySchemes: { key: { ...schemes.key, in: 'query' } } }),
      ['api-security-removed'],
      ['api-security-removed'],
    ],
  ]
  for (const [about, before, after, there, back] of SECURITY) {
    it(`reports a change and the reverse change: ${about}`, () => {
      const rules = (old: Part, now: Part): string[] => breaking(old, now).map(({ rule }) => rule)
      assert.deepEqual([rules(before, after), rules(after, before)], [there, back])
    })
  }

  it('points to the security of the operation or the document', () => {
    const [change] = breaking(secured([]), secured([{ token: [] }]))
    assert.equal(change?.pointer, '/paths/~1a/post/security')
    assert.equal(change.message, 'POST /a: credentials are now required')
    const [other] = breaking(secured([{}]), secured(undefined, undefined, { security: [{ key: [] }] }))
    assert.equal(other?.pointer, '/security')
  })
})
