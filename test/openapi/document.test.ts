import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyOf, apiKey, basic, bearer, group, optional, provide, Route, type OpenApiDocument } from 'verbena'
import { deprecated } from 'verbena/decorators'
import { breaking } from 'verbena/openapi'
import { sendRequest, assertSetupError, looseGroup, createUntypedApp, looseContract } from '#test/apps.js'
import { describedSchema } from '#test/described-schemas.js'
import { validateDocument, readDocument, findOperation } from '#test/openapi.js'

class Empty extends Route {
  get() {}
}

function routeOf(contract: object, path?: string) {
  if (path === undefined) {
    return class extends Route {
      static readonly get = looseContract(this, contract)
      get() {}
    }
  }
  return class extends Route {
    static readonly path = path
    static readonly get = looseContract(this, contract)
    get() {}
  }
}

describe('openapi: document', () => {
  it('uses the name and version of the app, and the openapi option', async () => {
    const document = readDocument({ Empty }, { name: 'users', version: '2.0.0' })
    assert.deepEqual([document.openapi, document.info], ['3.1.1', { title: 'users', version: '2.0.0' }])
    assert.deepEqual(document.servers, [{ url: '/' }])
    const servers = [{ url: 'https://api.example.com' }]
    const openapi = { info: { title: 'Users', license: { name: 'MIT', identifier: 'MIT' } }, servers }
    const told = readDocument({ Empty }, { name: 'users', version: '2.0.0', openapi })
    assert.deepEqual(told.info, { title: 'Users', version: '2.0.0', license: { name: 'MIT', identifier: 'MIT' } })
    assert.deepEqual(told.servers, servers)
    assert.deepEqual(await validateDocument(told), [])
  })

  it('follows the version of the option, in all documents of the app', async () => {
    const openapi = { version: '3.2' }
    const document = readDocument({ Empty }, { openapi })
    assert.equal(document.openapi, '3.2.0')
    assert.deepEqual(await validateDocument(document), [])
    assert.deepEqual({ ...document, openapi: '3.1.1' }, readDocument({ Empty }))
    const app = createUntypedApp({ routes: { Empty }, openapi })
    assert.deepEqual(JSON.parse((await sendRequest(app, '/openapi.json')).text), document)
    assert.equal(readDocument({ Empty }, { openapi: { version: '3.1' } }).openapi, '3.1.1')
  })

  it('lists described tags first in their order, then the others', () => {
    const tags = [
      { name: 'c', description: 'of c' },
      { name: 'never', description: 'used' },
      { name: 'a', description: 'of a', externalDocs: { url: 'https://example.com' } },
    ]
    const routes = { One: routeOf({ tags: ['b', 'a'] }), Two: routeOf({ tags: ['c'] }, '/two') }
    const [never, ...used] = [tags[1], tags[0], tags[2], { name: 'b' }]
    assert.ok(never)
    assert.deepEqual(readDocument(routes, { openapi: { tags } }).tags, used)
  })

  it('sets "security" to an empty array only if no endpoint requires credentials', async () => {
    const open = readDocument({ Empty })
    assert.deepEqual(open.security, [])
    assert.deepEqual(await validateDocument(open), [])
    const user = bearer(() => false)
    const partly = readDocument({ Empty, Guarded: routeOf({ uses: { user } }, '/guarded') })
    assert.ok(!('security' in partly))
    // A hidden endpoint does not count.
    const hidden = readDocument({ Empty, Guarded: routeOf({ uses: { user }, hidden: true }, '/guarded') })
    assert.deepEqual(hidden.security, [])
  })

  it('documents 400 for an endpoint without a contract, because its query may be rejected', async () => {
    assert.deepEqual(Object.keys(findOperation(readDocument({ Empty }), '/empty').responses), ['200', '400', 'default'])
    const app = createUntypedApp({ routes: { Empty }, limits: { keys: 1 } })
    assert.equal((await sendRequest(app, '/empty?a&b')).status, 400)
  })

  it('is valid without paths', async () => assert.deepEqual(await validateDocument(readDocument({})), []))

  it('returns a copy that can be changed without affecting the app', () => {
    const app = createUntypedApp({ routes: { Empty } })
    const before = JSON.stringify(app.openapi())
    Object.assign(app.openapi().paths, { '/empty': null })
    Object.assign(app.openapi().info, { title: 'other' })
    assert.equal(JSON.stringify(app.openapi()), before)
  })

  it('omits hidden endpoints with their schemas and tags', () => {
    const hidden = routeOf({
      hidden: true,
      returns: describedSchema({ title: 'Secret', type: 'object' }),
      tags: ['secret'],
    })
    const document = readDocument({ Empty, Hidden: hidden }, { metrics: '/metrics' })
    assert.deepEqual(Object.keys(document.paths), ['/empty'])
    assert.doesNotMatch(JSON.stringify(document), /secret/i)
  })

  it('creates unique operation ids from the contract, or from route and verb', async () => {
    const mine = routeOf({ operationId: 'mine' })
    const app = createUntypedApp({ routes: { Empty, Mine: mine, '/v1': { Empty }, '/v2': { Mine: mine, Empty } } })
    const { paths } = app.openapi()
    assert.deepEqual(
      Object.values(paths).map((path) => path['get']?.operationId),
      ['Empty.get', 'mine', 'Empty.get2', 'mine2', 'Empty.get3'],
    )
    assert.deepEqual(await validateDocument(app.openapi()), [])
    const [finding, ...others] = app.check().filter(({ code }) => code !== 'RETURNS_MISSING')
    assert.deepEqual([finding?.code, finding?.route, others], ['DOCUMENT_GAP', 'Mine', []])
    assert.match(finding?.message ?? '', /"mine" already belongs to another endpoint.* "mine2"/)
  })

  it('uses the tags of groups, class and contract, or else the name of the route', () => {
    class Tagged extends Route {
      static readonly tags = ['class']
      static readonly get = this.contract({ tags: ['contract', 'group'] })
      get() {}
    }
    const document = readDocument({ Empty, all: group({ tags: ['group'], routes: { Tagged } }) })
    assert.deepEqual(findOperation(document, '/tagged').tags, ['group', 'class', 'contract'])
    assert.deepEqual(findOperation(document, '/empty').tags, ['Empty'])
    assert.deepEqual(
      document.tags.map(({ name }) => name),
      ['Empty', 'group', 'class', 'contract'],
    )
  })

  it('includes summary, description and the "x-" keys of meta', async () => {
    const meta = { 'x-rate': { limit: 5n }, internal: 'not for clients' }
    const document = readDocument({ Probe: routeOf({ summary: 'one line', description: '*more*', meta }) })
    const { summary, description, 'x-rate': rate } = findOperation(document, '/probe')
    assert.deepEqual([summary, description, rate], ['one line', '*more*', { limit: '5' }])
    assert.doesNotMatch(JSON.stringify(document), /internal/)
    assert.deepEqual(await validateDocument(document), [])
  })

  it('marks deprecated operations', () => {
    const document = readDocument({ Empty, Old: routeOf({ decorators: [deprecated] }) })
    assert.equal(findOperation(document, '/old').deprecated, true)
    assert.ok(!('deprecated' in findOperation(document, '/empty')))
  })

  it('writes paths with percent-encoding', async () => {
    const document = readDocument({ One: routeOf({}, '/größe/{id}/{rest...}'), '/': Empty })
    assert.deepEqual(Object.keys(document.paths), ['/gr%C3%B6%C3%9Fe/{id}/{rest}', '/'])
    assert.deepEqual(await validateDocument(document), [])
  })

  it('reports parameter names that tools do not recognize, once for each path', async () => {
    class Sizes extends Route {
      static readonly path = '/sizes/{größe}/{id}/{$x}'
      get() {}
      delete() {}
    }
    class Safe extends Route {
      static readonly path = '/sizes/{size_1}/{Id}'
      get() {}
    }
    const app = createUntypedApp({ routes: { Sizes, Safe } })
    const message = 'Several OpenAPI tools do not recognize "größe" and "$x" in the path "/sizes/{größe}/{id}/{$x}"'
    const fix = 'Name parameters with the letters A to Z, digits and "_"'
    const findings = app.check().filter(({ code }) => code !== 'RETURNS_MISSING')
    assert.deepEqual(findings, [{ code: 'DOCUMENT_GAP', route: 'Sizes', method: 'GET', message, fix }])
    assert.notDeepEqual(await validateDocument(readDocument({ Sizes })), [])
    assert.deepEqual(await validateDocument(readDocument({ Safe })), [])
    assert.ok(
      findOperation(app.openapi(), '/sizes/{größe}/{id}/{$x}'),
      'the document keeps the names that the client has',
    )
  })

  it('omits and reports a wildcard path that is equal to another path in OpenAPI', async () => {
    const routes = {
      Rest: routeOf({}, '/files/{rest...}'),
      File: routeOf({}, '/files/{id}'),
      Other: routeOf({}, '/a/{b...}'),
    }
    const app = createUntypedApp({ routes })
    assert.deepEqual(Object.keys(app.openapi().paths), ['/files/{id}', '/a/{b}'])
    assert.deepEqual(await validateDocument(app.openapi()), [])
    assert.deepEqual(
      app.check().flatMap(({ code, route, method }) => (code === 'RETURNS_MISSING' ? [] : [[code, route, method]])),
      [['DOCUMENT_GAP', 'Rest', 'GET']],
    )
    assert.match(app.check()[0]?.message ?? '', /"\/files\/\{rest\.\.\.\}" is not in the document.*"\/files\/\{id\}"/)
  })
})

describe('openapi: security', () => {
  const user = bearer((token) => token, { format: 'JWT' })
  const key = apiKey({ in: 'header', name: 'X-Key' }, (given) => given)
  const security = (uses: object) => {
    const document = readDocument({ Probe: routeOf({ uses }) })
    return { asked: findOperation(document, '/probe').security, schemes: document.components.securitySchemes }
  }

  it('documents no security without credentials', () => {
    assert.deepEqual(security({ plain: provide({}, () => 1) }), { asked: undefined, schemes: undefined })
  })

  it('names each security scheme once, after its type', async () => {
    const again = bearer((token) => token, { format: 'JWT' })
    const routes = {
      One: routeOf({ uses: { user } }),
      Two: routeOf({ uses: { again, key } }),
      Three: routeOf({ uses: { admin: basic((name) => name) } }),
      Four: routeOf({ uses: { other: bearer((token) => token) } }),
    }
    const document = readDocument(routes)
    assert.deepEqual(document.components.securitySchemes, {
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      'X-Key': { type: 'apiKey', in: 'header', name: 'X-Key' },
      basic: { type: 'http', scheme: 'basic' },
      bearer2: { type: 'http', scheme: 'bearer' },
    })
    assert.deepEqual(findOperation(document, '/two').security, [{ bearer: [], 'X-Key': [] }])
    assert.deepEqual(Object.keys(findOperation(document, '/two').responses), ['200', '401', 'default'])
    assert.deepEqual(await validateDocument(document), [])
  })

  it('documents alternative and optional credentials', () => {
    assert.deepEqual(security({ any: anyOf(user, key) }).asked, [{ bearer: [] }, { 'X-Key': [] }])
    assert.deepEqual(security({ maybe: optional(user) }).asked, [{ bearer: [] }, {}])
    assert.deepEqual(security({ user, maybe: optional(user) }).asked, [{ bearer: [] }])
    assert.deepEqual(security({ any: anyOf(user, key), maybe: optional(key) }).asked, [
      { bearer: [], 'X-Key': [] },
      { bearer: [] },
      { 'X-Key': [] },
    ])
  })

  it('documents no security for endpoints that a contract, class or group declares public', async () => {
    class Public extends routeOf({}) {
      static readonly public = true
    }
    class Guarded extends routeOf({ uses: { user } }) {
      static readonly public = true
    }
    class Closed extends Public {
      static override readonly get = looseContract(this, { public: false })
    }
    const inner = group({ public: false, routes: { Inner: routeOf({}) } })
    const routes = {
      ...{ Said: routeOf({ public: true }), Public, Guarded, Closed, Unsaid: routeOf({}) },
      Signed: routeOf({ public: true, uses: { signed: provide({ errors: [401] }, () => 1) } }),
      '/open': group({ public: true, routes: { Outer: routeOf({}), Asked: routeOf({ uses: { user } }), inner } }),
    }
    const document = readDocument(routes)
    const found = Object.entries(document.paths).map(([path, { get }]) => [path, get?.security])
    assert.deepEqual(Object.fromEntries(found), {
      '/said': [],
      '/public': [],
      '/guarded': [{ bearer: [] }],
      '/closed': undefined,
      '/unsaid': undefined,
      '/signed': [],
      '/open/outer': [],
      '/open/asked': [{ bearer: [] }],
      '/open/inner': undefined,
    })
    assert.deepEqual(await validateDocument(document), [])
  })

  it('rejects a public contract with a guard', () => {
    const refused =
      (uses: object, given: object = {}) =>
      () =>
        readDocument({ '/all': looseGroup({ routes: { Probe: routeOf({ public: true, uses }) }, ...given }) })
    const says = ['"Probe.get"', '"public: true"', '"user" requires credentials'] as const
    assertSetupError(refused({ user }), 'CONTRACT_INVALID', ...says)
    assertSetupError(refused({ user: optional(user) }), 'CONTRACT_INVALID', ...says)
    assertSetupError(
      refused({ role: provide({ uses: { user }, errors: [403] }, () => 1) }),
      'CONTRACT_INVALID',
      ...says,
    )
    assertSetupError(refused({}, { uses: { user } }), 'CONTRACT_INVALID', ...says)
  })

  it('documents schemes of any type, also from providers that are used indirectly', () => {
    const login = {
      type: 'openIdConnect' as const,
      openIdConnectUrl: 'https://example.com/.well-known/openid-configuration',
    }
    const known = provide({ security: login }, () => 1)
    const role = provide({ uses: { known }, errors: [403] }, () => 1)
    const { asked, schemes } = security({ role })
    assert.deepEqual([asked, schemes], [[{ openIdConnect: [] }], { openIdConnect: login }])
  })
})

describe('openapi: QUERY', () => {
  const SENT =
    'Requests have the method QUERY (RFC 10008) and the request body of this operation; OpenAPI 3.1 has no field for this method.'

  const made = (version: string, contract: object = {}): OpenApiDocument => {
    class Teas extends Route {
      static readonly query = looseContract(this, { body: describedSchema({ type: 'object' }), ...contract })
      query() {}
    }
    return readDocument({ Teas }, { openapi: { version } })
  }

  it('is a field of the path in OpenAPI 3.2', async () => {
    const document = made('3.2', { description: 'Finds teas.' })
    const { operationId, description, requestBody } = findOperation(document, '/teas', 'query')
    assert.deepEqual([operationId, description], ['Teas.query', 'Finds teas.'])
    assert.deepEqual(requestBody, { required: true, content: { 'application/json': { schema: { type: 'object' } } } })
    assert.deepEqual(Object.keys(document.paths['/teas'] ?? {}), ['query'])
    assert.deepEqual(await validateDocument(document), [])
  })

  it('is an extension in OpenAPI 3.1, whose description says how it is sent', async () => {
    const document = made('3.1')
    assert.deepEqual(Object.keys(document.paths['/teas'] ?? {}), ['x-query'])
    const { query } = made('3.2').paths['/teas'] ?? {}
    assert.deepEqual(findOperation(document, '/teas', 'x-query'), { ...query, description: SENT })
    assert.deepEqual(await validateDocument(document), [])
    const described = made('3.1', { description: 'Finds teas.' })
    assert.equal(findOperation(described, '/teas', 'x-query').description, `Finds teas.\n\n${SENT}`)
  })

  it('is the same operation in both versions for breaking()', () => {
    const [old, current] = [made('3.1'), made('3.2')]
    assert.deepEqual([breaking(old, current), breaking(current, old)], [[], []])
    const [change] = breaking(old, made('3.2', { body: describedSchema({ type: 'array' }) }))
    assert.equal(change?.message, 'QUERY /teas: the request body no longer accepts an object')
  })
})
