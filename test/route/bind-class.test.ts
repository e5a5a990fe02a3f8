import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runInThisContext } from 'node:vm'
import { createApp, Route } from 'verbena'
import { CONTEXT_NAMES } from '#src/context/context-names.js'
import { bindClass, serviceProperty } from '#src/route/route-class.js'
import { sendRequest, assertSetupError, createUntypedApp } from '#test/apps.js'

interface Clock {
  now(): string
}

const clock: Clock = { now: () => 'noon' }

class Times extends Route<{ clock: Clock }> {
  readonly fromField = this.clock.now()
  readonly fromConstructor: string
  count = 0

  constructor() {
    super()
    this.fromConstructor = this.clock.now()
  }

  get() {
    this.count++
    const { fromField, fromConstructor, count } = this
    return { fromField, fromConstructor, inMethod: this.clock.now(), count }
  }
}

describe('bindClass()', () => {
  it('makes services available on `this` in field initializers, constructors and methods', async () => {
    const app = createApp({ routes: { Times }, services: { clock } })
    const { body } = await sendRequest(app, '/times')
    assert.deepEqual(body, { fromField: 'noon', fromConstructor: 'noon', inMethod: 'noon', count: 1 })
  })

  it('creates a new instance for each request, so fields are request state', async () => {
    const app = createApp({ routes: { Times }, services: { clock } })
    const answers = await Promise.all([
      sendRequest(app, '/times'),
      sendRequest(app, '/times'),
      sendRequest(app, '/times'),
    ])
    for (const { body } of answers) assert.equal(Object(body).count, 1)
  })

  it('binds one class to different services in two apps', async () => {
    const noon = createApp({ routes: { Times }, services: { clock } })
    const night = createApp({ routes: { Times }, services: { clock: { now: () => 'midnight' } } })
    assert.equal(Object((await sendRequest(noon, '/times')).body).inMethod, 'noon')
    assert.equal(Object((await sendRequest(night, '/times')).body).inMethod, 'midnight')
    assert.equal('clock' in Times.prototype, false)
  })

  it('preserves `this.constructor`, `instanceof` and static members', async () => {
    class Own extends Route {
      static readonly limit = 10
      get() {
        const { constructor } = this
        return { same: constructor === Own, is: this instanceof Own, limit: Reflect.get(constructor, 'limit') }
      }
    }
    assert.deepEqual((await sendRequest(createUntypedApp({ routes: { Own } }), '/own')).body, {
      same: true,
      is: true,
      limit: 10,
    })
  })

  it('supports helper methods, private members and super', async () => {
    class Base extends Route {
      get(): unknown {
        return this.word()
      }
      word() {
        return 'base'
      }
    }
    class Sub extends Base {
      readonly #secret = 'kept'
      override get() {
        return [super.get(), this.#secret]
      }
      override word() {
        return 'sub'
      }
    }
    assert.deepEqual((await sendRequest(createUntypedApp({ routes: { Sub } }), '/sub')).body, ['sub', 'kept'])
  })

  it('makes services enumerable, and throws if code assigns to them', () => {
    const { create: Bound } = bindClass(Times, 'Times', { services: { clock }, property: serviceProperty })
    const instance = new Bound()
    const keys: string[] = []
    for (const key in instance) keys.push(key)
    assert.ok(keys.includes('clock'))
    assert.throws(() => Object.assign(instance, { clock: {} }), TypeError)
  })

  it('rejects a service with the name of a class member, including inherited members', () => {
    class Users extends Route {
      get() {}
      helper() {}
    }
    class Sub extends Users {}
    for (const service of ['helper', 'get', 'constructor', 'toString', '__proto__']) {
      assertSetupError(
        () => createUntypedApp({ routes: { Sub }, services: JSON.parse(`{ "${service}": 1 }`) }),
        'SERVICE_NAME',
        `"${service}"`,
        '"Sub"',
        'Rename',
      )
    }
  })

  it('rejects a field that hides a service', () => {
    class Users extends Route {
      db: unknown
      get() {}
    }
    assertSetupError(
      () => createUntypedApp({ routes: { Users }, services: { db: {} } }),
      'ROUTE_FIELD',
      'field "db" of "Users"',
      'hides the service',
      'declare db',
      'Route<{ db: … }>',
    )
    assert.ok(createUntypedApp({ routes: { Users }, services: { cache: {} } }))
  })

  it('rejects an instance field "path"', () => {
    class Users extends Route {
      get() {}
    }
    class Wrong extends Users {
      constructor() {
        super()
        Object.assign(this, { path: '/users' })
      }
    }
    assertSetupError(
      () => createUntypedApp({ routes: { Wrong } }),
      'ROUTE_FIELD',
      'field "path" of "Wrong"',
      "static readonly path = '/…'",
    )
  })

  it('rejects a field named after a verb, with and without other methods', () => {
    class Both extends Route {
      get() {}
      post = () => 'created'
    }
    class Alone extends Route {
      post = async () => 'created'
    }
    class WithContract extends Route {
      static readonly post = this.contract({ summary: 'Create' })
      post = async () => 'created'
    }
    for (const routes of [{ Both }, { Alone }, { WithContract }]) {
      assertSetupError(
        () => createUntypedApp({ routes }),
        'ROUTE_FIELD',
        'the field "post"',
        Object.keys(routes)[0] ?? '',
        'async post()',
      )
    }
  })

  it('responds 500 if the constructor throws, and creates the app anyway', async () => {
    class Picky extends Route {
      constructor() {
        super()
        throw new Error('no request yet')
      }
      get() {}
    }
    const app = createUntypedApp({ routes: { Picky } })
    const { status, text } = await sendRequest(app, '/picky')
    assert.equal(status, 500)
    assert.doesNotMatch(text, /no request yet/)
  })
})

describe('CONTEXT_NAMES', () => {
  for (const name of CONTEXT_NAMES) {
    it(`rejects a service named "${name}"`, () => {
      assertSetupError(
        () => createUntypedApp({ routes: {}, services: { [name]: 1 } }),
        'SERVICE_NAME',
        `"${name}"`,
        'Rename',
      )
    })
  }
})

describe('bindClass(): constructors', () => {
  const assertRejected = (routeClass: unknown, ...texts: string[]): void =>
    assertSetupError(
      () => createUntypedApp({ routes: { Orders: routeClass }, services: { clock } }),
      'ROUTE_INVALID',
      ...texts,
    )

  it('rejects constructors with required parameters', () => {
    class Orders extends Route {
      readonly clock: Clock
      constructor(given: Clock) {
        super()
        this.clock = given
      }
      get() {
        return this.clock.now()
      }
    }
    class Inherited extends Orders {}
    const Compiled = runInThisContext('(Base) => class Compiled extends Base { constructor() { super(...arguments) } }')
    // SWC below ES2022 and sucrase; oxc; minified
    const [Spread, Underscored, Minified] = [
      'constructor(...args) { super(...args); this.label = 1 }',
      'constructor(..._args) { super(..._args) }',
      'constructor(...$){super(...$)}',
    ].map((code) => runInThisContext(`(Base) => class Compiled extends Base { ${code} }`))
    const fix = 'Name its services in the type, "extends Route<{ db: Db }>", and read them as "this.db"'
    const state = 'its constructor has a parameter, but Verbena passes no arguments'
    const all = [Orders, Inherited, Compiled(Orders), Spread(Orders), Underscored(Orders), Minified(Spread(Orders))]
    for (const routeClass of all) assertRejected(routeClass, `Cannot register "Orders": ${state}. ${fix}`)
    class Two extends Route {
      constructor(_first: Clock, _second: Clock) {
        super()
      }
      get() {
        return 'two'
      }
    }
    assertRejected(Two, 'its constructor has 2 parameters')
  })

  it('accepts a constructor that passes arguments to its base class, and optional parameters', async () => {
    class Base extends Route {
      readonly #text: string
      constructor(text: string) {
        super()
        this.#text = text
      }
      get() {
        return this.#text
      }
    }
    class Orders extends Base {
      constructor(text = 'orders') {
        super(text)
      }
    }
    assert.equal((await sendRequest(createUntypedApp({ routes: { Orders } }), '/orders')).text, 'orders')
  })
})
