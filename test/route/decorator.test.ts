import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, decorator, HttpError, Route, type DecoratorInput, type Input } from 'verbena'
import { log } from 'verbena/decorators'
import { sendRequest, assertSetupError, createUntypedApp } from '#test/apps.js'

const trail: string[] = []

/** Records each call of a method. */
const audit = decorator(function audit(action: string, { loud = false }: { loud?: boolean } = {}) {
  return {
    around(_input, proceed, { route, method, path }) {
      trail.push(`${action}${loud ? '!' : ''}: ${method} ${path} of ${route}`)
      return proceed()
    },
  }
})

/** A decorator that records its name. */
function named(name: string) {
  return decorator((suffix = '') => ({
    around(_input, proceed) {
      trail.push(name + suffix)
      return proceed()
    },
  }))
}

const [first, second, third, fourth] = [named('1'), named('2'), named('3'), named('4')]

/** Sends one request. Returns the entries of its decorators, in order. */
async function trailOf(routes: object, method = 'GET'): Promise<string[]> {
  trail.length = 0
  const app = createUntypedApp({ routes })
  const { status } = await sendRequest(app, app.routes()[0]?.path ?? '', { method })
  assert.ok(status < 300, String(status))
  return [...trail]
}

class Base extends Route {
  @first @second('b') get() {
    return 'base'
  }
}

describe('decorator()', () => {
  it('works on a method with options, and passes the endpoint', async () => {
    class Users extends Route {
      @audit('list', { loud: true }) get() {}
    }
    assert.deepEqual(await trailOf({ '/v1': { Users } }), ['list!: GET /v1/users of Users'])
  })

  it('works without a call, and called without options', async () => {
    class Users extends Route {
      @first @second() @third('c') get() {}
    }
    assert.deepEqual(await trailOf({ Users }), ['1', '2', '3c'])
  })

  it('works in a contract', async () => {
    class Users extends Route {
      static readonly get = this.contract({ decorators: [first, second('b')] })
      get() {}
    }
    assert.deepEqual(await trailOf({ Users }), ['1', '2b'])
  })

  it('works for a whole class', async () => {
    class Users extends Route {
      static readonly decorators = [first, audit('all')]
      post() {}
      delete() {}
    }
    assert.deepEqual(await trailOf({ Users }, 'POST'), ['1', 'all: POST /users of Users'])
    assert.deepEqual(await trailOf({ Users }, 'DELETE'), ['1', 'all: DELETE /users of Users'])
  })

  it('runs decorators in the order class, contract, method', async () => {
    class Users extends Route {
      static readonly decorators = [first]
      static readonly get = this.contract({ decorators: [second] })
      @third @fourth get() {}
    }
    assert.deepEqual(await trailOf({ Users }), ['1', '2', '3', '4'])
  })

  it('replaces a decorator of the class by the same decorator of a method or contract', async () => {
    class Users extends Route {
      static readonly decorators = [first('all'), second]
      static readonly put = this.contract({ decorators: [first('put')] })
      @first('get') get() {}
      put() {}
    }
    assert.deepEqual(await trailOf({ Users }), ['2', '1get'])
    assert.deepEqual(await trailOf({ Users }, 'PUT'), ['2', '1put'])
  })

  it('preserves name, length and `this` of the method', async () => {
    class Users extends Route {
      readonly #secret = 'seen'
      @first @log get(_input: Input) {
        return { secret: this.#secret, stack: new Error('here').stack }
      }
    }
    assert.deepEqual([Users.prototype.get.name, Users.prototype.get.length], ['get', 1])
    const { text } = await sendRequest(createUntypedApp({ routes: { Users } }), '/users')
    assert.match(text, /"secret":"seen"/)
    assert.match(text, /here\\n +at \w+\.get /)
  })

  it('returns the result of the method from proceed(), and sends the result of around', async () => {
    const seen: unknown[] = []
    const watched = decorator(() => ({
      around(input, proceed) {
        const value = proceed()
        seen.push(value instanceof Promise ? 'promise' : value, input.request.method)
        return value instanceof Promise ? value.then((text) => `${text}, changed`) : 'replaced'
      },
    }))
    class Users extends Route {
      static readonly decorators = [watched]
      get() {
        return 'value'
      }
      async put() {
        return 'later'
      }
    }
    const app = createApp({ routes: { Users }, logger: false })
    assert.equal((await sendRequest(app, '/users')).text, 'replaced')
    assert.equal((await sendRequest(app, '/users', { method: 'PUT' })).text, 'later, changed')
    assert.deepEqual(seen, ['value', 'GET', 'promise', 'PUT'])
  })

  it('may skip the method, throw, or pass on an error of the method', async () => {
    const refuse = decorator(() => ({
      around() {
        throw new HttpError(402)
      },
    }))
    const cached = decorator(() => ({ around: () => 'cached' }))
    class Users extends Route {
      @first get(): void {
        throw new HttpError(409)
      }
      @refuse put(): never {
        assert.fail('the method was called')
      }
      @cached post(): never {
        assert.fail('the method was called')
      }
    }
    const app = createApp({ routes: { Users }, logger: false })
    assert.equal((await sendRequest(app, '/users')).status, 409)
    assert.equal((await sendRequest(app, '/users', { method: 'PUT' })).status, 402)
    assert.equal((await sendRequest(app, '/users', { method: 'POST' })).text, 'cached')
  })

  it('passes the input of the method to `around`', async () => {
    const inputs: DecoratorInput[] = []
    const keep = decorator(() => ({
      around(input, proceed) {
        inputs.push(input)
        return proceed()
      },
    }))
    class Users extends Route {
      static readonly path = '/users/{id}'
      @keep get(input: Input) {
        assert.equal(inputs[0], input)
      }
    }
    await sendRequest(createApp({ routes: { Users }, logger: false }), '/users/7?a=1')
    assert.equal(JSON.stringify([inputs[0]?.params, inputs[0]?.query]), '[{"id":"7"},{"a":"1"}]')
  })

  it('calls `define` separately for each use', async () => {
    let count = 0
    const counted = decorator(() => {
      const id = ++count
      return {
        around(_input, proceed) {
          trail.push(`use ${id}`)
          return proceed()
        },
      }
    })
    class Users extends Route {
      @counted get() {}
      @counted() put() {}
    }
    const seen = [...(await trailOf({ Users })), ...(await trailOf({ Users }, 'PUT'))]
    assert.deepEqual(seen.toSorted(), ['use 1', 'use 2'])
  })
})

describe('decorator(): inheritance', () => {
  it('keeps decorators of an inherited method, but not of an overridden method', async () => {
    class Heir extends Base {}
    class Rebel extends Base {
      override get() {
        return super.get()
      }
    }
    class Reformer extends Base {
      @third override get() {
        return 'new'
      }
    }
    assert.deepEqual(await trailOf({ Heir }), ['1', '2b'])
    assert.deepEqual(await trailOf({ Rebel }), [])
    assert.deepEqual(await trailOf({ Reformer }), ['3'])
  })

  it('ignores decorators of an inherited contract if the method is overridden, and keeps the contract', async () => {
    class Contracted extends Route {
      static readonly get = this.contract({ status: 202, decorators: [first] })
      get() {
        return 'base'
      }
    }
    class Heir extends Contracted {}
    class Rebel extends Contracted {
      override get() {
        return 'own'
      }
    }
    class Again extends Contracted {
      static override readonly get = this.contract({ status: 202, decorators: [second] })
    }
    assert.deepEqual(await trailOf({ Heir }), ['1'])
    assert.deepEqual(await trailOf({ Rebel }), [])
    assert.equal((await sendRequest(createUntypedApp({ routes: { Rebel } }), '/rebel')).status, 202)
    assert.deepEqual(await trailOf({ Again }), ['2'])
  })

  it('inherits decorators of a class, unless a subclass redeclares them', async () => {
    class Watched extends Route {
      static readonly decorators: readonly unknown[] = [first]
      get() {}
    }
    class Heir extends Watched {
      override get() {}
    }
    class Own extends Watched {
      static override readonly decorators = [second]
    }
    assert.deepEqual(await trailOf({ Heir }), ['1'])
    assert.deepEqual(await trailOf({ Own }), ['2'])
  })
})

describe('decorator(): spec', () => {
  it('merges `meta` in the order class, decorators from outermost to innermost, contract', async () => {
    const marked = decorator((meta: object) => ({ meta }))
    const again = decorator((meta: object) => ({ meta }))
    class Users extends Route {
      static readonly meta = { a: 'class', b: 'class', c: 'class', owner: 'class' }
      static readonly get = this.contract({ meta: { owner: 'contract' } })
      @marked({ b: 'outer', c: 'outer', owner: 'outer' }) @again({ c: 'inner' }) get() {}
    }
    const seen: unknown[] = []
    const app = createApp({
      routes: { Users },
      middleware: [
        (context, next) => {
          seen.push(context.endpoint?.meta)
          return next()
        },
      ],
      logger: false,
    })
    await sendRequest(app, '/users')
    assert.deepEqual(seen, [{ a: 'class', b: 'outer', c: 'inner', owner: 'contract' }])
  })

  for (const [about, spec, ...says] of [
    ['a spec that is undefined', undefined, 'must return an object', '{ around, meta, errors }'],
    ['a spec that is a promise', Promise.resolve({}), 'must return an object'],
    ['an unknown key', { arround: () => {} }, '"arround" of @bad: it is unknown', 'Did you mean "around"?'],
    ['around that is a string', { around: 'yes' }, '"around" of @bad: it must be a function'],
    ['meta that is an array', { meta: [] }, '"meta" of @bad: it must be a plain object'],
    ['errors that are a number', { errors: 403 }, '"errors" of @bad: it must be an array'],
    ['an error status of 200', { errors: [200] }, '400 to 599'],
  ] as const) {
    it(`rejects ${about}`, () => {
      // Proof: the test passes a value that the types reject.
      const bad = decorator(function bad() {
        return spec as object
      })
      assertSetupError(() => bad(), 'DECORATOR_INVALID', '@bad', ...says)
    })
  }
})
