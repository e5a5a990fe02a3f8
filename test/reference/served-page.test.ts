import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { REVISION, ServedPages } from '#src/reference/served-page.js'
import { COMPLETE } from '#test/complete-document.js'
import { renderPage } from '#test/reference.js'

const OPTIONS = { versions: [], previous: undefined, documentUrl: '/openapi.json', forms: null }
const served = (value: unknown) => ({ text: JSON.stringify(value), etag: JSON.stringify(value) })

async function read(body: string | AsyncIterable<string>): Promise<string[]> {
  if (typeof body === 'string') return [body]
  const chunks: string[] = []
  for await (const chunk of body) chunks.push(chunk)
  return chunks
}

describe('REVISION', () => {
  // Increment REVISION together with this hash, because browsers keep a page with its ETag.
  it('belongs to the HTML of the page', () => {
    const page = renderPage(COMPLETE, { isServed: true }).replaceAll(/<(style|script)>[^]*?<\/\1>/g, '')
    assert.deepEqual([REVISION, createHash('sha256').update(page).digest('hex').slice(0, 16)], [2, '77b483091f9118f8'])
  })
})

describe('ServedPages', () => {
  it('sends a page in chunks, and as a whole after that', async () => {
    const pages = new ServedPages()
    const schemas = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`Schema${index}`, {}]))
    const document = served({ components: { schemas } })
    const first = await read(pages.body('a', document, OPTIONS))
    assert.ok(first.length > 2)
    const again = await Promise.all([
      read(pages.body('b', document, OPTIONS)),
      read(pages.body('b', document, OPTIONS)),
    ])
    for (const chunks of [await read(pages.body('a', document, OPTIONS)), ...again])
      assert.equal(chunks.join(''), first.join(''))
    assert.equal((await read(pages.body('a', document, OPTIONS))).length, 1)
  })

  it('keeps a limited number of pages', async () => {
    const pages = new ServedPages()
    for (let index = 0; index <= 100; index++) await read(pages.body(String(index), served({}), OPTIONS))
    assert.notEqual(typeof pages.body('0', served({}), OPTIONS), 'string')
    assert.equal(typeof pages.body('1', served({}), OPTIONS), 'string')
  })

  it('accepts a document that is not an object', async () => {
    const [page = ''] = await read(new ServedPages().body('a', served(null), OPTIONS))
    assert.match(page, /<title>API<\/title>/)
  })

  it('has an ETag that depends on everything that the page shows', () => {
    const pages = new ServedPages()
    const tags = [
      pages.etag(served(1), OPTIONS),
      pages.etag(served(2), OPTIONS),
      pages.etag(served(1), { ...OPTIONS, documentUrl: undefined }),
      pages.etag(served(1), { ...OPTIONS, forms: new Map([['a', 'b']]) }),
      pages.etag(served(1), { ...OPTIONS, versions: [{ name: '1', url: '?', isCurrent: true }] }),
      pages.etag(served(1), { ...OPTIONS, previous: { name: '1', ...served(2) } }),
    ]
    assert.equal(new Set(tags).size, tags.length)
    assert.equal(pages.etag(served(1), OPTIONS), tags[0])
    assert.match(tags[0] ?? '', /^"[\w-]{43}"$/)
  })

  it('links the forms of the console', async () => {
    const forms = new Map([['Things.get', '/__dev__#/routes/Things.get']])
    const document = served({ paths: { '/things': { get: { operationId: 'Things.get' }, put: {} } } })
    const chunks = await read(new ServedPages().body('a', document, { ...OPTIONS, forms }))
    assert.equal(
      chunks
        .join('')
        .match(/href="\/__dev__[^"]*"/g)
        ?.join(),
      'href="/__dev__#/routes/Things.get"',
    )
  })
})
