import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, Route } from 'verbena'
import { log, version } from 'verbena/decorators'
import { sendRequest, assertSetupError, captureLog, createUntypedApp } from '#test/apps.js'

/** Returns the status and the `api-version` header of a request for a version. */
async function used(routes: object, asked: string): Promise<[status: number, used: string | null]> {
  const app = createUntypedApp({ version: '1.0.0', routes })
  const { status, headers } = await sendRequest(app, '/home', { headers: { 'accept-version': asked } })
  return [status, headers.get('api-version')]
}

describe('@version', () => {
  it('restricts a method, a contract or a class', async () => {
    class OnMethod extends Route {
      static readonly path = '/home'
      @version('>=1.2.0')
      async get() {}
    }
    class InContract extends Route {
      static readonly path = '/home'
      static readonly get = this.contract({ decorators: [version('>=1.2.0')] })
      async get() {}
    }
    class ForClass extends Route {
      static readonly path = '/home'
      static readonly decorators = [version('>=1.2.0')]
      async get() {}
    }
    for (const Home of [OnMethod, InContract, ForClass]) {
      assert.deepEqual(await used({ Home }, '1.3'), [204, '1.3.0'], Home.name)
      assert.deepEqual(await used({ Home }, '1.1'), [406, null], Home.name)
    }
  })

  it('prefers the constraint of a method to the constraint of its class', async () => {
    class Home extends Route {
      static readonly decorators = [version('1.x')]
      @version('2.x')
      async get() {}
      async post() {}
    }
    assert.deepEqual(await used({ Home }, '2.3'), [204, '2.3.0'])
    assert.deepEqual(await used({ Home }, '1.3'), [406, null])
    assert.deepEqual(
      createUntypedApp({ version: '1.0.0', routes: { Home } })
        .routes()
        .map((described) => described.version),
      ['2.x', '1.x'],
    )
  })

  it('is inherited with the method, but not by an overriding method', async () => {
    class Base extends Route {
      static readonly path = '/home'
      @version('1.x')
      async get() {}
    }
    class Inherits extends Base {}
    class Overrides extends Base {
      override async get() {}
    }
    assert.deepEqual(await used({ Inherits }, '2'), [406, null])
    assert.deepEqual(await used({ Overrides }, '2'), [204, null])
  })

  it('can be combined with @log in any order', async () => {
    class Home extends Route {
      @log
      @version('1.x')
      async get() {}
      @version('1.x')
      @log
      async post() {}
    }
    const { logger, lines } = captureLog()
    const app = createApp({ version: '1.0.0', routes: { Home }, logger })
    for (const method of ['GET', 'POST']) {
      const got = await sendRequest(app, '/home', { method, headers: { 'accept-version': '1.7' } })
      assert.equal(got.headers.get('api-version'), '1.7.0')
    }
    assert.deepEqual(
      lines.map(({ fields }) => fields['version']),
      ['1.7.0', '1.7.0'],
    )
  })

  it('throws for an invalid constraint when the decorator is created', () => {
    assertSetupError(() => version('1.2.0-beta'), 'VERSION_CONSTRAINT', 'clients cannot request. Write "1.2.0"')
    assertSetupError(() => version('>2 <1'), 'VERSION_CONSTRAINT', 'no version satisfies it')
  })

  it('throws without a constraint', () => {
    // Proof: plain JavaScript can omit the argument.
    const bare = version as unknown as (method: object, context: object) => void
    const context = { kind: 'method', name: 'get', static: false, addInitializer() {} }
    assertSetupError(() => bare(() => {}, context), 'VERSION_CONSTRAINT', '"undefined" is not a version')
  })
})
