import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readModel } from '#src/reference/model.js'

const operations = (document: Record<string, unknown>) =>
  readModel(document).groups.flatMap((group) => group.operations)

describe('readModel()', () => {
  it('reads operations of all methods, QUERY in every form, and webhooks', () => {
    const paths = {
      '/a': { get: {}, 'x-query': { summary: 'Old' }, trace: {}, parameters: [], summary: 'not an operation' },
      '/b': { query: {}, additionalOperations: { COPY: {}, BAD: 5 } },
    }
    const found = operations({ paths, webhooks: { sold: { post: {} } } })
    assert.deepEqual(
      found.map(({ method, path, isWebhook }) => [method, path, isWebhook]),
      [
        ['GET', '/a', false],
        ['TRACE', '/a', false],
        ['QUERY', '/a', false],
        ['QUERY', '/b', false],
        ['COPY', '/b', false],
        ['POST', 'sold', true],
      ],
    )
    assert.deepEqual(
      found.map(({ id }) => id),
      ['GET-a', 'TRACE-a', 'QUERY-a', 'QUERY-b', 'COPY-b', 'POST-sold'],
    )
  })

  it('groups operations by their first tag, in the order of the document', () => {
    const paths = { '/a': { get: { tags: ['b', 'c'] }, put: {}, post: { tags: ['a'] }, patch: { tags: ['b'] } } }
    const tags = [{ name: 'unused' }, { name: 'a', description: 'First', summary: 'The first' }, null]
    const { groups } = readModel({ paths, tags, webhooks: { x: { post: { tags: ['a'] } } } })
    assert.deepEqual(
      groups.map(({ id, name, description, operations: own }) => [id, name, description, own.length]),
      [
        ['tag.a', 'The first', 'First', 1],
        ['tag.b', 'b', '', 2],
        ['tag.Operations', 'Operations', '', 1],
        ['tag.Webhooks', 'Webhooks', '', 1],
      ],
    )
  })

  it('merges the parameters of a path into its operations', () => {
    const shared = [{ name: 'id', in: 'path' }, { $ref: '#/components/parameters/Page' }]
    const components = { parameters: { Page: { name: 'page', in: 'query', description: 'Old' } } }
    const own = [{ name: 'page', in: 'query', description: 'New' }]
    const [operation] = operations({ paths: { '/a': { parameters: shared, get: { parameters: own } } }, components })
    assert.deepEqual(operation?.parameters, [{ name: 'id', in: 'path' }, ...own])
  })

  it('reads schemas and security schemes, and recognizes large documents', () => {
    const securitySchemes = { a: { $ref: '#/components/securitySchemes/b' }, b: { type: 'http' } }
    const model = readModel({ components: { schemas: { User: { type: 'object' } }, securitySchemes } })
    assert.deepEqual(model.schemes, [
      ['a', { type: 'http' }],
      ['b', { type: 'http' }],
    ])
    assert.deepEqual([model.schemas.get('User')?.id, model.isLarge], ['schema.User', false])
    const paths = Object.fromEntries(Array.from({ length: 121 }, (_, index) => [`/${index}`, { get: {} }]))
    assert.equal(readModel({ paths }).isLarge, true)
  })

  it('accepts any JSON in any place', () => {
    for (const value of [null, 5, 'x', [], [null], {}, { a: null }]) {
      const document = { paths: value, webhooks: value, tags: value, components: value, info: value, servers: value }
      assert.deepEqual(operations(document), [])
    }
  })
})
