/** QUERY over sockets (RFC 10008): its bodies, its caching, its redirects, and what pages of other sites can do with it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createApp, HttpError, precondition, redirect, Route, text, type Input } from 'verbena'
import { createClient } from 'verbena/client'
import { version } from 'verbena/decorators'
import { jsonLines } from 'verbena/lines'
import { session } from 'verbena/session'
import { Wire, type WireAnswer } from '#test/e2e.js'
import { captureLog, json, sendRequest } from '#test/apps.js'
import * as z from 'zod'

const Search = z.object({ surname: z.string(), limit: z.number().int().max(100).default(10) })
const Contact = z.object({ surname: z.string(), email: z.string() })
const CONTACTS = [
  { surname: 'Smith', email: 'smith@example.org', secret: 1 },
  { surname: 'Jones', email: 'jones@example.com', secret: 2 },
]
const stored = new Map<string, string>()

class Contacts extends Route {
  static readonly query = this.contract({ body: Search, returns: z.array(Contact), etag: true })
  query({ body, response }: Input<typeof Contacts.query>) {
    stored.set('17', body.surname)
    response.header('content-location', '/results/17')
    response.header('location', '/queries/17')
    return CONTACTS.filter(({ surname }) => surname === body.surname).slice(0, body.limit)
  }
  post() {
    return 'created'
  }
}
/** The stored query, which clients repeat with GET (RFC 10008 section 2.4). */
class Queries extends Route {
  static readonly path = '/queries/{id}'
  get({ params }: Input) {
    return CONTACTS.filter(({ surname }) => surname === stored.get(String(params['id'])))
  }
}
class Sql extends Route {
  static readonly query = this.contract({ body: text({ types: ['application/sql'] }), returns: z.string() })
  query({ body }: Input<typeof Sql.query>) {
    if (!body.startsWith('select')) throw new HttpError(422, 'Only "select" is allowed')
    return body.toUpperCase()
  }
}
class Indirect extends Route {
  static readonly query = this.contract({ body: Search, returns: { 303: null } })
  query() {
    return redirect('/queries/17', 303)
  }
}
const row = precondition({}, () => 7)
class Row extends Route {
  static readonly query = this.contract({ body: Search, uses: { row }, returns: z.object({ row: z.number() }) })
  query(input: Input<typeof Row.query>) {
    return { row: Number(input.row) }
  }
}
class Doubled extends Route {
  static readonly query = this.contract({ body: jsonLines(z.int()), returns: jsonLines(z.int()) })
  async *query({ body }: Input<typeof Doubled.query>) {
    for await (const n of body) yield n * 2
  }
}
class First extends Route {
  static readonly path = '/versioned'
  static readonly query = this.contract({ body: z.object({ a: z.string() }), returns: z.string() })
  @version('1')
  query() {
    return 'first'
  }
}
class Second extends Route {
  static readonly path = '/versioned'
  static readonly query = this.contract({ body: text({ types: ['text/x-query'] }), returns: z.string() })
  @version('2')
  query() {
    return 'second'
  }
}

describe('QUERY', () => {
  const app = createApp({
    routes: { Contacts, Queries, Sql, Indirect, Row, Doubled, First, Second },
    cors: { origins: ['https://app.example'] },
    versioning: { from: 'accept-version', default: '1' },
    logger: captureLog().logger,
    devConsole: false,
  })
  let port = 0
  before(async () => void ({ port } = await app.listen({ port: 0, host: '127.0.0.1' })))
  after(() => app.close())

  async function ask(lines: readonly string[], body = ''): Promise<WireAnswer> {
    const wire = new Wire(port)
    try {
      const [first, ...others] = lines
      const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
      wire.send(`${[`${first} HTTP/1.1`, 'Host: example.org', ...others, ...length].join('\r\n')}\r\n\r\n${body}`)
      return await wire.read()
    } finally {
      wire.destroy()
    }
  }
  const JSON_TYPE = 'Content-Type: application/json'

  it('validates the body, projects the result, and names the result and the stored query (RFC 10008 section 2.3)', async () => {
    const { status, headers, body } = await ask(['QUERY /contacts', JSON_TYPE], '{"surname":"Smith"}')
    assert.deepEqual([status, JSON.parse(body)], [200, [{ surname: 'Smith', email: 'smith@example.org' }]])
    assert.deepEqual([headers.get('content-location'), headers.get('location')], ['/results/17', '/queries/17'])
    const again = await ask(['GET /queries/17'])
    assert.deepEqual(JSON.parse(again.body).length, 1)
  })

  it('has no default of Cache-Control, since old caches ignore the body', async () => {
    const { headers } = await ask(['QUERY /contacts', JSON_TYPE], '{"surname":"Smith"}')
    assert.equal(headers.get('cache-control'), undefined)
  })

  it('responds with 400 without a body, and with Accept-Query', async () => {
    const chunked = 'Transfer-Encoding: chunked'
    const empty: readonly (readonly [readonly string[], string])[] = [
      [['QUERY /contacts', JSON_TYPE], ''],
      [['QUERY /contacts', JSON_TYPE, 'Content-Length: 0'], ''],
      [['QUERY /contacts'], ''],
      [['QUERY /sql', 'Content-Type: application/sql'], ''],
    ]
    for (const [lines, body] of empty) {
      const { status, headers } = await ask(lines, body)
      const types = lines[0]?.endsWith('sql') === true ? 'application/sql' : 'application/json'
      assert.deepEqual([status, headers.get('accept-query')], [400, types], lines.join(' '))
    }
    const wire = new Wire(port)
    for (const [path, type] of [
      ['/contacts', 'application/json'],
      ['/sql', 'application/sql'],
    ]) {
      wire.send(`QUERY ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\n${chunked}\r\n\r\n0\r\n\r\n`)
      const { status, headers } = await wire.read()
      assert.deepEqual([status, headers.get('accept-query')], [400, type])
    }
    wire.destroy()
  })

  it('responds with 415 to a body without a type or of another type, such as a form (RFC 10008 section 2.1)', async () => {
    for (const type of ['X-Other: 1', 'Content-Type: application/x-www-form-urlencoded', 'Content-Type: text/plain']) {
      const { status, headers } = await ask(['QUERY /contacts', type], 'surname=Smith&limit=10')
      assert.deepEqual([status, headers.get('accept-query')], [415, 'application/json'], type)
    }
    const { status, headers } = await ask(['QUERY /sql', JSON_TYPE], '{}')
    assert.deepEqual([status, headers.get('accept-query')], [415, 'application/sql'])
  })

  it('responds with 400 to malformed JSON, and with 422 to a query that does not follow its schema', async () => {
    assert.equal((await ask(['QUERY /contacts', JSON_TYPE], '{')).status, 400)
    assert.equal((await ask(['QUERY /contacts', JSON_TYPE], '{"limit":1}')).status, 422)
    assert.equal((await ask(['QUERY /sql', 'Content-Type: application/sql'], 'drop table')).status, 422)
    assert.equal((await ask(['QUERY /sql', 'Content-Type: application/sql'], 'select 1')).body, '"SELECT 1"')
  })

  it('reads and writes JSON Lines', async () => {
    const { status, body } = await ask(['QUERY /doubled', 'Content-Type: application/x-ndjson'], '1\n2\n')
    assert.deepEqual([status, body], [200, '2\n4\n'])
    const empty = await ask(['QUERY /doubled', 'Content-Type: application/jsonl'])
    assert.deepEqual([empty.status, empty.headers.get('accept-query')?.split(', ')[0]], [400, 'application/jsonl'])
    assert.equal((await ask(['QUERY /doubled', 'Content-Type: application/jsonl'], '"a"\n')).status, 422)
  })

  it('names methods and media types for OPTIONS and 405 (RFC 10008 section 3)', async () => {
    const options = await ask(['OPTIONS /contacts'])
    assert.equal(options.headers.get('allow'), 'OPTIONS, POST, QUERY')
    assert.equal(options.headers.get('accept-query'), 'application/json')
    const versioned = await ask(['OPTIONS /versioned'])
    assert.equal(versioned.headers.get('accept-query'), 'application/json, text/x-query')
    const other = await ask(['OPTIONS /queries/17'])
    assert.deepEqual([other.headers.get('allow'), other.headers.get('accept-query')], ['GET, HEAD, OPTIONS', undefined])
    const wrong = await ask(['QUERY /queries/17', JSON_TYPE], '{}')
    assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'GET, HEAD, OPTIONS'])
    assert.equal((await ask(['OPTIONS *'])).headers.get('allow'), 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, QUERY')
    assert.equal((await ask(['QUERY /nowhere', JSON_TYPE], '{}')).status, 404)
  })

  it('responds with 304 to the ETag of the same result, and only of the same result (RFC 10008 section 2.6)', async () => {
    const { headers } = await ask(['QUERY /contacts', JSON_TYPE], '{"surname":"Smith"}')
    const condition = `If-None-Match: ${headers.get('etag')}`
    assert.equal((await ask(['QUERY /contacts', JSON_TYPE, condition], '{"surname":"Smith"}')).status, 304)
    assert.equal((await ask(['QUERY /contacts', JSON_TYPE, condition], '{"surname":"Jones"}')).status, 200)
  })

  it('adds the ETag of a precondition, which it does not require', async () => {
    const { status, headers } = await ask(['QUERY /row', JSON_TYPE], '{"surname":"Smith"}')
    assert.deepEqual([status, headers.get('etag')], [200, '"7"'])
  })

  it('redirects to a result that clients read with GET (RFC 10008 section 2.5)', async () => {
    const { status, headers } = await ask(['QUERY /indirect', JSON_TYPE], '{"surname":"Smith"}')
    assert.deepEqual([status, headers.get('location')], [303, '/queries/17'])
    const followed = await fetch(`http://127.0.0.1:${port}/indirect`, {
      method: 'QUERY',
      headers: { 'content-type': 'application/json' },
      body: '{"surname":"Smith"}',
    })
    assert.deepEqual([followed.status, followed.url.endsWith('/queries/17')], [200, true])
  })

  it('requires a preflight request from pages of other sites', async () => {
    const preflight = ['OPTIONS /contacts', 'Origin: https://app.example', 'Access-Control-Request-Method: QUERY']
    const { headers } = await ask(preflight)
    assert.match(headers.get('access-control-allow-methods') ?? '', /\bQUERY\b/)
    const foreign = await ask([
      'OPTIONS /contacts',
      'Origin: https://evil.example',
      'Access-Control-Request-Method: QUERY',
    ])
    assert.equal(foreign.headers.get('access-control-allow-origin'), undefined)
  })

  it('is a method of the typed client', async () => {
    const api = createClient<typeof app>(`http://127.0.0.1:${port}`)
    const found = await api('/contacts').query({ body: { surname: 'Jones' } })
    assert.ok(found.ok)
    assert.deepEqual(
      found.body.map(({ email }) => email),
      ['jones@example.com'],
    )
    const sql = await api('/sql').query({ body: 'select 2', headers: { 'content-type': 'application/sql' } })
    assert.deepEqual([sql.status, sql.body], [200, 'SELECT 2'])
    // @ts-expect-error -- the body does not follow the schema
    assert.equal((await api('/contacts').query({ body: {} })).status, 422)
    // @ts-expect-error -- the path has no such endpoint
    assert.equal((await api('/queries/{id}').query({ params: { id: '17' } })).status, 405)
  })
})

describe('QUERY with a session', () => {
  const visitor = session({ schema: z.object({ user: z.string() }), keys: ['a text of 32 bytes, for tests ...'] })
  class Notes extends Route {
    static readonly query = this.contract({ body: Search, uses: { visitor }, returns: z.string() })
    query() {
      return 'found'
    }
    static readonly post = this.contract({ body: Search, uses: { visitor }, returns: z.string() })
    post() {
      return 'changed'
    }
  }
  const app = createApp({ routes: { Notes }, logger: captureLog().logger })

  it('passes the check of its origin, as each safe method does; without CORS, no page can send it', async () => {
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const send = async (method: string): Promise<number> => {
      const { headers, ...init } = json({ surname: 'Smith' }, method)
      return (await sendRequest(app, '/notes', { ...init, headers: { ...foreign, ...Object(headers) } })).status
    }
    assert.deepEqual([await send('QUERY'), await send('POST')], [200, 403])
    const preflight = { method: 'OPTIONS', headers: { ...foreign, 'access-control-request-method': 'QUERY' } }
    const { headers } = await sendRequest(app, '/notes', preflight)
    assert.equal(headers.get('access-control-allow-origin'), null)
  })
})
