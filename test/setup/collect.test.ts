import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { group, reply, Route, type Middleware } from 'verbena'
import { collectRoutes, isRouteClass } from '#src/setup/collect.js'
import { sendRequest, assertSetupError, looseGroup, createUntypedApp } from '#test/apps.js'

class Users extends Route {
  get() {
    return 'users'
  }
}
class Orders extends Route {
  get() {
    return 'orders'
  }
}
class Index extends Route {
  get() {
    return 'index'
  }
}
class Fixed extends Route {
  static readonly path = '/fixed/{id}'
  get() {
    return 'fixed'
  }
}
class Prefixed extends Route {
  static readonly prefix = '/orgs/{org}'
  get() {
    return 'prefixed'
  }
}
class Both extends Route {
  static readonly prefix = '/orgs/{org}'
  static readonly path = '/users/{id}'
  get() {
    return 'both'
  }
}
const anonymous = () =>
  class extends Route {
    get() {}
  }

const paths = (routes: unknown) =>
  createUntypedApp({ routes })
    .routes()
    .map(({ route, path }) => `${route} ${path}`)

const MOUNTED: readonly (readonly [about: string, routes: unknown, paths: readonly string[]])[] = [
  ['a class by its key', { People: Users }, ['People /people']],
  ['the same class under two keys', { A1: Users, B1: Users }, ['A1 /a1', 'B1 /b1']],
  ['a static path', { Fixed }, ['Fixed /fixed/{id}']],
  ['a prefix before the derived path', { Prefixed }, ['Prefixed /orgs/{org}/prefixed']],
  ['a prefix before the static path', { Both }, ['Both /orgs/{org}/users/{id}']],
  ['a section with a name', { admin: { Users } }, ['Users /users']],
  ['a section with a prefix', { '/v1': { Users, Fixed } }, ['Users /v1/users', 'Fixed /v1/fixed/{id}']],
  ['sections in sections', { '/v1': { a: { '/b': { Users } } } }, ['Users /v1/b/users']],
  ['mount, prefix and path', { '/v1': { Both } }, ['Both /v1/orgs/{org}/users/{id}']],
  ['parameters in a mount', { '/t/{tenant}': { Users } }, ['Users /t/{tenant}/users']],
  ['the root', { '/': Index }, ['Index /']],
  ['a class under "/" in a section', { '/v1': { '/': Index, Users } }, ['Index /v1', 'Users /v1/users']],
  ['a class with a prefix under "/" in a section', { '/v1': { '/': Prefixed } }, ['Prefixed /v1/orgs/{org}']],
  ['a class with a prefix under "/"', { '/': Prefixed }, ['Prefixed /orgs/{org}']],
  ['a class under "/" in a section with a name', { site: { '/': Index } }, ['Index /']],
  ['a class without a name under "/"', { '/': anonymous() }, ['Root /']],
  ['a group', { '/v1': group({ routes: { Users } }) }, ['Users /v1/users']],
  ['groups in groups', { '/a': group({ routes: { '/b': group({ routes: { Users } }) } }) }, ['Users /a/b/users']],
  ['a group with a name', { admin: group({ routes: { Users } }) }, ['Users /users']],
  ['an array', [Users, Fixed], ['Users /users', 'Fixed /fixed/{id}']],
  ['a class without a name in an array', [Object.assign(anonymous(), { path: '/x' })], ['routes[0] /x']],
  ['an object without a prototype', Object.assign(Object.create(null), { Users }), ['Users /users']],
  ['no routes for an empty object', {}, []],
]

describe('collectRoutes()', () => {
  for (const [about, routes, expected] of MOUNTED) {
    it(`mounts ${about}`, () => assert.deepEqual(paths(routes), expected))
  }

  it('keeps the order of the keys', () => {
    assert.deepEqual(paths({ Users, s: { Orders }, Fixed }), ['Users /users', 'Orders /orders', 'Fixed /fixed/{id}'])
  })

  it('combines middleware and tags of nested groups, outermost first', () => {
    const answering =
      (status: number): Middleware =>
      async () =>
        reply(status)
    const [one, two, three] = [answering(201), answering(202), answering(203)] as const
    const inner = group({ middleware: [three], tags: ['c'], routes: { Users } })
    const [entry] = collectRoutes({ a: group({ middleware: [one, two], tags: ['a', 'b'], routes: { inner } }) })
    assert.deepEqual(entry?.section.middleware, [one, two, three])
    assert.deepEqual(entry?.section.tags, ['a', 'b', 'c'])
  })

  it('does not apply a group to routes outside of it', () => {
    const entries = collectRoutes({ a: group({ tags: ['a'], routes: { Users } }), Orders })
    assert.deepEqual(
      entries.map(({ section }) => section.tags),
      [['a'], []],
    )
  })

  it('rejects invalid middleware of a group, and names the group', () => {
    const routes = { admin: looseGroup({ routes: { Users }, middleware: ['cors'] }) }
    assertSetupError(() => createUntypedApp({ routes }), 'MIDDLEWARE_INVALID', 'the group "admin"', 'entry 0')
  })

  it('rejects a class under a path, and suggests two fixes', () => {
    assertSetupError(
      () => createUntypedApp({ routes: { '/users': Users } }),
      'ROUTE_INVALID',
      '"/users"',
      "static readonly path = '/users'",
      "'/users': { '/': Users }",
    )
  })

  it('rejects a class with a static path under "/"', () => {
    class Far extends Fixed {}
    for (const routes of [{ '/': Fixed }, { '/v1': { '/': Far } }, { s: group({ routes: { '/': Fixed } }) }]) {
      assertSetupError(
        () => createUntypedApp({ routes }),
        'ROUTE_INVALID',
        'under "/"',
        'has a "static path"',
        'under a name',
      )
    }
  })

  it('rejects a section that contains itself, and names its key', () => {
    const record: Record<string, unknown> = { Users }
    record['inner'] = { '/deep': record }
    const looped: Record<string, unknown> = { Users }
    looped['again'] = looseGroup({ routes: looped })
    for (const [routes, key] of [
      [record, '/deep'],
      [{ s: record }, '/deep'],
      [looped, 'again'],
    ] as const) {
      assertSetupError(
        () => createUntypedApp({ routes }),
        'ROUTE_INVALID',
        `Cannot register "${key}"`,
        'it contains itself',
      )
    }
  })

  it('accepts one section under several keys', () => {
    const shared = { Users }
    const routes = { '/v1': shared, '/v2': { '/old': shared, '/new': group({ routes: shared }) } }
    assert.deepEqual(paths(routes), ['Users /v1/users', 'Users /v2/old/users', 'Users /v2/new/users'])
  })

  const NO_ROUTES: readonly (readonly [value: unknown, says: string])[] = [
    [7, 'it is a number'],
    ['users', 'it is a string'],
    [null, 'it is null'],
    [undefined, 'it is undefined'],
    [[Users], 'it is an array'],
    [() => 'users', 'does not extend Route'],
    [class Plain {}, 'does not extend Route'],
    [Route, 'does not extend Route'],
    [new Users(), 'it is an instance of "Users"'],
    [Promise.resolve({ Users }), 'it is an instance of "Promise"'],
    [new Map([['Users', Users]]), 'it is an instance of "Map"'],
  ]
  for (const [value, says] of NO_ROUTES) {
    it(`rejects a value: ${says}`, () => {
      assertSetupError(
        () => createUntypedApp({ routes: { Users, wrong: value } }),
        'ROUTE_INVALID',
        '"wrong"',
        says,
        'extends Route',
      )
    })
  }

  it('rejects an instance of an anonymous class', () => {
    const Made = anonymous()
    assertSetupError(
      () => createUntypedApp({ routes: { wrong: new Made() } }),
      'ROUTE_INVALID',
      '"wrong"',
      'it is an instance of a class',
    )
    const orphan: unknown = Object.create(Object.create(null))
    assertSetupError(
      () => createUntypedApp({ routes: { wrong: orphan } }),
      'ROUTE_INVALID',
      'it is an instance of a class',
    )
  })

  it('rejects routes that are not an object', () => {
    for (const routes of [undefined, null, 7, Users, new Users()]) {
      assertSetupError(() => createUntypedApp({ routes }), 'OPTION_INVALID', '"routes"', '{ Users }')
    }
  })

  it('rejects a group whose routes are not an object', () => {
    const routes = { admin: looseGroup({ routes: [Users] }) }
    assertSetupError(() => createUntypedApp({ routes }), 'ROUTE_INVALID', '"admin"', 'an array')
  })

  it('rejects a value in an array that is not a class, and names its index', () => {
    assertSetupError(() => createUntypedApp({ routes: [Users, { Orders }] }), 'ROUTE_INVALID', 'routes[1]')
  })

  const MANGLED: readonly string[] = [
    ...['', '_Users', '_class', 'g', 'ab', 'G', 'Ab', 'A1', '$', '1', '7Users'],
    // esbuild and Bun; webpack and Rspack; Parcel; Vitest; compilers of anonymous classes
    ...['anon_default', 'users', 'users_Users', 'b_Users', '$f3bdfac699834568$export$7ae02d7ad1cd8b9'],
    ...['__vite_ssr_export_default__', '__WEBPACK_DEFAULT_EXPORT__', 'default', 'default_1', 'class_1'],
    ...['Users_default', 'Users_exports', 'Users$export$default', 'Users_export_1', 'Users$1', 'über'],
  ]
  for (const name of MANGLED) {
    it(`does not derive a path from the class name "${name}" in an array`, () => {
      const Mangled = Object.defineProperty(anonymous(), 'name', { value: name })
      assertSetupError(
        () => createUntypedApp({ routes: [Mangled] }),
        'ROUTE_NAME',
        `"${name}"`,
        'a name that a bundler has changed',
        'in an object',
        'static readonly path',
      )
    })
  }

  it('rejects two classes with the same name in an array, unless they have static paths', () => {
    const Twin = Object.defineProperty(anonymous(), 'name', { value: 'Users' })
    assertSetupError(() => createUntypedApp({ routes: [Users, Twin] }), 'ROUTE_NAME', 'two classes have this name')
    assert.deepEqual(paths([Users, Object.assign(Twin, { path: '/twins' })]), ['Users /users', 'Users /twins'])
  })

  const DERIVED: readonly (readonly [name: string, path: string])[] = [
    ['Job', '/job'],
    ['Öl', '/öl'],
    ['用户', '/用户'],
    ['ユ', '/ユ'],
    ['OAuth2', '/o-auth2'],
    ['Users2', '/users2'],
    ['Order_Lines', '/order-lines'],
    ['Data_Export', '/data-export'],
    ['Defaults', '/defaults'],
    ['User_defaults', '/user-defaults'],
    ['Order$Lines', '/order-lines'],
  ]
  for (const [name, path] of DERIVED) {
    it(`derives ${path} from the class name "${name}" in an array`, () => {
      const Named = Object.defineProperty(anonymous(), 'name', { value: name })
      assert.deepEqual(paths([Named]), [`${name} ${path}`])
    })
  }

  it('accepts all class names with a static path in an array', () => {
    for (const name of MANGLED) {
      const Named = Object.assign(Object.defineProperty(anonymous(), 'name', { value: name }), { path: '/x' })
      assert.deepEqual(paths([Named]), [`${name || 'routes[0]'} /x`])
    }
  })

  it('accepts short class names in an object', async () => {
    const Mangled = Object.defineProperty(class extends Users {}, 'name', { value: 'g' })
    assert.equal(
      (await sendRequest(createUntypedApp({ routes: { UserProfiles: Mangled } }), '/user-profiles')).text,
      'users',
    )
  })

  it('refuses a key without a letter or a digit', () => {
    assertSetupError(() => createUntypedApp({ routes: { $_: Users } }), 'ROUTE_NAME', '"$_"', 'static readonly path')
  })
})

describe('isRouteClass()', () => {
  it('is true for classes that extend Route, at any distance', () => {
    class Far extends Users {}
    for (const value of [Users, Far, anonymous()]) assert.equal(isRouteClass(value), true)
    for (const value of [Route, class {}, () => {}, {}, null, new Users()]) assert.equal(isRouteClass(value), false)
  })
})
