import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createDocument, plainText, renderPage } from '#test/reference.js'
import { changesView } from '#src/reference/changes-view.js'
import { readModel } from '#src/reference/model.js'

const PARAMETER = { name: 'limit', in: 'query', schema: { type: 'integer' } }

describe('changesView()', () => {
  it('describes changes, and links the operations of this version', () => {
    const before = createDocument({ responses: { 200: { description: 'OK' }, 404: {} } })
    const after = {
      ...createDocument({
        operationId: 'Things.get',
        summary: 'List things',
        parameters: [PARAMETER],
        security: [{ key: [] }],
      }),
    }
    const paths = Object(after['paths'])
    const document = { ...after, paths: { ...paths, '/others': { post: { operationId: 'Others.post' } } } }
    const old = { ...before, paths: { ...Object(before['paths']), '/gone/{id}': { delete: {} } } }
    const view = changesView(readModel(document), { name: '1.0.0', document: old })
    assert.equal(
      plainText(view),
      'Changes since 1.0.0 new POST /others Others.post changed GET /things List things Changed credentials: none is now key ' +
        'Removed 200 response Removed 404 response New query parameter limit integer removed DELETE /gone/{id}',
    )
    assert.match(view.text, /<a href="#Things\.get"><code>GET \/things<\/code><\/a>/)
    assert.match(view.text, /<i>removed<\/i> <code>DELETE \/gone\/\{id\}<\/code>/)
  })

  it('says to which body a field belongs', () => {
    const operation = (properties: object) => ({
      responses: { 200: { content: { 'application/json': { schema: { type: 'object', properties } } } } },
    })
    const [before, after] = [operation({ a: {}, b: {} }), operation({ b: { type: 'string' }, c: {} })]
    const view = changesView(readModel(createDocument(after)), { name: '1', document: createDocument(before) })
    assert.match(
      plainText(view),
      /Removed field a of the 200 response any Changed field b of the 200 response: any is now string New field c of the 200 response any$/,
    )
  })

  it('says that nothing changed', () => {
    const document = createDocument({})
    assert.equal(
      plainText(changesView(readModel(document), { name: '1', document })),
      'Changes since 1 No operation changed.',
    )
  })

  it('shows a limited number of operations and differences', () => {
    const many = Object.fromEntries(Array.from({ length: 503 }, (_, index) => [`/${index}`, { get: {} }]))
    assert.match(plainText(changesView(readModel({ paths: many }), { name: '1', document: {} })), / 3 more$/)
    const parameters = Array.from({ length: 54 }, (_, index) => ({ ...PARAMETER, name: `a${index}` }))
    const view = changesView(readModel(createDocument({ parameters })), { name: '1', document: createDocument({}) })
    assert.match(plainText(view), /a49 integer 4 more$/)
  })

  it('is in the page and its contents only if there is a previous version', () => {
    const document = createDocument({ summary: 'List things' })
    const page = renderPage(document, { previous: { name: '<1>', document: {} } })
    assert.match(page, /<li><a class="g" href="#changes">Changes since &lt;1&gt;<\/a><\/li>/)
    assert.match(page, /<section id="changes"><h2>Changes since &lt;1&gt;<\/h2>/)
    assert.doesNotMatch(renderPage(document), /id="changes"/)
  })
})
