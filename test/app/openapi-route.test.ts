import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Route, type Context, type OpenApiDocument } from 'verbena'
import { version } from 'verbena/decorators'
import { sendRequest, assertSetupError, json, createUntypedApp } from '#test/apps.js'
import { validateDocument, findOperation, resolveReference } from '#test/openapi.js'
import { breaking } from 'verbena/openapi'
import * as z from 'zod'

class Users extends Route {
  get() {}
}

function parsed(text: string): OpenApiDocument {
  return JSON.parse(text)
}

describe('/openapi.json', () => {
  it('responds with app.openapi() as JSON that clients must revalidate', async () => {
    const app = createUntypedApp({ routes: { Users } })
    const { status, headers, body } = await sendRequest(app, '/openapi.json')
    assert.deepEqual([status, headers.get('content-type')], [200, 'application/json'])
    assert.deepEqual([headers.get('cache-control'), headers.get('vary')], ['no-cache', null])
    assert.deepEqual(body, app.openapi())
  })

  it('has a strong ETag that depends only on the document', async () => {
    const tagOf = async (options: object) =>
      (await sendRequest(createUntypedApp(options), '/openapi.json')).headers.get('etag')
    const tag = await tagOf({ routes: { Users } })
    assert.match(tag ?? '', /^"[\w-]{43}"$/)
    assert.equal(await tagOf({ routes: { Users } }), tag)
    assert.notEqual(await tagOf({ routes: { Users }, name: 'other' }), tag)
  })

  it('responds 304 if If-None-Match matches', async () => {
    const app = createUntypedApp({ routes: { Users } })
    const etag = (await sendRequest(app, '/openapi.json')).headers.get('etag') ?? ''
    for (const [field, expected] of [
      [etag, 304],
      [`"other", W/${etag}`, 304],
      ['*', 304],
      ['"other"', 200],
      [etag.replaceAll('"', ''), 200],
    ] as const) {
      const { status, headers, text } = await sendRequest(app, '/openapi.json', { headers: { 'if-none-match': field } })
      assert.deepEqual([field, status, headers.get('etag'), text === ''], [field, expected, etag, expected === 304])
    }
  })

  it('supports HEAD, OPTIONS, 405 and middleware of the app', async () => {
    const seen: string[] = []
    const app = createUntypedApp({
      routes: { Users },
      middleware: [
        async (context: { request: { method: string } }, next: () => Promise<unknown>) => {
          seen.push(context.request.method)
          return next()
        },
      ],
    })
    const head = await sendRequest(app, '/openapi.json', { method: 'HEAD' })
    assert.deepEqual([head.status, head.text], [200, ''])
    assert.notEqual(head.headers.get('etag'), null)
    assert.equal(
      (await sendRequest(app, '/openapi.json', { method: 'OPTIONS' })).headers.get('allow'),
      'GET, HEAD, OPTIONS',
    )
    assert.equal((await sendRequest(app, '/openapi.json', json({}))).status, 405)
    assert.deepEqual(seen, ['HEAD', 'OPTIONS', 'POST'])
  })

  it('is missing in app.routes() and in the document', async () => {
    const app = createUntypedApp({ routes: { Users } })
    assert.deepEqual(
      app.routes().map(({ path }) => path),
      ['/users'],
    )
    assert.deepEqual(Object.keys(app.openapi().paths), ['/users'])
  })
})

describe('document: errors of the framework', () => {
  class Refusing extends Route {
    static readonly post = this.contract({
      ...{ query: z.object({ n: z.int().optional() }), body: z.object({ a: z.string() }), returns: z.string() },
      timeout: 1,
    })
    post({ signal }: Context): Promise<string> {
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve('too late')))
    }
  }
  const app = createUntypedApp({ routes: { Refusing }, limits: { body: 100 } })
  const fine = json({ a: 'x' })

  for (const [status, about, init, query] of [
    [400, 'a body that is not JSON', { ...fine, body: '{' }],
    [400, 'a query that is malformed', fine, '?n=%ff'],
    [
      406,
      'an unsupported media type in Accept',
      { ...fine, headers: { 'content-type': 'application/json', accept: 'text/html' } },
    ],
    [413, 'a body that is too large', json({ a: 'x'.repeat(200) })],
    [415, 'another media type of the body', { ...fine, headers: { 'content-type': 'text/plain' } }],
    [422, 'values that are not valid', json({ a: 7 })],
    [503, 'a method that takes too long', fine],
  ] as const) {
    it(`contains the response ${status} for ${about}`, async () => {
      const answer = await sendRequest(app, `/refusing${query ?? ''}`, init)
      assert.equal(answer.status, status)
      const document = app.openapi()
      const response = resolveReference(
        document,
        findOperation(document, '/refusing', 'post').responses[String(status)],
      )
      assert.deepEqual(Object.keys(Object(response).content), [answer.headers.get('content-type')])
    })
  }
})

describe('option "openapi"', () => {
  class Own extends Route {
    static readonly path = '/openapi.json'
    get() {
      return 'my own'
    }
  }
  class Any extends Route {
    static readonly path = '/{name}'
    get() {
      return 'any'
    }
  }

  it('disables only the path if false', async () => {
    const app = createUntypedApp({ routes: { Users }, openapi: false })
    assert.equal((await sendRequest(app, '/openapi.json')).status, 404)
    assert.deepEqual(Object.keys(app.openapi().paths), ['/users'])
  })

  it('serves the document at another path', async () => {
    const app = createUntypedApp({ routes: { Users }, openapi: { path: '/docs/api' } })
    assert.equal((await sendRequest(app, '/openapi.json')).status, 404)
    assert.equal((await sendRequest(app, '/docs/api')).status, 200)
  })

  it('prefers a route with the default path, but not a route whose parameter matches it', async () => {
    const own = createUntypedApp({ routes: { Own } })
    assert.equal((await sendRequest(own, '/openapi.json')).text, 'my own')
    const any = createUntypedApp({ routes: { Any } })
    assert.equal(Object((await sendRequest(any, '/openapi.json')).body).openapi, '3.1.1')
    assert.equal((await sendRequest(any, '/other')).text, 'any')
    const metrics = createUntypedApp({ routes: { Users }, metrics: '/openapi.json' })
    assert.match((await sendRequest(metrics, '/openapi.json')).text, /# EOF/)
  })

  it('rejects a custom path that a route has', () => {
    for (const path of ['/openapi.json', '/users']) {
      const options = { routes: { Own, Users }, openapi: { path } }
      assertSetupError(() => createUntypedApp(options), 'ROUTE_CONFLICT', path, 'option openapi')
    }
  })

  for (const [openapi, ...words] of [
    [true, '"openapi"', 'it must be an object, or false, not true'],
    [[], '"openapi"', 'not an empty array'],
    [{ paths: '/a' }, '"openapi.paths"', 'Did you mean "path"?'],
    [{ path: '/{a}' }, '"openapi.path"', '/openapi.json'],
    [{ path: 'a' }, '"openapi.path"'],
    [{ version: '3.2.0' }, '"openapi.version"', "it must be '3.1' or '3.2'", 'not "3.2.0"'],
    [{ version: 3.2 }, '"openapi.version"', "it must be '3.1' or '3.2'"],
    [{ info: 'x' }, '"openapi.info"', 'it must be an object'],
    [{ servers: { url: '/' } }, '"openapi.servers"', 'it must be an array of servers'],
    [{ servers: [{ url: 7 }] }, '"openapi.servers"'],
    [{ servers: ['/'] }, '"openapi.servers"'],
    [{ tags: { a: 'of a' } }, '"openapi.tags"', 'it must be an array of tags'],
    [{ tags: ['a'] }, '"openapi.tags"'],
    [{ tags: [{ description: 'of a' }] }, '"openapi.tags"'],
  ] as const) {
    it(`rejects ${JSON.stringify(openapi)}`, () => {
      assertSetupError(() => createUntypedApp({ routes: { Users }, openapi }), 'OPTION_INVALID', ...words)
    })
  }
})

describe('documents of versions', () => {
  class Old extends Route {
    static readonly path = '/users'
    static readonly get = this.contract({ summary: 'old', decorators: [version('<2')] })
    get() {}
    static readonly post = this.contract({ decorators: [version('1.x')] })
    post() {}
  }
  class New extends Route {
    static readonly path = '/users'
    static readonly get = this.contract({ summary: 'new', decorators: [version('>=2.0.0')] })
    get() {}
  }
  const app = createUntypedApp({ routes: { Old, New, Home: class Home extends Users {} }, version: '2.1.0' })

  const shown = (document: OpenApiDocument) => [
    document.info.version,
    document.paths['/users']?.['get']?.summary,
    Object.values(document.paths).flatMap((path) => Object.keys(path)),
  ]

  it('contains only the endpoints of the requested version', async () => {
    assert.deepEqual(shown(app.openapi()), ['2.1.0', 'new', ['get', 'get']])
    assert.deepEqual(shown(app.openapi({ version: '1.4' })), ['1.4.0', 'old', ['get', 'post', 'get']])
    assert.deepEqual(shown(app.openapi({ version: '0.1' })), ['0.1.0', 'old', ['get', 'get']])
    assert.deepEqual(shown(app.openapi({ version: '2026-01-31' })), ['2026-01-31', undefined, ['get']])
    for (const asked of ['2.1.0', '1.4', '0.1'])
      assert.deepEqual(await validateDocument(app.openapi({ version: asked })), [])
  })

  it('defaults to the version in versioning.default', () => {
    const pinned = createUntypedApp({ routes: { Old, New }, version: '2.1.0', versioning: { default: '1.0' } })
    assert.deepEqual(shown(pinned.openapi()), ['1.0.0', 'old', ['get', 'post']])
  })

  it('rejects an invalid version', () => {
    assertSetupError(() => app.openapi({ version: 'next' }), 'OPTION_INVALID', 'must be a version, not "next"', '1.4.0')
  })

  it('describes the version header, required unless the version is the default', () => {
    const headerOf = (asked: string) => app.openapi({ version: asked }).paths['/users']?.['get']?.parameters
    const base = { name: 'accept-version', in: 'header' }
    assert.deepEqual(headerOf('2.1.0'), [
      { ...base, description: 'Version of the API: >=2.0.0', schema: { type: 'string', default: '2.1.0' } },
    ])
    assert.deepEqual(headerOf('1.0'), [
      { ...base, description: 'Version of the API: <2', required: true, schema: { type: 'string', example: '0.0.0' } },
    ])
    const inAccept = createUntypedApp({ routes: { Old, New }, versioning: { from: { mediaType: 'v' } } })
    assert.equal(inAccept.openapi().paths['/users']?.['get']?.parameters, undefined)
  })

  it('requires the version header of each endpoint if requests must have a version', async () => {
    const strict = createUntypedApp({ routes: { Old, New }, version: '2.1.0', versioning: { require: true } })
    for (const [asked, example] of [
      ['2.1.0', '2.0.0'],
      ['1.0', '0.0.0'],
    ] as const) {
      const [header] = strict.openapi({ version: asked }).paths['/users']?.['get']?.parameters ?? []
      assert.deepEqual(
        { ...header, description: '' },
        { name: 'accept-version', in: 'header', description: '', required: true, schema: { type: 'string', example } },
      )
    }
    assert.deepEqual(shown(strict.openapi()), ['2.1.0', 'new', ['get']])
    assert.deepEqual(shown(parsed((await sendRequest(strict, '/openapi.json')).text)), ['2.1.0', 'new', ['get']])
  })

  it('says how requests select the version', () => {
    const described = (versioning: object, info: object = {}, version = '1.4') =>
      createUntypedApp({ routes: { Old, New }, version: '2.1.0', versioning, openapi: { info } }).openapi({ version })
        .info['description']
    const start = 'This document describes version 1.4.0. '
    for (const [versioning, says] of [
      [{}, 'Requests select it with the header `accept-version: 1.4.0`. Requests without a version use version 2.1.0.'],
      [
        { from: 'X-Version', default: '1' },
        'Requests select it with the header `x-version: 1.4.0`. Requests without a version use version 1.',
      ],
      [
        { from: { mediaType: 'v' }, require: true },
        'Requests select it with the header `accept: application/json;v=1.4.0`. Requests without a version are rejected.',
      ],
      [
        { from: () => undefined, require: true, description: 'Send it as v.' },
        'Send it as v. Requests without a version are rejected.',
      ],
    ] as const) {
      assert.equal(described(versioning), start + says)
    }
    assert.equal(described({ from: () => undefined }), undefined)
    assert.equal(described({ from: () => undefined }, { description: 'Teas.' }), 'Teas.')
    assert.match(
      String(described({}, { description: 'Teas.', version: 'all' })),
      /^Teas\.\n\nThis document .* 1\.4\.0\./,
    )
    assert.equal(createUntypedApp({ routes: { Users } }).openapi().info['description'], undefined)
    // The sentence differs between versions, but breaks no client.
    const openapi = (version: string) =>
      createUntypedApp({ routes: { Old, New }, version: '2.1.0' }).openapi({ version })
    assert.deepEqual(breaking(openapi('1.4'), openapi('1.5')), [])
  })

  it('serves the requested version with a separate ETag', async () => {
    const get = (asked?: string) =>
      sendRequest(app, '/openapi.json', asked === undefined ? {} : { headers: { 'accept-version': asked } })
    const [latest, old, same] = [await get(), await get('1.4'), await get('1.4.0')]
    assert.deepEqual(shown(parsed(latest.text)), ['2.1.0', 'new', ['get', 'get']])
    assert.deepEqual(shown(parsed(old.text)), ['1.4.0', 'old', ['get', 'post', 'get']])
    assert.equal(old.headers.get('vary'), 'accept-version')
    assert.equal(same.headers.get('etag'), old.headers.get('etag'))
    assert.notEqual(latest.headers.get('etag'), old.headers.get('etag'))
    const malformed = await get('next')
    assert.deepEqual([malformed.status, Object(malformed.body).status], [400, 400])
    assert.match(Object(malformed.body).detail, /accept-version/)
  })

  it('serves 25 different versions correctly', async () => {
    for (let patch = 0; patch < 25; patch++) {
      const asked = `1.0.${patch}`
      const { text } = await sendRequest(app, '/openapi.json', { headers: { 'accept-version': asked } })
      assert.deepEqual(shown(parsed(text)), [asked, 'old', ['get', 'post', 'get']])
    }
  })

  it('reads the version from the place in versioning.from', async () => {
    for (const [from, headers] of [
      [{ mediaType: 'v' }, { accept: 'application/json;v=1.4' }],
      [(request: { headers: Record<string, string> }) => request.headers['x-v'], { 'x-v': '1.4' }],
    ] as const) {
      const other = createUntypedApp({ routes: { Old, New }, version: '2.1.0', versioning: { from } })
      assert.equal(parsed((await sendRequest(other, '/openapi.json', { headers })).text).info.version, '1.4.0')
    }
  })

  it('uses info.version of the option, even in documents of different versions', async () => {
    const named = createUntypedApp({ routes: { Old, New }, version: '2.1.0', openapi: { info: { version: 'all' } } })
    assert.deepEqual(shown(named.openapi({ version: '1.0' })), ['all', 'old', ['get', 'post']])
    const old = await sendRequest(named, '/openapi.json', { headers: { 'accept-version': '1.0' } })
    assert.deepEqual(shown(parsed((await sendRequest(named, '/openapi.json')).text)), ['all', 'new', ['get']])
    assert.deepEqual(shown(parsed(old.text)), ['all', 'old', ['get', 'post']])
  })

  it('serves the same document for all versions without version constraints', async () => {
    const plain = createUntypedApp({ routes: { Users }, version: 'next' })
    assert.equal(plain.openapi().info.version, 'next')
    assert.equal(plain.openapi({ version: '1.0' }).info.version, 'next')
    const { status, headers } = await sendRequest(plain, '/openapi.json', { headers: { 'accept-version': 'odd' } })
    assert.deepEqual([status, headers.get('vary')], [200, null])
  })

  it('checks the documents of all versions in app.check()', () => {
    class OldRest extends Route {
      static readonly path = '/files/{rest...}'
      static readonly get = this.contract({ decorators: [version('1.x')], returns: null })
      get() {}
    }
    class OldFile extends Route {
      static readonly path = '/files/{id}'
      static readonly get = this.contract({ decorators: [version('1.x')], returns: null })
      get() {}
    }
    const findings = createUntypedApp({
      routes: { OldRest, OldFile },
      version: '2.0.0',
      versioning: { default: '2.0.0' },
    }).check()
    assert.deepEqual(
      findings.map(({ code, route }) => [code, route]),
      [['DOCUMENT_GAP', 'OldRest']],
    )
  })
})
