/** Names on `this` that are neither services nor members. TypeScript rejects them, so tests read them through `bare`. */
import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { describe, it } from 'node:test'
import { runInThisContext } from 'node:vm'
import { createApp, Route } from 'verbena'
import { invoke } from 'verbena/testing'
import { sendRequest, captureLog, createUntypedApp } from '#test/apps.js'

/** Removes the types, as in a JavaScript project. */
// oxlint-disable-next-line no-explicit-any -- see above
function bare(route: object): any {
  return route
}

async function errorOf(routes: object, services: object = { db: 1, mailer: 2 }): Promise<unknown> {
  const { logger, lines } = captureLog()
  const { status } = await sendRequest(createUntypedApp({ routes, services, logger }), '/orders')
  assert.equal(status, 500)
  assert.equal(lines.length, 1)
  return lines[0]?.fields['err']
}

async function textOf(routes: object, services?: object): Promise<string> {
  const error = await errorOf(routes, services)
  assert.ok(error instanceof Error)
  return error.message
}

const UNKNOWN = 'it is neither a service nor a member of the class.'
const GIVE = 'Add it to "services"; the app has the services db, mailer'

describe('unknown names on this', () => {
  it('throws an error with class, method, name and services', async () => {
    class Orders extends Route {
      get() {
        return bare(this).clock.now()
      }
    }
    assert.equal(await textOf({ Orders }), `Cannot read "clock" in "Orders.get": ${UNKNOWN} ${GIVE}`)
    assert.equal(
      await textOf({ Orders }, {}),
      `Cannot read "clock" in "Orders.get": ${UNKNOWN} Add it to "services"; the app has no services`,
    )
  })

  it('uses the name of the route, and suggests a similar name', async () => {
    class a extends Route {
      async get() {
        await Promise.resolve()
        return [1].map(() => this.total())
      }
      total() {
        return bare(this).mailr.x
      }
    }
    const said = `Cannot read "mailr" in "Orders.total": ${UNKNOWN} Did you mean "mailer"? ${GIVE}`
    assert.equal(await textOf({ Orders: a }), said)
  })

  it('throws in constructors and fields', async () => {
    class Orders extends Route {
      now = bare(this).clock
      get() {}
    }
    const said = `Cannot read "clock" in "Orders": ${UNKNOWN} ${GIVE}`
    assert.equal(await textOf({ Orders }), said)
    class Built extends Route {
      constructor() {
        super()
        void bare(this).clock
      }
      get() {}
    }
    assert.equal(await textOf({ Orders: Built }), said)
  })

  it('starts the stack at the line that reads the name', async () => {
    class Orders extends Route {
      get() {
        return bare(this).clock
      }
    }
    const error = await errorOf({ Orders })
    assert.match(String(Object(error).stack), /^Error: Cannot read .*\n +at Orders\.get \(.*unknown-names\.test\.ts/)
  })

  it('throws in invoke(), with the services passed to it', async () => {
    class Orders extends Route {
      get() {
        return bare(this).clock
      }
    }
    const call: unknown = invoke
    // Proof: `invoke` requires the services of the class by type, but `bare` has removed its types.
    const loose = call as (route: object, verb: string, parts: object) => Promise<unknown>
    await assert.rejects(
      async () => loose(Orders, 'get', { services: { db: 1 } }),
      /"clock" in "Orders\.get".*services db$/,
    )
  })
})

describe('known names on this', () => {
  it('allows assigned, declared and inherited names', async () => {
    class Base extends Route {
      helper() {
        return 1
      }
    }
    class Orders extends Base {
      declared = undefined
      get() {
        bare(this).assigned = 2
        const found = [this.declared ?? null, bare(this).assigned, this.helper(), bare(this).db]
        return [
          ...found,
          this.hasOwnProperty('db'),
          'clock' in this,
          this instanceof Object,
          this.constructor === Orders,
        ]
      }
    }
    const { body } = await sendRequest(createUntypedApp({ routes: { Orders }, services: { db: 3 } }), '/orders')
    assert.deepEqual(body, [null, 2, 1, 3, false, false, true, true])
  })

  it('allows names that JavaScript reads, such as then and toJSON', async () => {
    class Orders extends Route {
      async get() {
        const same = await this
        return [same === this, JSON.stringify(this), bare(this)[Symbol.iterator] === undefined, `${this}`]
      }
    }
    const { body } = await sendRequest(createUntypedApp({ routes: { Orders } }), '/orders')
    assert.deepEqual(body, [true, '{}', true, '[object Object]'])
  })

  it('allows names that Node or a library reads', async () => {
    const filename = '/app/node_modules/library/index.js'
    const looks: (value: object) => unknown = runInThisContext('(value) => value.asymmetricMatch', { filename })
    class Orders extends Route {
      get() {
        return [inspect(this), looks(this) === undefined]
      }
    }
    const { body } = await sendRequest(createUntypedApp({ routes: { Orders } }), '/orders')
    assert.deepEqual(body, ['Orders {}', true])
  })

  it('allows any name on an instance that was not created by an app', () => {
    class Orders extends Route {
      get() {
        return bare(this).clock
      }
    }
    createApp({ routes: { Orders } })
    assert.equal(new Orders().get(), undefined)
    assert.equal(bare(Orders.prototype).clock, undefined)
  })
})
