import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, decorator, HttpError, Route, type DecoratorInput, type Input } from 'verbena'
import { log } from 'verbena/decorators'
import { sendRequest, assertSetupError, createUntypedApp } from '#test/apps.js'

const trail: string[] = []

/** Writes down what it sees before and after the method. */
const audit = decorator(function audit(action: string, { loud = false }: { loud?: boolean } = {}) {
  return {
    around(_input, proceed, { route, method, path }) {
      trail.push(`${action}${loud ? '!' : ''}: ${method} ${path} of ${route}`)
      return proceed()
    },
  }
})

/** A decorator without options, told apart from others by its name. */
function named(name: string) {
  return decorator((suffix = '') => ({
    around(_input, proceed) {
      trail.push(name + suffix)
      return proceed()
    },
  }))
}

const [first, second, third, fourth] = [named('1'), named('2'), named('3'), named('4')]

/** What was written down for one request. */
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
  it('works on a method, called, with what it is told of the endpoint', async () => {
    class Users extends Route {
      @audit('list', { loud: true }) get() {}
    }
    assert.deepEqual(await trailOf({ '/v1': { Users } }), ['list!: GET /v1/users of Users'])
  })

  it('works bare and called without options', async () => {
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

  it('puts those of the class around those of the contract, and these around those of the method', async () => {
    class Users extends Route {
      static readonly decorators = [first]
      static readonly get = this.contract({ decorators: [second] })
      @third @fourth get() {}
    }
    assert.deepEqual(await trailOf({ Users }), ['1', '2', '3', '4'])
  })

  it("lets one of the method's own replace that of its class", async () => {
    class Users extends Route {
      static readonly decorators = [first('all'), second]
      static readonly put = this.contract({ decorators: [first('put')] })
      @first('get') get() {}
      put() {}
    }
    assert.deepEqual(await trailOf({ Users }), ['2', '1get'])
    assert.deepEqual(await trailOf({ Users }, 'PUT'), ['2', '1put'])
  })

  it('leaves the method as it is: function, name, length, `this`', async () => {
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

  it('gives what the method returned, synchronous or not, and answers what is returned', async () => {
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

  it('need not call the method, may throw, and may pass on what the method threw', async () => {
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

  it('gives `around` the input of the method', async () => {
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

  it('calls `define` for each use: uses share nothing', async () => {
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

describe('an inherited method', () => {
  it('keeps its decorators; an overriding one starts without', async () => {
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

  it('drops those of the contract when it is overridden below it, and keeps the rest of the contract', async () => {
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

  it('keeps those of the class, until a subclass says others', async () => {
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

describe('what a decorator says', () => {
  it('joins `meta`: the class first, then decorators from without to within, then the contract', async () => {
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
    ['no record', undefined, 'returned no record', '{ around, meta, errors }'],
    ['a promise', Promise.resolve({}), 'returned no record'],
    ['an unknown key', { arround: () => {} }, 'unknown key "arround"', 'Did you mean "around"?'],
    ['a wrong around', { around: 'yes' }, '"around" is not a function'],
    ['a wrong meta', { meta: [] }, '"meta" is not a plain object'],
    ['no list of errors', { errors: 403 }, '"errors" is not a list'],
    ['an error that is no status', { errors: [200] }, '400 to 599'],
  ] as const) {
    it(`is refused: ${about}`, () => {
      // Proof: what the types refuse is what is tested.
      const bad = decorator(function bad() {
        return spec as object
      })
      assertSetupError(() => bad(), 'DECORATOR_INVALID', '@bad', ...says)
    })
  }
})
