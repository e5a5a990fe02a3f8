import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createDocument, renderPage } from '#test/reference.js'

/** Returns the text of the section of the operation. */
function view(operation: object, others: object = {}, options = {}): string {
  const page = renderPage(createDocument(operation, others), options)
  const section =
    page.slice(page.indexOf('<main')).match(/<details><summary><b class=[^]*?<\/div><\/div><\/details>/)?.[0] ?? ''
  return section
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

const problem = (name: string) => ({ 'application/problem+json': { schema: { $ref: `#/components/schemas/${name}` } } })

describe('operation of a page', () => {
  it('begins with method, path, summary, and marks', () => {
    assert.match(
      view({ summary: 'List things', deprecated: true, security: [{ a: [] }] }),
      /^GET \/things List things deprecated auth This operation is deprecated\. Do not use it in new code\. Requires a curl/,
    )
    assert.match(view({ operationId: 'Things.get' }), /^GET \/things Things\.get curl/)
    assert.match(view({ 'x-sunset': '2027-01-31T00:00:00.000Z' }), /It will be removed on 2027-01-31 \./)
  })

  it('says that requests are limited, and names the headers with the rest', () => {
    const headers = { RateLimit: {}, 'X-RateLimit-Reset': {}, 'Retry-After': {} }
    assert.match(
      view({ responses: { 200: { headers: { RateLimit: {} } }, 429: { headers } } }),
      /Requests are limited; above the limit, the status is 429\. Responses contain the rest in RateLimit, X-RateLimit-Reset \. Responses/,
    )
    assert.match(view({ responses: { 429: {} } }), /the status is 429\. Errors/)
    assert.doesNotMatch(view({ responses: { 200: { headers } } }), /limited/)
  })

  it('says that a request can be repeated with its idempotency key', () => {
    const key = (place: string) => ({
      parameters: [{ name: 'idempotency-key', in: place, schema: { type: 'string' } }],
    })
    assert.match(
      view(key('header')),
      /If you get no response, repeat the request with the same idempotency-key ; it runs only once\./,
    )
    assert.doesNotMatch(view(key('query')), /runs only once/)
  })

  it('shows parameters by place', () => {
    const parameters = [
      { name: 'q', in: 'query', required: true, schema: { type: 'string' }, description: 'What' },
      { name: 'x', in: 'header', deprecated: true, schema: { type: 'integer', description: 'Own' } },
      { name: 'filter', in: 'querystring', content: { 'application/json': { schema: { type: 'object' } } } },
    ]
    assert.match(
      view({ parameters }),
      /Query parameters q string required What Query string filter object Headers x integer deprecated Own curl/,
    )
  })

  it('shows the body, responses with headers, and an example', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    const content = { 'application/json': { schema } }
    const responses = {
      200: { description: 'Fine', headers: { 'X-Left': { schema: { type: 'integer' } } }, content },
      204: { description: 'Nothing' },
    }
    const text = view({ requestBody: { required: true, description: 'All of it', content }, responses })
    assert.match(
      text,
      /Request body required All of it application\/json object a string Responses 200 Fine Headers X-Left integer application\/json object a string 204 Nothing curl/,
    )
    assert.match(text, /Response 200 \{ &quot;a&quot;: &quot;text&quot; \}$/)
    assert.doesNotMatch(view({ responses: { 200: { content: { 'text/plain': {} } } } }), /Response 200/)
  })

  it('groups errors with the same schema', () => {
    const own = { description: 'Sold out', content: { 'application/json': { schema: { properties: { left: {} } } } } }
    const responses = {
      404: { description: 'Not Found', content: problem('Problem') },
      422: { description: 'Invalid', content: problem('Issues') },
      409: own,
      503: { description: 'Later' },
      default: { description: 'Any other', content: problem('Problem') },
    }
    const text = view({ responses })
    assert.match(
      text,
      /Errors 404 Not Found other Any other Problem application\/problem\+json 409 Sold out object application\/json left any 422 Invalid Issues application\/problem\+json 503 Later|Errors/,
    )
    for (const part of [
      '404 Not Found other Any other Problem application/problem+json',
      '409 Sold out object application/json left any',
      '422 Invalid Issues',
      '503 Later',
    ])
      assert.ok(text.includes(part), part)
  })

  it('has lines for curl and the typed client, and a link to the console', () => {
    const options = {
      hasClient: true,
      tryIt: (id: string) => (id === 'Things.get' ? '/__dev__#/routes/Things.get' : undefined),
    }
    assert.match(
      view({ operationId: 'Things.get' }, {}, options),
      /curl curl &quot;\$API\/things&quot; Typed client await api\('\/things'\)\.get\(\) Try it in the console$/,
    )
    assert.doesNotMatch(view({}, {}, options), /Try it/)
    assert.doesNotMatch(view({}), /Typed client/)
  })

  it('has no lines for webhooks', () => {
    const page = renderPage({ webhooks: { sold: { delete: { summary: 'Sold' } } } })
    assert.match(page, /<b class=d>DELETE<\/b><code>sold<\/code>/)
    assert.doesNotMatch(page.slice(page.indexOf('<main')), /<pre>/)
  })

  it('leaves out long examples, and media types of errors, on a large page', () => {
    const many = Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`/${index}`, { get: {} }]))
    const response = (example: unknown) => ({
      200: { content: { 'application/json': { example } } },
      404: { content: problem('Problem') },
    })
    const paths = {
      '/a': { get: { responses: response('short') } },
      '/b': { get: { responses: response('x'.repeat(500)) } },
      ...many,
    }
    const page = renderPage({ paths })
    assert.match(page, /<pre>&quot;short&quot;<\/pre>/)
    assert.doesNotMatch(page, /xxxx|<small>application\/problem/)
  })
})
