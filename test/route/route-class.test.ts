import assert from 'node:assert/strict'
import { checkMiddleware, readStatics, readStatic } from '#src/route/route-class.js'
import { sendRequest, assertSetupError, createUntypedApp } from '#test/apps.js'
import { describe, it } from 'node:test'
import { reply, Route, type Middleware, type SetupCode, provide } from 'verbena'

const pass: Middleware = (_context, next) => next()

abstract class Base extends Route {
  static readonly prefix: string = '/orgs/{org}'
  static readonly tags: readonly string[] = ['base']
  static readonly meta: object = { role: 'member' }
  static readonly middleware: readonly Middleware[] = [pass]
}

class Members extends Base {
  get() {
    return 'members'
  }
}

const REFUSED: readonly (readonly [member: string, value: unknown, code: SetupCode, ...says: string[]])[] = [
  ['uses', [], 'USES_INVALID', 'the class "Broken"', 'uses: { user: currentUser }'],
  ['uses', null, 'USES_INVALID', 'the class "Broken"'],
  ['path', 7, 'ROUTE_FIELD', 'static path', "static readonly path = '/…'"],
  ['path', null, 'ROUTE_FIELD', 'static path'],
  ['prefix', ['/a'], 'ROUTE_FIELD', 'static prefix', "static readonly prefix = '/…'"],
  ['tags', 'users', 'ROUTE_FIELD', 'static tags', "['users']"],
  ['tags', [7], 'ROUTE_FIELD', 'static tags'],
  ['public', 'yes', 'ROUTE_FIELD', 'static public', 'static readonly public = true'],
  ['public', null, 'ROUTE_FIELD', 'static public'],
  ['meta', 'admin', 'ROUTE_FIELD', 'static meta', '{ … }'],
  ['middleware', pass, 'MIDDLEWARE_INVALID', 'static middleware of "Broken"', '[first, second]'],
  ['middleware', [pass, 'cors'], 'MIDDLEWARE_INVALID', 'static middleware of "Broken"', 'entry 1', '(context, next)'],
  [
    'middleware',
    [pass, (_req: unknown, _res: unknown, _next: unknown) => {}],
    'MIDDLEWARE_INVALID',
    'entry 1 has 3 parameters',
    '(req, res, next)',
  ],
]

describe('readStatics()', () => {
  it('returns defaults for a class without static properties', () => {
    class Plain extends Route {}
    assert.deepEqual(readStatics(Plain, 'Plain'), {
      ...{ prefix: '', path: undefined, uses: [], middleware: [], errors: [], tags: [], meta: {} },
      ...{ isPublic: undefined, isFallback: false },
    })
  })

  it('treats null for tags and meta as missing', () => {
    class Plain extends Route {
      static readonly tags = null
      static readonly meta = null
      get() {}
    }
    const { tags, meta } = readStatics(Plain, 'Plain')
    assert.deepEqual([tags, meta], [[], {}])
    assert.deepEqual(
      createUntypedApp({ routes: { Plain } })
        .routes()
        .map((endpoint) => endpoint.tags),
      [[]],
    )
  })

  it('inherits prefix, tags, meta and middleware', () => {
    const { prefix, tags, meta, middleware } = readStatics(Members, 'Members')
    assert.deepEqual([prefix, tags, meta, middleware], ['/orgs/{org}', ['base'], { role: 'member' }, [pass]])
  })

  it('replaces inherited properties that a subclass redeclares', () => {
    class Public extends Members {
      static override readonly prefix = ''
      static override readonly tags = ['public']
      static override readonly meta = {}
      static override readonly middleware = []
    }
    const { prefix, tags, meta, middleware } = readStatics(Public, 'Public')
    assert.deepEqual([prefix, tags, meta, middleware], ['', ['public'], {}, []])
  })

  for (const [member, value, code, ...says] of REFUSED) {
    it(`rejects ${member} = ${JSON.stringify(value) ?? 'a function'}`, () => {
      class Broken extends Route {
        get() {}
      }
      Object.defineProperty(Broken, member, { value })
      assertSetupError(() => createUntypedApp({ routes: { Broken } }), code, '"Broken"', ...says)
    })
  }
})

describe('static properties', () => {
  it('applies prefix, tags and meta of a base class to endpoints of a subclass', async () => {
    const shout: Middleware = async (context, next) =>
      (await next()).with({ 'x-meta': JSON.stringify(context.endpoint) })
    const app = createUntypedApp({ routes: { Members }, middleware: [shout] })
    assert.deepEqual(
      app.routes().map(({ path, tags }) => [path, tags]),
      [['/orgs/{org}/members', ['base']]],
    )
    const { headers } = await sendRequest(app, '/orgs/acme/members')
    assert.deepEqual(JSON.parse(headers.get('x-meta') ?? ''), {
      route: 'Members',
      method: 'GET',
      path: '/orgs/{org}/members',
      meta: { role: 'member' },
      params: { org: 'acme' },
    })
  })

  it('applies middleware of a base class to every subclass', async () => {
    class Guarded extends Route {
      static readonly middleware: readonly Middleware[] = [async () => reply(200, 'guarded')]
    }
    class Secret extends Guarded {
      get() {
        return 'secret'
      }
    }
    assert.equal((await sendRequest(createUntypedApp({ routes: { Secret } }), '/secret')).text, 'guarded')
  })
})

describe('readStatic()', () => {
  it('returns undefined for a property that the class does not have', () => {
    for (const key of ['path', 'prefix', 'get', 'delete', 'uses'])
      assert.equal(readStatic(Members, key) ?? '', key === 'prefix' ? '/orgs/{org}' : '')
  })
})

describe('checkMiddleware()', () => {
  it('returns the same array', () => {
    const list = [pass]
    assert.equal(checkMiddleware(list, 'here'), list)
  })

  for (const value of [undefined, null, pass, {}, 'cors', new Set([pass])]) {
    it(`rejects ${typeof value === 'function' ? 'a function' : JSON.stringify(value)}`, () => {
      assertSetupError(() => checkMiddleware(value, 'the list'), 'MIDDLEWARE_INVALID', 'the list', 'must be an array')
    })
  }

  it('rejects a hole in the array, and names its index', () => {
    assertSetupError(
      () => checkMiddleware(Object.assign([pass], { 2: pass }), 'the list'),
      'MIDDLEWARE_INVALID',
      'entry 1',
    )
  })
})

const user = provide({}, () => 'user')
const admin = provide({ uses: { user } }, () => 'admin')
const owner = provide({ uses: { admin } }, () => 'owner')
const tx = provide({}, () => 'tx')

abstract class SignedIn extends Route {
  static readonly uses: object = { user }
}

/** Returns a subclass of `SignedIn`, with or without its own `uses`. */
function below(uses?: unknown, base: typeof SignedIn = SignedIn) {
  class Sub extends base {
    get() {}
  }
  if (uses !== undefined) Object.defineProperty(Sub, 'uses', { value: uses })
  return Sub
}

const namesOf = (routeClass: new () => object): string[] => readStatics(routeClass, 'Sub').uses.map(({ name }) => name)

describe('readStatics(): uses', () => {
  it('returns an empty array for a class without uses', () => {
    class Plain extends Route {}
    assert.deepEqual(namesOf(Plain), [])
  })

  it('inherits uses, and keeps the order of redeclared uses', () => {
    assert.deepEqual(namesOf(below()), ['user'])
    assert.deepEqual(namesOf(below({ tx, user })), ['tx', 'user'])
  })

  it('accepts a provider that uses the inherited one, directly or indirectly', () => {
    for (const uses of [{ user: admin }, { user: owner }]) assert.deepEqual(namesOf(below(uses)), ['user'])
  })

  const DROPPED: readonly (readonly [about: string, uses: unknown, says: string])[] = [
    ['an empty object', {}, 'the inherited provider "user" is missing'],
    ['only other providers', { tx }, 'the inherited provider "user" is missing'],
    ['the same provider under another name', { me: user }, 'the inherited provider "user" is missing'],
    ['another provider under the same name', { user: tx }, 'is replaced by a provider that does not use it'],
  ]
  for (const [about, uses, says] of DROPPED) {
    it(`rejects ${about} instead of the inherited provider`, () => {
      assertSetupError(
        () => createUntypedApp({ routes: { Sub: below(uses) } }),
        'USES_INVALID',
        'the class "Sub"',
        says,
        '...super',
      )
    })
  }

  it('requires the providers of all base classes', () => {
    const Middle = below({ user, tx })
    assert.deepEqual(namesOf(below({ user, tx }, Middle)), ['user', 'tx'])
    for (const uses of [{ user }, { tx }]) {
      assertSetupError(() => readStatics(below(uses, Middle), 'Sub'), 'USES_INVALID', 'is missing')
    }
  })

  it('accepts providers that use each other in the check', () => {
    const needs: { uses: Record<string, typeof user> } = { uses: {} }
    const round = provide(needs, () => 'round')
    needs.uses['round'] = round
    assertSetupError(() => readStatics(below({ user: round }), 'Sub'), 'USES_INVALID', 'does not use it')
  })
})

describe('uses: names', () => {
  class Users extends Route {
    helper() {}
    get() {}
  }

  it('rejects the name of a class member', () => {
    class OfClass extends Users {
      static readonly uses = { helper: user }
    }
    class OfContract extends Users {
      static readonly get = this.contract({ uses: { helper: user } })
    }
    for (const routes of [{ OfClass }, { OfContract }]) {
      assertSetupError(() => createUntypedApp({ routes }), 'USES_INVALID', 'it has a member "helper"', 'Rename')
    }
  })

  it('accepts the name of a service', () => {
    class Named extends Users {
      static readonly uses = { db: user }
    }
    assert.ok(createUntypedApp({ routes: { Named }, services: { db: 1 } }))
  })
})
