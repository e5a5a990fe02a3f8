/** Idempotency in apps of all kinds: groups and mounts, classes below others, error mappers, servers of one's own. */
import assert from 'node:assert/strict'
import { once as event } from 'node:events'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import { group, HttpError, provide, reply, Route, type App, type Input } from 'verbena'
import { idempotency } from 'verbena/idempotency'
import { session } from 'verbena/session'
import * as z from 'zod'
import { sendRequest, createUntypedApp } from '#test/apps.js'
import { paymentRequest, createShop } from '#test/idempotency.js'

/** A class that counts, and an app of it. */
function counting() {
  const made: string[] = []
  const once = idempotency({ by: () => 'all', ttl: 1000 })
  class Notes extends Route {
    static readonly post = this.contract({ idempotency: once, returns: z.number() })
    post({ request }: Input<typeof Notes.post>) {
      return made.push(request.path)
    }
  }
  return { made, Notes }
}

const KEYED = { method: 'POST', headers: { 'idempotency-key': 'a' } }

describe('idempotency: classes', () => {
  it('separates the keys of a class at each of its mounts', async () => {
    const { made, Notes } = counting()
    const app = createUntypedApp({ routes: { '/v1': { Notes }, '/v2': group({ routes: { Notes } }) } })
    for (const path of ['/v1/notes', '/v2/notes', '/v1/notes', '/v2/notes']) await sendRequest(app, path, KEYED)
    assert.deepEqual(made, ['/v1/notes', '/v2/notes'])
  })

  it('checks the key after the guards of the groups, the class and the contract', async () => {
    const ran: string[] = []
    const guard = (name: string) =>
      provide({ guard: true }, () => {
        ran.push(name)
        return name
      })
    const once = idempotency({ by: ({ own }) => own, uses: { own: guard('by') }, ttl: 1000 })
    class Notes extends Route {
      static readonly uses = { ofClass: guard('class') }
      static readonly post = this.contract({
        idempotency: once,
        uses: { ofContract: guard('contract') },
        returns: z.string(),
      })
      post({ ofClass, ofContract }: Input<typeof Notes.post>) {
        ran.push('method')
        return ofClass + ofContract
      }
    }
    const app = createUntypedApp({ routes: { '/v1': group({ uses: { ofGroup: guard('group') }, routes: { Notes } }) } })
    assert.equal((await sendRequest(app, '/v1/notes', KEYED)).body, 'classcontract')
    assert.deepEqual(ran.splice(0), ['group', 'class', 'contract', 'by', 'method'])
    await sendRequest(app, '/v1/notes', KEYED)
    assert.deepEqual(ran, ['group', 'class', 'contract', 'by'])
  })

  it('replays responses in a subclass that inherits the contract', async () => {
    const { made, Notes } = counting()
    class Memos extends Notes {}
    const app = createUntypedApp({ routes: { Memos } })
    for (const _ of [1, 2]) assert.equal((await sendRequest(app, '/memos', KEYED)).body, 1)
    assert.deepEqual(made, ['/memos'])
  })
})

describe('idempotency: sessions', () => {
  it('sends the session cookie only in the first response, and separates keys by signed-in user', async () => {
    const visitor = session({ keys: ['a text of 32 bytes that nobody knows'] })
    const by = ({ visitor: { value = 'nobody' } }: { visitor: { value: string | undefined } }): string => value
    const once = idempotency({ by, uses: { visitor }, ttl: 1000 })
    const made: string[] = []
    class Names extends Route {
      static readonly post = this.contract({ idempotency: once, uses: { visitor }, returns: z.number() })
      post({ visitor: own }: Input<typeof Names.post>) {
        const number = made.push(own.value ?? 'nobody')
        own.start(`user ${number}`)
        return number
      }
    }
    const app = createUntypedApp({ routes: { Names } })
    const first = await sendRequest(app, '/names', KEYED)
    const again = await sendRequest(app, '/names', KEYED)
    assert.deepEqual([again.body, again.headers.get('idempotent-replayed')], [1, 'true'])
    assert.deepEqual([first.headers.getSetCookie().length, again.headers.getSetCookie().length], [1, 0])
    const [cookie = ''] = first.headers.getSetCookie()[0]?.split(';') ?? []
    await sendRequest(app, '/names', { method: 'POST', headers: { ...KEYED.headers, cookie } })
    assert.deepEqual(made, ['nobody', 'user 1'])
  })
})

describe('idempotency: errors', () => {
  it('stores the error that mapError returns if it is below 500', async () => {
    class NoMoney extends Error {}
    const mapError = (error: unknown): HttpError | undefined =>
      error instanceof NoMoney ? new HttpError(402) : undefined
    const { app, made } = createShop({
      app: { mapError },
      pay: () => {
        throw new NoMoney()
      },
    })
    for (const _ of [1, 2]) assert.equal((await sendRequest(app, '/payments', paymentRequest(5, 'a'))).status, 402)
    assert.deepEqual(made, [5])
  })

  it('stores an error status of "returns", except 5xx', async () => {
    for (const [status, times] of [
      [409, 1],
      [503, 2],
    ] as const) {
      const { app, made } = createShop({
        contract: { returns: { 201: z.object({ number: z.number() }), [status]: z.string() }, status: undefined },
        pay: () => reply(status, 'no'),
      })
      for (const _ of [1, 2]) assert.equal((await sendRequest(app, '/payments', paymentRequest(5, 'a'))).body, 'no')
      assert.equal(made.length, times)
    }
  })

  it('does not store a response that violates its contract', async () => {
    const { app, made } = createShop({ pay: () => (made.length === 1 ? { nmber: 1 } : { number: 2 }) })
    assert.equal((await sendRequest(app, '/payments', paymentRequest(5, 'a'))).status, 500)
    assert.equal((await sendRequest(app, '/payments', paymentRequest(5, 'a'))).status, 201)
    assert.deepEqual(made, [5, 5])
  })
})

describe('idempotency: custom servers', () => {
  const ways: Readonly<Record<string, (app: App, server: ReturnType<typeof createServer>) => unknown>> = {
    attach: (app, server) => app.attach(server),
    handler: (app, server) => server.on('request', app.handler),
  }
  for (const [name, use] of Object.entries(ways)) {
    it(`replays responses with app.${name}`, async () => {
      const { app, made } = createShop()
      const server = createServer()
      await use(app, server)
      server.listen(0, '127.0.0.1')
      await event(server, 'listening')
      const address = server.address()
      assert.ok(typeof address === 'object' && address !== null)
      const pay = () => fetch(`http://127.0.0.1:${address.port}/payments`, paymentRequest(5, '"a"'))
      for (const _ of [1, 2]) assert.equal((await pay()).status, 201)
      assert.deepEqual(made, [5])
      await app.close()
      server.closeAllConnections()
      server.close()
    })
  }
})
