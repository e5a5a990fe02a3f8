import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { SCRIPT } from '#src/reference/script.js'
import { STYLE } from '#src/reference/style.js'
import { createLargeDocument } from '#test/large-document.js'
import { createDocument, renderPage } from '#test/reference.js'

const bodyOf = (page: string) => page.slice(page.indexOf('<body'))

describe('referencePage()', () => {
  it('shows name, version, description, servers and other information', () => {
    const info = {
      title: 'Shop',
      version: '2.1.0',
      description: 'Sells tea.',
      contact: { name: 'Team', email: 'team@example.com' },
      license: { name: 'MIT' },
      termsOfService: 'https://example.com/terms',
    }
    const servers = [{ url: 'https://api.example.com', description: 'Live' }, { url: 'https://test.example.com' }]
    const text = bodyOf(renderPage({ info, servers }, { documentUrl: '/openapi.json' }))
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
    assert.match(
      text,
      /Shop 2\.1\.0 Sells tea\. Operations 0 in 0 groups Servers https:\/\/api\.example\.com Live https:\/\/test\.example\.com Contact Team, team@example\.com License MIT Terms https:\/\/example\.com\/terms Document \/openapi\.json/,
    )
  })

  it('explains $API if the document has no server', () => {
    assert.match(renderPage({}), /<code class="url">\$API<\/code> <span> is the address of the API\.<\/span>/)
    assert.match(renderPage({}), /<title>API<\/title>/)
  })

  it('links the versions, if there are several', () => {
    const one = { name: '1.0.0', url: '?version=1.0.0', isCurrent: false }
    const two = { name: '2.0.0', url: '?version=2.0.0', isCurrent: true }
    assert.match(
      renderPage({}, { versions: [one, two] }),
      /<nav class="versions" aria-label="Versions"><a href="\?version=1\.0\.0">1\.0\.0<\/a><a href="\?version=2\.0\.0" aria-current="page">2\.0\.0<\/a><\/nav>/,
    )
    assert.doesNotMatch(bodyOf(renderPage({}, { versions: [two] })), /class="versions"/)
  })

  it('has contents whose links all have a target, and ids only once', () => {
    const document = createDocument(
      { operationId: 'Things.get', tags: ['a b'], security: [{ key: [] }] },
      {
        components: {
          schemas: { Thing: { type: 'object', description: 'A thing' } },
          securitySchemes: { key: { type: 'http' } },
        },
      },
    )
    const page = bodyOf(renderPage(document, { isServed: true }))
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    const targets = [...page.matchAll(/ href="#([^"]*)"/g)].map(([, id]) => id)
    assert.equal(new Set(ids).size, ids.length)
    assert.deepEqual(
      targets.filter((id) => !ids.includes(id)),
      [],
    )
    for (const id of ['Things.get', 'tag.a-b', 'authentication', 'schemas']) assert.ok(targets.includes(id), id)
    assert.match(renderPage(document, { isServed: true }), /<html lang="en" data-served>/)
  })

  it('lists only groups in the contents of a large page', () => {
    const paths = Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`/${index}`, { get: { tags: ['a'] } }]))
    assert.match(renderPage({ paths }), /<li><a class="g" href="#tag\.a">a <small>130<\/small><\/a><\/li>/)
  })

  it('has style and script of at most 20 kB together, compressed', () => {
    const length = gzipSync(STYLE + SCRIPT).length
    assert.ok(length <= 20_000, String(length))
    assert.doesNotMatch(STYLE + SCRIPT, /https?:|url\(|@import|eval|innerHTML|<\//)
  })

  it('shows 2,000 operations within 2 MB', () => {
    const page = renderPage(createLargeDocument(), { hasClient: true })
    assert.ok(Buffer.byteLength(page) < 2_000_000, `${Buffer.byteLength(page)} bytes`)
    assert.equal(page.match(/<details><summary><b class=/g)?.length, 2_000)
  })
})
