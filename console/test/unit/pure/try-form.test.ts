/** The form that tries an endpoint out, as it is filled and sent. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TryField } from '#src/devconsole/wire/view-types.js'
import { buildForm, buildRequest, freeHeaders, freeQuery, targetForm } from '../../../page/pure/try-form.js'
import { jsonBody, record } from '#test/page-records.js'

const ROUTE = { method: 'PUT', template: '/users/{id}/files/{name}' }
const FIELD: TryField = {
  ...{ place: 'query', name: '', kind: 'text', options: [] },
  required: false,
  value: '',
  hint: '',
}
const FIELDS: readonly TryField[] = [
  { ...FIELD, place: 'path', name: 'id', required: true, value: 'u_1' },
  { ...FIELD, name: 'limit', kind: 'number', value: '20' },
  { ...FIELD, name: 'active', kind: 'select', options: ['', 'false', 'true'] },
  { ...FIELD, name: 'order', kind: 'select', options: ['', 'name', 'date'] },
  { ...FIELD, name: 'sort', kind: 'select', options: ['up', 'down'], required: true, value: 'up' },
  { ...FIELD, place: 'header', name: 'Accept-Version' },
]
const OPERATION = { 'x-form': { fields: FIELDS, body: '{}', type: 'application/json' } }

const SENT = record({
  params: { id: 'u_9', name: 'x.txt' },
  'url.query': 'limit=5&active=true',
  request: { headers: [['accept-version', '1.4.0']], body: jsonBody('{"a":2}') },
})

describe('buildForm()', () => {
  it('contains the fields of the operation, and parameters of the template that it does not declare', () => {
    const name = { ...FIELD, place: 'path', name: 'name', required: true }
    assert.deepEqual(buildForm(ROUTE, OPERATION, null), {
      ...{ ...ROUTE, fields: [name, ...FIELDS] },
      ...{ body: '{}', type: 'application/json' },
    })
  })

  it('contains only the parameters of the template without a description', () => {
    const { fields, body } = buildForm(ROUTE, {}, null)
    assert.deepEqual([fields.map((field) => field.name), body], [['id', 'name'], null])
  })

  it('adds a version field for a constraint, prefilled with its lowest version', () => {
    const versionOf = (version: string | null, versionHeader: string | null, operation = {}) =>
      buildForm({ ...ROUTE, version, versionHeader }, operation, null)
        .fields.filter(({ place }) => place === 'header')
        .map(({ name, value, hint }) => [name, value, hint])
    assert.deepEqual(versionOf('>=2.0.0', 'v'), [['v', '2.0.0', '>=2.0.0']])
    assert.deepEqual(versionOf('^1.2', 'v'), [['v', '1.2', '^1.2']])
    assert.deepEqual(versionOf('<2.0.0', 'v'), [['v', '', '<2.0.0']])
    assert.deepEqual(versionOf('1.0.0', null), [])
    assert.deepEqual(versionOf(null, 'v'), [])
    assert.deepEqual(versionOf('>=2.0.0', 'Accept-Version', OPERATION), [['Accept-Version', '', '']])
    const sent = buildForm({ ...ROUTE, version: '>=1.0.0', versionHeader: 'accept-version' }, {}, SENT)
    assert.equal(sent.fields.at(-1)?.value, '1.4.0')
  })

  it('prefills the form with the sent values', () => {
    const { fields, body } = buildForm(ROUTE, OPERATION, SENT)
    assert.deepEqual(
      fields.map((field) => field.value),
      ['x.txt', 'u_9', '5', 'true', '', 'up', '1.4.0'],
    )
    assert.equal(body, '{\n  "a": 2\n}')
    const odd = record({ params: {}, request: { headers: [], body: jsonBody('no json') } })
    assert.deepEqual(
      [buildForm(ROUTE, OPERATION, odd).body, buildForm(ROUTE, OPERATION, odd).fields[1]?.value],
      ['no json', 'u_1'],
    )
    const bare = record({ request: { headers: [], body: null } })
    assert.equal(buildForm(ROUTE, OPERATION, bare).body, '{}')
  })

  it('can contain any sent value, also one that the schema rejects', () => {
    const cookie = { ...FIELD, place: 'cookie', name: 'theme', value: 'dark' } as const
    const operation = { 'x-form': { fields: [...FIELDS, cookie], body: null, type: '' } }
    const sent = record({ 'url.query': 'active=maybe&order=size&sort=down', 'http.request.method': 'HEAD' })
    const { method, fields } = buildForm({ method: 'GET', template: '/' }, operation, sent)
    assert.equal(method, 'HEAD')
    assert.deepEqual(
      fields.slice(2).map(({ kind, options, value }) => [kind, options, value]),
      [
        ['select', ['maybe', '', 'false', 'true'], 'maybe'],
        ['select', ['size', '', 'name', 'date'], 'size'],
        ['select', ['up', 'down'], 'down'],
        ['text', [], ''],
        ['text', [], 'dark'],
      ],
    )
  })
})

describe('buildRequest()', () => {
  const form = buildForm(ROUTE, OPERATION, null)
  const base = { origin: 'http://localhost:1', headers: [] }

  it('sends each value in its place', () => {
    const typed = { values: ['a b', 'u/1', '7', 'true', '', 'up', '2.0.0'], body: '{}' }
    assert.deepEqual(buildRequest(form, typed, base), {
      method: 'PUT',
      url: 'http://localhost:1/users/u%2F1/files/a%20b?limit=7&active=true&sort=up',
      headers: [
        ['Accept-Version', '2.0.0'],
        ['content-type', 'application/json'],
      ],
      body: '{}',
      cookies: '',
    })
  })

  it('keeps the slashes of a wildcard', () => {
    const wild = buildForm({ method: 'GET', template: '/files/{path...}' }, {}, null)
    assert.deepEqual(
      wild.fields.map((field) => field.name),
      ['path'],
    )
    const typed = { values: ['a/b c'], body: null }
    assert.equal(buildRequest(wild, typed, base).url, 'http://localhost:1/files/a/b%20c')
  })

  it('omits empty values', () => {
    const typed = { values: ['', 'u', '', '', '', '', ''], body: null }
    assert.deepEqual(buildRequest(form, typed, base), {
      method: 'PUT',
      url: 'http://localhost:1/users/u/files/',
      headers: [],
      body: null,
      cookies: '',
    })
    assert.equal(buildRequest(form, { ...typed, values: [] }, base).url, 'http://localhost:1/users//files/')
  })

  it('keeps the sent headers, except headers that the form sets', () => {
    const headers = [
      ['ACCEPT-VERSION', '1'],
      ['x-kept', 'y'],
      ['cookie', 'a=b'],
      ['user-agent', 'curl'],
    ] as const
    const typed = { values: ['', '', '', '', '', '', '2'], body: null }
    assert.deepEqual(buildRequest(form, typed, { ...base, headers }).headers, [
      ['x-kept', 'y'],
      ['cookie', 'a=b'],
      ['Accept-Version', '2'],
    ])
  })
})

describe('buildRequest(): forms with files', () => {
  const part = { ...FIELD, place: 'part' } as const
  const fields = [
    { ...part, name: 'title' },
    { ...part, name: 'note' },
    { ...part, name: 'image', kind: 'file' },
    { ...part, name: 'pages', kind: 'files' },
  ] as const
  const form = buildForm(
    { method: 'PUT', template: '/a' },
    { 'x-form': { fields, body: null, type: 'multipart/form-data' } },
    null,
  )
  const base = { origin: 'http://localhost', headers: [['content-type', 'multipart/form-data; boundary=old']] as const }

  it('contains each filled part, and no Content-Type, because only the browser knows the boundary', () => {
    const image = new File(['a'], 'a.png')
    const pages = [new File(['b'], 'b'), new File(['c'], 'c')]
    const request = buildRequest(form, { values: ['Ada', '', [image], pages], body: null }, base)
    assert.deepEqual([request.headers, request.body], [[], null])
    assert.deepEqual(request.parts, [
      ['title', 'Ada'],
      ['image', image],
      ['pages', pages[0]],
      ['pages', pages[1]],
    ])
  })

  it('starts empty for a recorded request, because its parts were not stored', () => {
    const again = buildForm(
      { method: 'PUT', template: '/a' },
      { 'x-form': { fields, body: null, type: 'multipart/form-data' } },
      { ...SENT, request: { headers: [['title', 'x']], body: null } },
    )
    assert.deepEqual(
      again.fields.map(({ value }) => value),
      ['', '', '', ''],
    )
  })
})

describe('buildRequest(): typed headers, query and credentials', () => {
  const form = buildForm(
    { method: 'POST', template: '/a' },
    { 'x-form': { fields: [], body: '{}', type: 'text/plain' } },
    null,
  )
  const base = { origin: 'http://localhost', headers: [['Content-Type', 'application/xml']] as const }

  it('adds parameters, credentials in their places, and prefers a typed Content-Type', () => {
    const stored = [
      { place: 'header', name: 'x-key', value: 'h' },
      { place: 'query', name: 'key', value: 'q r' },
      { place: 'cookie', name: 'c', value: 'd' },
    ] as const
    assert.deepEqual(buildRequest(form, { values: [], body: 'x', query: '?a=1&a=2', stored }, base), {
      method: 'POST',
      url: 'http://localhost/a?key=q+r&a=1&a=2',
      headers: [...base.headers, ['x-key', 'h']],
      body: 'x',
      cookies: 'c=d',
    })
  })

  it('marks requests of endpoints that accept Basic', () => {
    const basic = { ...form, schemes: [{ kind: 'basic', name: 'basic' }] as const }
    assert.equal(buildRequest(basic, { values: [], body: null }, base).isBasic, true)
  })
})

describe('targetForm()', () => {
  it('sends a typed method and target to the origin of the page only', () => {
    const form = targetForm(record({ 'http.request.method': 'DELETE', 'url.path': '/a{b}', 'url.query': 'c=d' }))
    assert.deepEqual(
      form.fields.map(({ value }) => value),
      ['DELETE', '/a{b}?c=d'],
    )
    const request = (values: readonly string[]) =>
      buildRequest(form, { values, body: '' }, { origin: 'http://localhost:1', headers: [] })
    assert.deepEqual([request(['get', '/x?y']).method, request(['get', '/x?y']).url], ['GET', 'http://localhost:1/x?y'])
    assert.equal(request(['GET', '@evil.test/x']).url, 'http://localhost:1/@evil.test/x')
    assert.equal(request(['GET', '/']).body, null)
  })
})

describe('freeHeaders(), freeQuery()', () => {
  it('return headers and parameters without a field, except headers that a page cannot set', () => {
    const form = buildForm(ROUTE, OPERATION, null)
    const headers = [
      'accept-version',
      'host',
      'cookie',
      'authorization',
      'x-dev-replay',
      'content-type',
      'x-own',
    ] as const
    const sent = record({
      'url.query': 'limit=5&more=1&more=2',
      request: { headers: headers.map((name) => [name, name === 'content-type' ? form.type : 'v']), body: null },
    })
    assert.equal(freeHeaders(form, sent), 'cookie: v\nx-own: v')
    assert.equal(freeQuery(form, sent), 'more=1&more=2')
    assert.equal(freeQuery(form, record({ 'url.query': 'limit=5&limit=6&active=' })), 'limit=6&active=')
  })
})
