/** Where decorators may stand, and what is done about those that cannot be seen any more. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, decorator, Route, type Decorator, type Input } from 'verbena'
import { log } from 'verbena/decorators'
import { sendRequest, assertSetupError, captureLog, createUntypedApp } from '#test/apps.js'

const mark: Decorator<[options?: object]> = decorator(function mark(_options: object = {}) {
  return {}
})

/** A decorator as other libraries write them: its own function takes the place of the method. */
function wrapping<This, Args extends unknown[], Value>(
  method: (this: This, ...args: Args) => Value,
  _context: ClassMethodDecoratorContext,
): (this: This, ...args: Args) => Value {
  return function wrapper(this: This, ...args: Args): Value {
    return method.apply(this, args)
  }
}

/** Another, which leaves the method as it is. */
function passing(_method: object, _context: ClassMethodDecoratorContext): void {}

/** What a compiler hands to a decorator. */
function contextOf(kind: string, name: string | symbol | undefined = 'get', isStatic = false): object {
  return { kind, name, static: isStatic, private: false, addInitializer() {} }
}

/** A decorator as a plain function, for what the compiler would refuse. */
function loose(given: unknown): (...target: readonly unknown[]) => unknown {
  // Proof: every decorator is a function.
  return given as (...target: readonly unknown[]) => unknown
}

describe('a decorator', () => {
  it('refuses a method that is no endpoint, bare and called', () => {
    assertSetupError(
      () =>
        class extends Route {
          // @ts-expect-error - not a verb
          @mark getUser() {}
        },
      'DECORATOR_MISUSED',
      '@mark: "getUser" is not a verb method',
      'get, post, put, patch, delete',
    )
    assertSetupError(
      () =>
        class extends Route {
          // @ts-expect-error - not a verb
          @mark({}) getUser() {}
        },
      'DECORATOR_MISUSED',
      '"getUser" is not a verb method',
    )
  })

  it('refuses a static method', () => {
    assertSetupError(
      () =>
        class extends Route {
          // @ts-expect-error - static
          @mark static get() {}
        },
      'DECORATOR_MISUSED',
      '"get" is not a verb method',
    )
  })

  it('refuses everything but a method', () => {
    for (const kind of ['field', 'getter', 'accessor']) {
      assertSetupError(() => loose(mark)(() => {}, contextOf(kind)), 'DECORATOR_MISUSED', '"get" is not a verb method')
    }
    assertSetupError(() => loose(mark)('text', contextOf('method')), 'DECORATOR_MISUSED')
    assertSetupError(
      () => loose(mark)(() => {}, contextOf('method', Symbol('get'))),
      'DECORATOR_MISUSED',
      'Symbol(get)',
    )
  })

  it('tells who decorates a class how that is done', () => {
    assertSetupError(
      () => loose(mark)(class Users extends Route {}, contextOf('class', 'Users')),
      'DECORATOR_MISUSED',
      '"Users" is a class',
      'static readonly decorators',
    )
  })

  it('says how legacy decorators are switched off', () => {
    const descriptor = { value() {}, writable: true }
    for (const target of [Route.prototype, Route]) {
      assertSetupError(() => loose(mark)(target, 'get', descriptor), 'DECORATOR_MISUSED', 'experimentalDecorators')
      assertSetupError(() => loose(mark())(target, 'get', descriptor), 'DECORATOR_MISUSED', 'experimentalDecorators')
      assertSetupError(() => loose(mark)(target, Symbol('get'), undefined), 'DECORATOR_MISUSED')
    }
    assertSetupError(() => loose(mark())(Route), 'DECORATOR_MISUSED', 'experimentalDecorators')
  })

  it('takes options that look a little like what a compiler gives', () => {
    const seen: unknown[] = []
    const open = decorator((...options: readonly unknown[]) => {
      seen.push(options)
      return {}
    })
    const given = [
      [{}, { kind: 'method' }],
      [{}, 'get', {}],
      [null, 'get', {}],
      [Route, {}, {}],
      [Route, 'get'],
    ]
    for (const options of given) assert.equal(typeof open(...options), 'function')
    assert.deepEqual(seen, given)
  })

  it('names a decorator whose function has no name', () => {
    const nameless = decorator(() => ({}))
    assertSetupError(
      () => loose(nameless)(class {}, contextOf('class')),
      'DECORATOR_MISUSED',
      'Cannot use a decorator:',
    )
  })

  it('is refused when it stands on a method twice', () => {
    assertSetupError(
      () =>
        class extends Route {
          @mark @log @mark({}) get() {}
        },
      'DECORATOR_REPEATED',
      '@mark on "get"',
    )
  })

  it('is refused on a method and in its contract, and twice in a list', () => {
    class Both extends Route {
      static readonly get = this.contract({ decorators: [mark] })
      @mark({}) get() {}
    }
    class Listed extends Route {
      static readonly decorators = [mark, log, mark]
      get() {}
    }
    class Contracted extends Route {
      static readonly get = this.contract({ decorators: [mark, mark] })
      get() {}
    }
    assertSetupError(() => createUntypedApp({ routes: { Both } }), 'DECORATOR_REPEATED', '@mark on "Both.get"')
    assertSetupError(
      () => createUntypedApp({ routes: { Listed } }),
      'DECORATOR_REPEATED',
      'decorators of the class "Listed"',
    )
    assertSetupError(() => createUntypedApp({ routes: { Contracted } }), 'DECORATOR_REPEATED', '"Contracted.get"')
  })

  it('is refused where a list is none, or holds something else', () => {
    for (const [decorators, ...says] of [
      [mark, 'no array'],
      [[mark, wrapping], 'entry 1 is a function that decorator() has not made'],
      [['log'], 'entry 0 is no decorator'],
    ] as const) {
      class Users extends Route {
        static readonly decorators = decorators
        get() {}
      }
      assertSetupError(() => createUntypedApp({ routes: { Users } }), 'DECORATOR_INVALID', 'the class "Users"', ...says)
    }
  })
})

describe('a decorator that another one hides', () => {
  it('is reported when the app is made, with the way out', () => {
    class Users extends Route {
      @wrapping @log get() {}
    }
    assertSetupError(
      () => createUntypedApp({ routes: { Users } }),
      'DECORATOR_HIDDEN',
      '@log on "Users.get"',
      'Put @log above it',
    )
  })

  it('is reported when it stands between two of ours', () => {
    class Users extends Route {
      @log @wrapping @mark get() {}
    }
    assertSetupError(() => createUntypedApp({ routes: { Users } }), 'DECORATOR_HIDDEN', '@mark on "Users.get"')
  })

  it('is reported of an inherited method, and where a method was replaced after its class was made', () => {
    class Base extends Route {
      @wrapping @log get() {}
    }
    class Heir extends Base {
      override get() {}
    }
    class Patched extends Route {
      @log get() {}
    }
    Patched.prototype.get = () => {}
    assertSetupError(() => createUntypedApp({ routes: { Heir } }), 'DECORATOR_HIDDEN')
    assertSetupError(() => createUntypedApp({ routes: { Patched } }), 'DECORATOR_HIDDEN')
  })

  it('is reported at the first request where the class could not be made before', async () => {
    let isReady = false
    abstract class Fragile extends Route {
      constructor() {
        super()
        if (!isReady) throw new Error('not ready')
      }
    }
    class Users extends Fragile {
      @wrapping @log get() {}
    }
    const { logger, lines } = captureLog()
    const app = createApp({ routes: { Users }, logger })
    isReady = true
    assert.equal((await sendRequest(app, '/users')).status, 500)
    assert.match(String(lines[0]?.fields['err']), /another decorator above it has replaced the method/)
  })

  it('is none where the other leaves the method alone, stands below, or the method is overridden', async () => {
    class Base extends Route {
      @passing @log @wrapping get() {
        return 'base'
      }
    }
    class Heir extends Base {
      override get() {
        return `heir of ${super.get()}`
      }
    }
    const { logger, lines } = captureLog()
    const app = createApp({ routes: { Base, Heir }, logger })
    assert.equal((await sendRequest(app, '/heir')).text, 'heir of base')
    assert.equal((await sendRequest(app, '/base')).text, 'base')
    assert.deepEqual(
      lines.map(({ message }) => message),
      ['GET /base 200'],
    )
  })

  it('is looked for once: later instances are made at no cost', () => {
    let initializer: (this: unknown) => void = () => {}
    class Users extends Route {
      get(_input: Input) {}
    }
    const context = {
      ...contextOf('method'),
      addInitializer: (given: typeof initializer) => void (initializer = given),
    }
    loose(mark)(Users.prototype.get, context)
    initializer.call(new Users())
    initializer.call(null)
  })

  it('is reported of anything that has not got the method', () => {
    let initializer: (this: unknown) => void = () => {}
    const context = {
      ...contextOf('method'),
      addInitializer: (given: typeof initializer) => void (initializer = given),
    }
    loose(mark)(() => {}, context)
    assertSetupError(() => initializer.call(undefined), 'DECORATOR_HIDDEN', '"undefined.get"')
  })
})
