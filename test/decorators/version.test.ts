import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, Route } from 'verbena'
import { log, version } from 'verbena/decorators'
import { sendRequest, assertSetupError, captureLog, createUntypedApp } from '#test/apps.js'

/** The version that answers a request for another. */
async function used(routes: object, asked: string): Promise<[status: number, used: string | null]> {
  const app = createUntypedApp({ version: '1.0.0', routes })
  const { status, headers } = await sendRequest(app, '/home', { headers: { 'accept-version': asked } })
  return [status, headers.get('api-version')]
}

describe('@version', () => {
  it('works on a method, in a contract and for a class alike', async () => {
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

  it('of a method counts more than that of its class', async () => {
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

  it('is inherited with the method, and dropped by one that overrides it', async () => {
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

  it('goes with @log, in any order', async () => {
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

  it('refuses what is no constraint, where it stands', () => {
    assertSetupError(() => version('1.2.0-beta'), 'VERSION_CONSTRAINT', 'clients cannot ask for. Write "1.2.0"')
    assertSetupError(() => version('>2 <1'), 'VERSION_CONSTRAINT', 'no version satisfies it')
  })

  it('refuses to be used without one', () => {
    // Proof: what a plain JavaScript project may write.
    const bare = version as unknown as (method: object, context: object) => void
    const context = { kind: 'method', name: 'get', static: false, addInitializer() {} }
    assertSetupError(() => bare(() => {}, context), 'VERSION_CONSTRAINT', '"undefined" is no version')
  })
})
