/** The form that tries an endpoint out. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formOf, requestOf, type TrySource } from '#src/devconsole/ui/pure/try-form.js'
import { jsonBody, record } from '#test/page-records.js'

const SOURCE: TrySource = {
  method: 'PUT',
  template: '/users/{id}/files/{name}',
  document: {
    components: { parameters: { Limit: { name: 'limit', in: 'query', schema: { type: 'integer', default: 20 } } } },
  },
  operation: {
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'string', example: 'u_1' } },
      { $ref: '#/components/parameters/Limit' },
      { name: 'active', in: 'query', schema: { type: 'boolean' } },
      { name: 'order', in: 'query', schema: { enum: ['name', 'date'] } },
      { name: 'sort', in: 'query', required: true, schema: { enum: ['up', 'down'] } },
      { name: 'Accept-Version', in: 'header', schema: { type: 'string' } },
      { name: 'session', in: 'cookie', schema: { type: 'string' } },
    ],
    requestBody: { content: { 'application/json': { schema: { properties: { a: { const: 1 } } } } } },
  },
}

const SENT = record({
  params: { id: 'u_9', name: 'x.txt' },
  'url.query': 'limit=5&active=true',
  request: { headers: [['accept-version', '1.4.0']], body: jsonBody('{"a":2}') },
})

describe('formOf()', () => {
  it('has one field for each parameter but cookies, those of the template too', () => {
    const { fields, method, template, type } = formOf(SOURCE, null)
    assert.deepEqual([method, template, type], ['PUT', SOURCE.template, 'application/json'])
    assert.deepEqual(
      fields.map(({ place, name, kind, options, required, value }) => [place, name, kind, options, required, value]),
      [
        ['path', 'name', 'text', [], true, ''],
        ['path', 'id', 'text', [], true, 'u_1'],
        ['query', 'limit', 'number', [], false, '20'],
        ['query', 'active', 'checkbox', [], false, ''],
        ['query', 'order', 'select', ['', 'name', 'date'], false, ''],
        ['query', 'sort', 'select', ['up', 'down'], true, 'up'],
        ['header', 'Accept-Version', 'text', [], false, ''],
      ],
    )
    assert.equal(fields[2]?.hint, 'integer, default 20')
  })

  it('begins with an example of the body, or the one that is given', () => {
    assert.equal(formOf(SOURCE, null).body, '{\n  "a": 1\n}')
    const given = { ...SOURCE, operation: { requestBody: { content: { 'text/plain': { example: 'hello' } } } } }
    assert.deepEqual([formOf(given, null).body, formOf(given, null).type], ['"hello"', 'text/plain'])
    assert.equal(formOf({ ...SOURCE, operation: {} }, null).body, null)
  })

  it('begins with what was sent', () => {
    const { fields, body } = formOf(SOURCE, SENT)
    assert.deepEqual(
      fields.map((field) => field.value),
      ['x.txt', 'u_9', '5', 'true', '', 'up', '1.4.0'],
    )
    assert.equal(body, '{\n  "a": 2\n}')
    const odd = record({ params: {}, request: { headers: [], body: jsonBody('no json') } })
    assert.deepEqual([formOf(SOURCE, odd).body, formOf(SOURCE, odd).fields[1]?.value], ['no json', 'u_1'])
  })
})

describe('requestOf()', () => {
  const form = formOf(SOURCE, null)
  const base = { origin: 'http://localhost:1', headers: [] }

  it('puts each value where it goes', () => {
    const typed = { values: ['a b', 'u/1', '7', 'true', '', 'up', '2.0.0'], body: '{}', authorization: 'Bearer x' }
    assert.deepEqual(requestOf(form, typed, base), {
      method: 'PUT',
      url: 'http://localhost:1/users/u%2F1/files/a%20b?limit=7&active=true&sort=up',
      headers: [
        ['Accept-Version', '2.0.0'],
        ['authorization', 'Bearer x'],
        ['content-type', 'application/json'],
      ],
      body: '{}',
    })
  })

  it('keeps the slashes of a wildcard', () => {
    const wild = formOf({ ...SOURCE, template: '/files/{path...}', operation: {} }, null)
    assert.deepEqual(
      wild.fields.map((field) => field.name),
      ['path'],
    )
    const typed = { values: ['a/b c'], body: null, authorization: '' }
    assert.equal(requestOf(wild, typed, base).url, 'http://localhost:1/files/a/b%20c')
  })

  it('leaves out what is empty', () => {
    const typed = { values: ['', 'u', '', '', '', '', ''], body: null, authorization: '' }
    assert.deepEqual(requestOf(form, typed, base), {
      method: 'PUT',
      url: 'http://localhost:1/users/u/files/',
      headers: [],
      body: null,
    })
    assert.equal(requestOf(form, { ...typed, values: [] }, base).url, 'http://localhost:1/users//files/')
  })

  it('keeps headers of what was sent, but those it sets itself', () => {
    const headers = [
      ['ACCEPT-VERSION', '1'],
      ['x-kept', 'y'],
      ['cookie', 'a=b'],
    ] as const
    const typed = { values: ['', '', '', '', '', '', '2'], body: null, authorization: '' }
    assert.deepEqual(requestOf(form, typed, { ...base, headers }).headers, [
      ['x-kept', 'y'],
      ['Accept-Version', '2'],
    ])
  })
})
