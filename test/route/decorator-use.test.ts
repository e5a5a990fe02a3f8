/** Where decorators may be used, and detection of decorators that another decorator hides. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, decorator, Route, type Decorator, type Input } from 'verbena'
import { log } from 'verbena/decorators'
import { sendRequest, assertSetupError, captureLog, createUntypedApp } from '#test/apps.js'

const mark: Decorator<[options?: object]> = decorator(function mark(_options: object = {}) {
  return {}
})

/** A decorator as in other libraries, which replaces the method. */
function wrapping<This, Args extends unknown[], Value>(
  method: (this: This, ...args: Args) => Value,
  _context: ClassMethodDecoratorContext,
): (this: This, ...args: Args) => Value {
  return function wrapper(this: This, ...args: Args): Value {
    return method.apply(this, args)
  }
}

/** A decorator of another library that does not replace the method. */
function passing(_method: object, _context: ClassMethodDecoratorContext): void {}

/** Decorator context, as a compiler passes it. */
function contextOf(kind: string, name: string | symbol | undefined = 'get', isStatic = false): object {
  return { kind, name, static: isStatic, private: false, addInitializer() {} }
}

/** A decorator as a plain function, for calls that the types reject. */
function loose(given: unknown): (...target: readonly unknown[]) => unknown {
  // Proof: every decorator is a function.
  return given as (...target: readonly unknown[]) => unknown
}

describe('decorator(): use', () => {
  it('rejects a method that is not an endpoint, with and without options', () => {
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

  it('rejects a static method', () => {
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

  it('rejects everything except a method', () => {
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

  it('rejects a class, and suggests static decorators', () => {
    assertSetupError(
      () => loose(mark)(class Users extends Route {}, contextOf('class', 'Users')),
      'DECORATOR_MISUSED',
      '"Users" is a class',
      'static readonly decorators',
    )
  })

  it('rejects legacy decorators, and names experimentalDecorators', () => {
    const descriptor = { value() {}, writable: true }
    for (const target of [Route.prototype, Route]) {
      assertSetupError(() => loose(mark)(target, 'get', descriptor), 'DECORATOR_MISUSED', 'experimentalDecorators')
      assertSetupError(() => loose(mark())(target, 'get', descriptor), 'DECORATOR_MISUSED', 'experimentalDecorators')
      assertSetupError(() => loose(mark)(target, Symbol('get'), undefined), 'DECORATOR_MISUSED')
    }
    assertSetupError(() => loose(mark())(Route), 'DECORATOR_MISUSED', 'experimentalDecorators')
  })

  it('names the setting of SWC and the contract, which works with every compiler', () => {
    const anonymous = decorator(() => ({}))
    for (const [use, entry] of [
      [mark, 'mark(…)'],
      [anonymous, '…'],
    ] as const) {
      assertSetupError(
        () => loose(use)(Route.prototype, 'get', undefined),
        'DECORATOR_MISUSED',
        '"decoratorVersion": "2022-03"',
        `"decorators: [${entry}]" in the contract`,
      )
    }
  })

  it('accepts options that resemble the arguments of a compiler', () => {
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

  it('reports a decorator without a name as "a decorator"', () => {
    const nameless = decorator(() => ({}))
    assertSetupError(
      () => loose(nameless)(class {}, contextOf('class')),
      'DECORATOR_MISUSED',
      'Cannot use a decorator:',
    )
  })

  it('rejects a decorator that is used twice on a method', () => {
    assertSetupError(
      () =>
        class extends Route {
          @mark @log @mark({}) get() {}
        },
      'DECORATOR_REPEATED',
      '@mark on "get"',
    )
  })

  it('rejects a decorator on a method and in its contract, and twice in an array', () => {
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

  it('rejects decorators that are not an array, and entries that are not decorators', () => {
    for (const [decorators, ...says] of [
      [mark, 'must be an array'],
      [[mark, wrapping], 'entry 1 is a function that decorator() did not create'],
      [['log'], 'entry 0 is not a decorator'],
    ] as const) {
      class Users extends Route {
        static readonly decorators = decorators
        get() {}
      }
      assertSetupError(() => createUntypedApp({ routes: { Users } }), 'DECORATOR_INVALID', 'the class "Users"', ...says)
    }
  })
})

describe('decorator(): hidden by another decorator', () => {
  it('throws when the app is created, with a fix', () => {
    class Users extends Route {
      @wrapping @log get() {}
    }
    assertSetupError(
      () => createUntypedApp({ routes: { Users } }),
      'DECORATOR_HIDDEN',
      '@log on "Users.get"',
      'Move @log above it',
    )
  })

  it('throws if the other decorator is between two Verbena decorators', () => {
    class Users extends Route {
      @log @wrapping @mark get() {}
    }
    assertSetupError(() => createUntypedApp({ routes: { Users } }), 'DECORATOR_HIDDEN', '@mark on "Users.get"')
  })

  it('throws for an inherited method, and for a method that was replaced after its class was defined', () => {
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

  it('responds 500 at the first request if the trial instance could not be created', async () => {
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
    assert.match(String(lines[0]?.fields['err']), /another decorator above it replaced the method/)
  })

  it('accepts other decorators that do not replace the method or are below, and overridden methods', async () => {
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

  it('checks only the first instance', () => {
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

  it('throws if the instance does not have the method', () => {
    let initializer: (this: unknown) => void = () => {}
    const context = {
      ...contextOf('method'),
      addInitializer: (given: typeof initializer) => void (initializer = given),
    }
    loose(mark)(() => {}, context)
    assertSetupError(() => initializer.call(undefined), 'DECORATOR_HIDDEN', '"undefined.get"')
  })
})
