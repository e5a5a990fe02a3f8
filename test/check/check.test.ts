/** `app.check()`: findings about schemas, names, paths and access. Findings about contracts are in `findings.test.ts`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toJsonSchema } from '@valibot/to-json-schema'
import { bearer, form, group, optional, provide, Route, text, type Finding, type Schema } from 'verbena'
import * as v from 'valibot'
import * as z from 'zod'
import { createUntypedApp, looseContract } from '#test/apps.js'

const own: Schema = { '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }) } }

function routeOf(contract: object, path?: string) {
  class Probe extends Route {
    static readonly path: string = path ?? '/probe'
    static readonly post = looseContract(this, contract)
    post() {}
  }
  return Probe
}

/** Returns findings without `RETURNS_MISSING`, which most of these routes have. */
function check(routes: object, options: object = {}): Finding[] {
  return checkAll(routes, options).filter(({ code }) => code !== 'RETURNS_MISSING')
}

function checkAll(routes: object, options: object = {}): Finding[] {
  return createUntypedApp({ routes, ...options }).check()
}

describe('app.check(): schemas', () => {
  const reason = 'The schema (own) does not provide JSON Schema, and the app has no converter for own'
  const UNDESCRIBED: readonly (readonly [label: string, contract: object])[] = [
    ['"query"', { query: own }],
    ['"params"', { params: own }],
    ['"headers"', { headers: own }],
    ['"cookies"', { cookies: own }],
    ['"body"', { body: own }],
    ['"body"', { body: form(own) }],
    ['"errors" for 409', { errors: { 404: 'no such thing', 409: own } }],
    ['"headers" in "returns"', { returns: text({ headers: own }) }],
    ['"errors" for 403', { uses: { role: provide({ errors: { 403: own } }, () => 1) } }],
    ['"query" of a provider', { uses: { page: provide({ query: own }, () => 1) } }],
  ]
  for (const [label, contract] of UNDESCRIBED) {
    it(`reports the schema of ${label}`, () => {
      const [finding, ...others] = check({ Probe: routeOf(contract) })
      assert.deepEqual(others, [])
      assert.deepEqual([finding?.code, finding?.route, finding?.method], ['SCHEMA_UNDESCRIBED', 'Probe', 'POST'])
      assert.equal(finding?.message, `The schema of ${label} cannot be converted to JSON Schema: ${reason}`)
      assert.match(finding?.fix ?? '', /"jsonSchema"/)
    })
  }

  it('names the properties that are missing in the JSON Schema', () => {
    const body = z.object({ at: z.date(), list: z.array(z.object({ n: z.bigint() })), name: z.string() })
    const [finding, ...others] = check({ Probe: routeOf({ body }) })
    assert.match(
      finding?.message ?? '',
      /^The schema of "body" cannot be converted to JSON Schema: .+; the JSON Schema omits \/at, \/list\/\*\/n$/,
    )
    assert.deepEqual(
      others.map(({ code, message }) => [code, / at "(.+)",/.exec(message)?.[1]]),
      [
        ['INPUT_IMPOSSIBLE', '/at'],
        ['INPUT_IMPOSSIBLE', '/list/*/n'],
      ],
    )
  })

  it('reports the schema of a provider once, for the first endpoint', () => {
    const uses = { page: provide({ query: own }, () => 1) }
    const findings = check({ One: routeOf({ uses }, '/one'), Two: routeOf({ uses }, '/two') })
    assert.deepEqual(
      findings.map(({ route }) => route),
      ['One'],
    )
  })

  it('reports the schema in "errors" of a class once, except for hidden endpoints', () => {
    class Base extends Route {
      static readonly errors = { 401: own }
      get() {}
    }
    class Hidden extends Base {
      static readonly get = this.contract({ hidden: true })
    }
    const routes = { Base, Other: class Other extends Base {} }
    const findings = check(routes)
    assert.deepEqual(
      findings.map(({ code, route }) => [code, route]),
      [['SCHEMA_UNDESCRIBED', 'Base']],
    )
    assert.deepEqual(check({ Hidden }), [])
  })

  it('reports only the response schema of hidden endpoints', () => {
    const page = provide({ query: own }, () => 1)
    const hidden = { hidden: true, query: own, uses: { page }, returns: own }
    assert.deepEqual(
      check({ Probe: routeOf(hidden) }).map(({ code }) => code),
      ['RESPONSE_UNDESCRIBED'],
    )
  })

  it('reports nothing with a converter or without schemas', () => {
    const options = { jsonSchema: { valibot: toJsonSchema } }
    assert.deepEqual(check({ Probe: routeOf({ query: v.object({ a: v.string() }), body: text() }) }, options), [])
    class Bare extends Route {
      post() {}
    }
    assert.deepEqual(check({ Bare }), [])
  })
})

describe('app.check(): paths', () => {
  const overlaps = (...paths: readonly string[]) =>
    check(Object.fromEntries(paths.map((path, index) => [`Route${index}`, routeOf({}, path)])))
      .filter(({ code }) => code === 'PATHS_OVERLAP')
      .map(({ route, message }) => [route, /match "(.*?)"; "(.*?)" handles/.exec(message)?.slice(1).join(' by ')])

  for (const [paths, found] of [
    [['/a/{x}', '/{y}/b'], '/a/b by /a/{x}'],
    [['/{y}/b', '/a/{x}'], '/a/b by /a/{x}'],
    [['/a/{x}/c/{z}', '/a/b/{y}/d'], '/a/b/c/d by /a/b/{y}/d'],
    [['/{a}/{b}/c/{d}', '/{a}/b/{c}/d'], '/x/b/c/d by /{a}/b/{c}/d'],
    [['/a/{rest...}', '/{x}/b'], '/a/b by /a/{rest...}'],
    [['/a/{rest...}', '/{x}/b/{y}/d'], '/a/b/x/d by /a/{rest...}'],
  ] as const) {
    it(`reports ${paths.join(' and ')}`, () => assert.deepEqual(overlaps(...paths), [['Route1', found]]))
  }

  for (const paths of [
    ['/users/{id}', '/users/me'],
    ['/users/{id}', '/users/{id}/posts'],
    ['/a/{x}', '/b/{x}'],
    ['/a/{x}/c', '/{y}/b/d'],
    ['/files/{id}', '/files/{rest...}'],
    ['/{x}/{rest...}', '/a/{rest...}'],
    ['/a', '/a/{rest...}'],
    ['/a/{x}', '/{y}/b', '/a/b'],
  ]) {
    it(`accepts ${paths.join(' and ')}`, () => assert.deepEqual(overlaps(...paths), []))
  }

  it('reports the same route that the router selects', async () => {
    const answer = (text: string, path: string) =>
      class extends Route {
        static readonly path = path
        get() {
          return text
        }
      }
    const app = createUntypedApp({ routes: { One: answer('one', '/{y}/b'), Two: answer('two', '/a/{x}') } })
    const response = await app.fetch(new Request('http://localhost/a/b'))
    assert.equal(await response.text(), 'two')
  })
})

describe('app.check(): names', () => {
  class _Users extends Route {
    static readonly path = '/users'
    get() {}
  }
  class T extends Route {
    get() {}
  }

  it('reports class names that look changed by a bundler', () => {
    assert.deepEqual(
      check([_Users]).map(({ code, route, method }) => [code, route, method]),
      [['NAME_MANGLED', '_Users', 'GET']],
    )
    assert.deepEqual(
      check({ '/': T }).map(({ code, route }) => [code, route]),
      [['NAME_MANGLED', 'T']],
    )
  })

  it('reports the name of a class under "/" that a bundler has changed', () => {
    class users_Home extends Route {
      get() {}
    }
    assert.deepEqual(
      check({ '/': users_Home }).map(({ code, route }) => [code, route]),
      [['NAME_MANGLED', 'users_Home']],
    )
  })

  it('reports each class in an array without a static path once', () => {
    class Users2 extends Route {
      get() {}
      post() {}
    }
    class OAuth2 extends Route {
      static readonly prefix = '/login'
      get() {}
    }
    class Fixed extends Route {
      static readonly path = '/fixed'
      get() {}
    }
    const findings = check([Users2, Fixed, OAuth2])
    assert.deepEqual(
      findings.map(({ code, route, method }) => [code, route, method]),
      [
        ['PATH_UNPINNED', 'Users2', 'GET'],
        ['PATH_UNPINNED', 'OAuth2', 'GET'],
      ],
    )
    const [{ message, fix } = { message: '', fix: '' }] = findings
    assert.equal(message, 'The path "/users2" comes from the name of a class in an array, which bundlers can change')
    assert.equal(fix, `Write "routes: { Users2 }", or add "static readonly path = '/…'" to the class`)
    assert.deepEqual(check({ Users2, OAuth2 }), [])
  })

  it('accepts classes with a key, because bundlers do not change keys', () => {
    assert.deepEqual(check({ Me: _Users, _hidden: T }), [])
    assert.deepEqual(
      check({
        '/': class Home extends Route {
          get() {}
        },
      }),
      [],
    )
  })
})

describe('app.check(): access', () => {
  const user = bearer((token) => token)
  const signed = provide({ rawBody: true, errors: { 401: 'Not signed' } }, () => 1)
  const limited = provide({ errors: [429] }, () => 1)
  class Read extends Route {
    get() {}
  }

  it('reports a POST without a guard if another endpoint has one', () => {
    const routes = {
      Asked: routeOf({ uses: { user } }, '/asked'),
      Open: routeOf({}, '/open'),
      Maybe: routeOf({ uses: { user: optional(user) } }, '/maybe'),
      Signed: routeOf({ uses: { signed } }, '/signed'),
      Limited: routeOf({ uses: { limited } }, '/limited'),
    }
    const findings = check(routes)
    assert.deepEqual(
      findings.map(({ code, route, method, message }) => [code, route, method, message]),
      [
        ['MUTATION_OPEN', 'Open', 'POST', '"POST /open" has no guard, but other endpoints do'],
        ['MUTATION_OPEN', 'Limited', 'POST', '"POST /limited" has no guard, but other endpoints do'],
      ],
    )
  })

  it('accepts "public: true" of a contract, a class or a group', () => {
    class Public extends routeOf({}, '/public') {
      static readonly public = true
    }
    class Restless extends Public {
      static override readonly path = '/restless'
      static override readonly post = looseContract(this, { public: false })
    }
    const routes = {
      Asked: routeOf({ uses: { user } }, '/asked'),
      Said: routeOf({ public: true }, '/said'),
      ...{ Public, Restless },
      open: group({ public: true, routes: { Grouped: routeOf({}, '/grouped') } }),
    }
    const [finding, ...others] = check(routes)
    assert.deepEqual([finding?.code, finding?.route, others], ['MUTATION_OPEN', 'Restless', []])
    assert.match(finding?.fix ?? '', /"public: true"/)
  })

  it('reports nothing if no endpoint has a guard', () => {
    assert.deepEqual(check({ Open: routeOf({}), Read }), [])
  })

  it('reports a group provider once if its value is not read', () => {
    const lost = provide({}, () => false)
    const findings = check({ all: group({ uses: { lost }, routes: { Open: routeOf({}), Read } }) })
    assert.deepEqual(
      findings.map(({ code, route, method }) => [code, route, method]),
      [['GUARD_UNDECLARED', 'Open', 'POST']],
    )
    assert.match(findings[0]?.message ?? '', /"lost" of a group accepts requests even if its value is false/)
    assert.match(findings[0]?.fix ?? '', /"errors: \[403\]".*"errors: \[\]"/)
  })

  it('accepts group providers that declare "errors" or whose value is read', () => {
    const flag = provide({}, () => false)
    const part = provide({}, () => false)
    const uses = {
      refusing: provide({ errors: [403] }, () => false),
      silent: provide({ errors: [] }, () => false),
      whole: provide({ uses: { part }, errors: [] }, () => 1),
      ...{ limited, flag, part },
    }
    assert.deepEqual(check({ all: group({ uses, routes: { Read: routeOf({ uses: { flag } }) } }) }), [])
  })
})
