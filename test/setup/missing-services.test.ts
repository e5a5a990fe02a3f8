/** Services that read other services: order, missing names, and names that can be read without an error. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { provide, Route, service, SetupError } from 'verbena'
import { sendRequest, captureLog, createUntypedApp } from '#test/apps.js'

interface Repo {
  readonly name: string
}
const repo = service(() => ({ name: 'repo' }))
const orders = service(({ repo: { name } }: { repo: Repo }) => `orders of ${name}`)

class Home extends Route {
  get() {
    return 'home'
  }
}

/** The setup error that `app.start()` rejects with. */
async function startError(services: object): Promise<SetupError> {
  const app = createUntypedApp({ routes: { Home }, services })
  const error: unknown = await app.start().catch((reason: unknown) => reason)
  assert.ok(error instanceof SetupError, inspect(error))
  return error
}

describe('service(): a name that create reads', () => {
  it('returns services that are listed before', async () => {
    const app = createUntypedApp({ routes: { Home }, services: { repo, orders } })
    await app.start()
    assert.equal(Object(app.services).orders, 'orders of repo')
  })

  it('throws a setup error that names the order, if the service is listed later', async () => {
    const { code, message, stack } = await startError({ orders, repo })
    const state = 'it reads "repo", which is created later. Put "repo" before "orders" in "services"'
    assert.deepEqual([code, message], ['SERVICE_MISSING', `Cannot create the service "orders": ${state}`])
    assert.match(String(stack).split('\n')[1] ?? '', /missing-services\.test/)
  })

  it('throws a setup error that names the missing service, and a similar name', async () => {
    const { code, message } = await startError({ clock: Date, orders })
    assert.equal(code, 'SERVICE_MISSING')
    const what = 'Cannot create the service "orders": it reads "repo", which is not in "services".'
    assert.equal(message, `${what} Add "repo" before "orders"`)
    assert.equal(
      (await startError({ rebo: 1, orders })).message,
      `${what} Did you mean "rebo"? Add "repo" before "orders"`,
    )
  })

  it('throws if a service reads itself, or another name after an await', async () => {
    const own = service((made: { own: unknown }) => made.own)
    assert.match((await startError({ own })).message, /it reads "own", which does not exist yet\. Remove "own"/)
    const late = service(async (made: { repo: Repo }) => {
      await Promise.resolve()
      return made.repo.name
    })
    assert.match((await startError({ late, repo })).message, /"late": it reads "repo", which is created later/)
  })

  it('closes the services that were created before, and starts again', async () => {
    const events: string[] = []
    const first = service(() => events.push('created'), { close: () => events.push('closed') })
    const app = createUntypedApp({ routes: { Home }, services: { first, orders, repo } })
    await assert.rejects(app.start(), { code: 'SERVICE_MISSING' })
    await assert.rejects(app.start(), { code: 'SERVICE_MISSING' })
    assert.deepEqual(events, ['created', 'closed', 'created', 'closed'])
  })

  it('allows to test for a name, to print, copy, serialize and await the services', async () => {
    let seen: unknown
    const curious = service(async (made: Record<string, unknown>) => {
      const { ...copy } = made
      seen = ['missing' in made, copy, JSON.stringify(made), Object.keys(made), String(made), (await made) === made]
      return inspect(made)
    })
    await createUntypedApp({ routes: { Home }, services: { limit: 5, curious } }).start()
    assert.deepEqual(seen, [false, { limit: 5 }, '{"limit":5}', ['limit'], '[object Object]', true])
  })
})

describe('provide(): a service that is missing', () => {
  for (const devConsole of [false, true]) {
    it(`throws an error with the missing name, ${devConsole ? 'also with the console' : 'without the console'}`, async () => {
      const { logger, lines } = captureLog()
      const total = provide({}, (_input, { mailr }: { mailr: Repo }) => mailr.name)
      class Orders extends Route {
        static readonly uses = { total }
        get() {
          return 'orders'
        }
      }
      const services = { mailer: 1, none: undefined }
      await using app = createUntypedApp({ routes: { Orders }, services, logger, devConsole, signals: false })
      if (devConsole) await app.listen()
      const { status } = await sendRequest(app, '/orders')
      const error = lines.find(({ level }) => level === 'error')?.fields['err']
      assert.equal(status, 500)
      const state = 'it is not in "services". Did you mean "mailer"? Add it; the app has the services mailer, none'
      assert.equal(Object(error).message, `Cannot read the service "mailr" in a provider: ${state}`)
    })
  }

  it('throws an error that says that the app has no services', async () => {
    const { logger, lines } = captureLog()
    const total = provide({}, (_input, { repo: { name } }: { repo: Repo }) => name)
    class Orders extends Route {
      static readonly uses = { total }
      get() {
        return 'orders'
      }
    }
    assert.equal((await sendRequest(createUntypedApp({ routes: { Orders }, logger }), '/orders')).status, 500)
    assert.match(String(lines[0]?.fields['err']), /"repo" in a provider: .* Add it; the app has no services/)
  })
})
