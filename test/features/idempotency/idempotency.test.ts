/** `idempotency`: requests that run once, stored responses, and rejected requests. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError, bytes, precondition, provide, reply, Route, text } from 'verbena'
import { version } from 'verbena/decorators'
import { idempotency } from 'verbena/idempotency'
import * as z from 'zod'
import { sendRequest, createGate, createUntypedApp } from '#test/apps.js'
import { LeasedStore, paymentRequest, createShop, user } from '#test/idempotency.js'

const DRAFT = 'https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header#section-2.7'

describe('idempotency: retries', () => {
  it('replays the response without calling the method again', async () => {
    const { app, made } = createShop()
    const first = await sendRequest(app, '/payments', paymentRequest(5, '"a"'))
    const again = await sendRequest(app, '/payments', paymentRequest(5, 'a'))
    assert.deepEqual([first.status, first.body, first.headers.get('idempotent-replayed')], [201, { number: 1 }, null])
    assert.deepEqual([again.status, again.text, again.headers.get('idempotent-replayed')], [201, first.text, 'true'])
    assert.equal(again.headers.get('content-type'), 'application/json')
    assert.deepEqual(made, [5])
  })

  it('calls the method for every request without a key', async () => {
    const { app, made } = createShop()
    for (const number of [1, 2]) {
      assert.deepEqual((await sendRequest(app, '/payments', paymentRequest(5, null))).body, { number })
    }
    assert.deepEqual(made, [5, 5])
  })

  it('responds 400 if a required key is missing', async () => {
    const { app, made } = createShop({ required: true })
    const { status, body, headers } = await sendRequest(app, '/payments', paymentRequest(5, null))
    assert.deepEqual([status, Object(body).type], [400, DRAFT])
    assert.equal(headers.get('link'), `<${DRAFT}>; rel="describedby"; type="text/html"`)
    assert.deepEqual(made, [])
    assert.equal((await sendRequest(app, '/payments', paymentRequest(5, '"a"'))).status, 201)
  })

  it('responds 422 if the body, media type, query or path differs from the first request', async () => {
    const { app, made } = createShop()
    assert.equal((await sendRequest(app, '/orders/1', paymentRequest(5, '"a"'))).status, 201)
    const others: readonly (readonly [string, RequestInit])[] = [
      ['/orders/1', paymentRequest(6, '"a"')],
      ['/orders/1?x=1', paymentRequest(5, '"a"')],
      ['/orders/2', paymentRequest(5, '"a"')],
      ['/orders/1', paymentRequest(5, '"a"', { 'content-type': 'application/json; charset=utf-8' })],
      ['/orders/1', { ...paymentRequest(5, '"a"'), body: '{"amount": 5}' }],
      ['/orders/1', { ...paymentRequest(5, '"a"'), body: null }],
    ]
    for (const [target, init] of others) {
      const { status, body, headers } = await sendRequest(app, target, init)
      assert.deepEqual([status, Object(body).type], [422, DRAFT], target)
      assert.match(headers.get('link') ?? '', /rel="describedby"/)
    }
    assert.equal((await sendRequest(app, '/orders/1', paymentRequest(5, '"a"'))).status, 201)
    assert.deepEqual(made, [5])
  })

  it('separates the keys of different endpoints and users', async () => {
    const { app, made } = createShop()
    const ben = { 'x-user': 'ben' }
    for (const [target, headers] of [
      ['/payments', {}],
      ['/orders/1', {}],
      ['/payments', ben],
    ] as const) {
      const { status, headers: fields } = await sendRequest(app, target, paymentRequest(5, '"a"', headers))
      assert.deepEqual([status, fields.get('idempotent-replayed')], [201, null])
    }
    assert.deepEqual(made, [5, 5, 5])
  })

  it('distinguishes user and key pairs that concatenate to the same string', async () => {
    const { app, made } = createShop()
    await sendRequest(app, '/payments', paymentRequest(5, '"b c"', { 'x-user': 'a' }))
    await sendRequest(app, '/payments', paymentRequest(5, '"c"', { 'x-user': 'a b' }))
    await sendRequest(app, '/payments', paymentRequest(5, String.raw`"\",\"c"`, { 'x-user': 'a' }))
    assert.deepEqual(made, [5, 5, 5])
  })

  it('calls the method again after the ttl has expired', async () => {
    const store = new LeasedStore()
    const { app, made } = createShop({ store, ttl: 1000 })
    await sendRequest(app, '/payments', paymentRequest(5, '"a"'))
    store.now = 999
    await sendRequest(app, '/payments', paymentRequest(5, '"a"'))
    assert.deepEqual(made, [5])
    store.now = 1000
    await sendRequest(app, '/payments', paymentRequest(6, '"a"'))
    assert.deepEqual(made, [5, 6])
  })

  it('runs guards before replaying a response', async () => {
    const { app } = createShop({ by: () => 'all' })
    await sendRequest(app, '/payments', paymentRequest(5, '"a"'))
    assert.equal((await sendRequest(app, '/payments', paymentRequest(5, '"a"', { 'x-user': 'nobody' }))).status, 401)
  })

  it('responds 409 while the first request is in progress, and 422 to a different body', async () => {
    const done = createGate()
    const { app, made } = createShop({ pay: () => done.opened.then(() => ({ number: 7 })) })
    const first = sendRequest(app, '/payments', paymentRequest(5, '"a"'))
    const { status, body, headers } = await sendRequest(app, '/payments', paymentRequest(5, '"a"'))
    assert.deepEqual([status, Object(body).type, headers.get('retry-after')], [409, DRAFT, '1'])
    assert.match(headers.get('link') ?? '', /rel="describedby"/)
    assert.equal((await sendRequest(app, '/payments', paymentRequest(6, '"a"'))).status, 422)
    done.open()
    assert.deepEqual((await first).body, { number: 7 })
    assert.deepEqual((await sendRequest(app, '/payments', paymentRequest(5, '"a"'))).body, { number: 7 })
    assert.deepEqual(made, [5])
  })
})

describe('idempotency: stored replies', () => {
  it('replays an HttpError below 500 with a new x-request-id header', async () => {
    const { app, made } = createShop({
      pay: () => {
        throw new HttpError(402, 'No money', { balance: 3 })
      },
    })
    const first = await sendRequest(app, '/payments', paymentRequest(5, '"a"'))
    const again = await sendRequest(app, '/payments', paymentRequest(5, '"a"'))
    assert.deepEqual([first.status, again.status, again.text], [402, 402, first.text])
    assert.equal(Object(again.body).requestId, first.headers.get('x-request-id'))
    assert.match(again.headers.get('x-request-id') ?? '', /^\w{12}$/)
    assert.notEqual(again.headers.get('x-request-id'), first.headers.get('x-request-id'))
    assert.deepEqual(made, [5])
  })

  it('does not store 5xx, 429 or any response with Retry-After', async () => {
    const failures = [
      new Error('broken'),
      new HttpError(503),
      new HttpError(500),
      new HttpError(429),
      new HttpError(409, 'Locked', { headers: { 'retry-after': '3' } }),
    ]
    for (const failure of failures) {
      const { app, made } = createShop({
        pay: () => {
          if (made.length === 1) throw failure
          return { number: made.length }
        },
      })
      assert.notEqual((await sendRequest(app, '/payments', paymentRequest(5, '"a"'))).status, 201)
      // The key is free: for another body, too.
      assert.equal((await sendRequest(app, '/payments', paymentRequest(6, '"a"'))).status, 201, failure.message)
      assert.deepEqual(made, [5, 6])
    }
  })

  it('does not store errors thrown before the method is called', async () => {
    let isOpen = false
    const stock = provide({}, () => {
      if (!isOpen) throw new HttpError(404)
      return 1
    })
    const { app, made } = createShop({ uses: { stock } })
    const wrong = { ...paymentRequest(5, '"a"'), body: '{"amount":"five"}' }
    assert.equal((await sendRequest(app, '/payments', wrong)).status, 422)
    assert.equal((await sendRequest(app, '/payments', { ...wrong, body: '{' })).status, 400)
    assert.equal((await sendRequest(app, '/payments', paymentRequest(5, '"a"'))).status, 404)
    isOpen = true
    assert.equal((await sendRequest(app, '/payments', paymentRequest(5, '"a"'))).status, 201)
    assert.deepEqual(made, [5])
  })

  it('does not store the reply if provider cleanup fails', async () => {
    for (const failure of [new Error('commit failed'), new HttpError(409, 'Somebody was faster')]) {
      let isFailing = true
      const tx = provide({}, async function* () {
        yield 'tx'
        if (isFailing) throw failure
      })
      const { app, made } = createShop({ uses: { tx } })
      const { status } = await sendRequest(app, '/payments', paymentRequest(5, '"a"'))
      assert.equal(status, failure instanceof HttpError ? 409 : 500)
      isFailing = false
      assert.equal((await sendRequest(app, '/payments', paymentRequest(5, '"a"'))).status, 201)
      assert.deepEqual(made, [5, 5])
    }
  })

  it('stores an HttpError even if providers roll back', async () => {
    const ends: string[] = []
    const tx = provide({}, async function* () {
      try {
        yield 'tx'
        ends.push('commit')
      } catch (error) {
        ends.push('rollback')
        throw error
      }
    })
    const { app, made } = createShop({
      uses: { tx },
      pay: () => {
        throw new HttpError(402)
      },
    })
    for (const _ of [1, 2]) assert.equal((await sendRequest(app, '/payments', paymentRequest(5, '"a"'))).status, 402)
    assert.deepEqual([made, ends], [[5], ['rollback']])
  })

  it('stores the headers of the endpoint, except set-cookie, date, connection and x-request-id', async () => {
    const contract = { returns: { 201: z.object({ number: z.number() }) }, status: undefined }
    const { app } = createShop({
      contract,
      pay: ({ response }) => {
        response.header('x-own', 'set')
        response.cookie('session', 'secret')
        const headers = { location: '/payments/1', date: 'Thu, 01 Jan 1970 00:00:00 GMT', connection: 'close' }
        return reply(201, { number: 1 }, { ...headers, 'x-request-id': 'mine' })
      },
    })
    const first = await sendRequest(app, '/payments', paymentRequest(5, '"a"'))
    assert.match(first.headers.get('set-cookie') ?? '', /secret/)
    const { headers } = await sendRequest(app, '/payments', paymentRequest(5, '"a"'))
    assert.deepEqual([headers.get('x-own'), headers.get('location')], ['set', '/payments/1'])
    for (const name of ['set-cookie', 'date', 'connection', 'x-request-id']) assert.equal(headers.get(name), null, name)
  })

  it('applies headers from middleware and guards to every replay', async () => {
    let count = 0
    const limit = provide({ guard: true }, ({ response }) => {
      response.header('ratelimit', `r=${++count}`)
      response.append('vary', 'x-guard')
    })
    const { app, made } = createShop({
      uses: { limit },
      pay: ({ response }) => {
        response.append('vary', 'x-own')
        return { number: 1 }
      },
      middleware: [
        async ({ response }, next) => {
          response.header('x-before', String(count))
          return (await next()).with({ 'x-after': String(count) })
        },
      ],
    })
    const fields = async (): Promise<unknown[]> => {
      const { headers } = await sendRequest(app, '/payments', paymentRequest(5, '"a"'))
      return ['ratelimit', 'x-before', 'x-after', 'vary'].map((name) => headers.get(name))
    }
    assert.deepEqual(await fields(), ['r=1', '0', '1', 'x-guard, x-own'])
    assert.deepEqual(await fields(), ['r=2', '1', '2', 'x-guard, x-own'])
    assert.deepEqual(made, [5])
  })

  it('replays text, bytes and empty bodies unchanged', async () => {
    const answers: readonly (readonly [object, unknown, string, string | null])[] = [
      [{ returns: text(), status: 200 }, 'grün', 'grün', 'text/plain; charset=utf-8'],
      [{ returns: bytes(), status: 200 }, new Uint8Array([0x67, 0x72]), 'gr', 'application/octet-stream'],
      [{ returns: null, status: 204 }, undefined, '', null],
    ]
    for (const [contract, value, sent, type] of answers) {
      const { app, made } = createShop({ contract, pay: () => value })
      const first = await sendRequest(app, '/payments', paymentRequest(5, '"a"'))
      const again = await sendRequest(app, '/payments', paymentRequest(5, '"a"'))
      assert.deepEqual([first.status, first.text], [again.status, again.text])
      assert.deepEqual([again.text, again.headers.get('content-type')], [sent, type])
      assert.deepEqual(made, [5])
    }
  })

  it('passes the original value to middleware on a replay', async () => {
    const seen: unknown[] = []
    const { app } = createShop({
      middleware: [
        async (_context, next) => {
          const answer = await next()
          seen.push(answer.body)
          return answer
        },
      ],
    })
    for (const _ of [1, 2]) await sendRequest(app, '/payments', paymentRequest(5, '"a"'))
    assert.deepEqual(seen, [{ number: 1 }, { number: 1 }])
  })

  it('replays errors in the errorFormat of the app', async () => {
    const errorFormat = { schema: z.object({ wrong: z.string() }), write: () => ({ wrong: 'no money' }) }
    const { app, made } = createShop({
      app: { errorFormat },
      pay: () => {
        throw new HttpError(402)
      },
    })
    for (const _ of [1, 2])
      assert.deepEqual((await sendRequest(app, '/payments', paymentRequest(5, '"a"'))).body, { wrong: 'no money' })
    assert.deepEqual(made, [5])
  })
})

describe('idempotency option by', () => {
  it('responds 500 and logs the reason if by returns anything but a non-empty string', async () => {
    for (const value of [undefined, null, '', 7, {}]) {
      const { app, made, lines } = createShop({ by: () => value })
      const { status, text: body } = await sendRequest(app, '/payments', paymentRequest(5, '"a"'))
      assert.equal(status, 500)
      assert.doesNotMatch(body, /must return a non-empty string/)
      assert.match(String(lines[0]?.fields['err']), /"by" of idempotency\(…\) must return a non-empty string/)
      assert.deepEqual(made, [])
    }
  })

  it('accepts an async function for by, and passes it the services', async () => {
    const made: string[] = []
    const once = idempotency({ by: async (_input, { tenant }: { tenant: string }) => tenant, ttl: 1000 })
    class Notes extends Route {
      static readonly post = this.contract({ idempotency: once, returns: z.number() })
      post() {
        return made.push('note')
      }
    }
    const app = createUntypedApp({ routes: { Notes }, services: { tenant: 'acme' } })
    for (const _ of [1, 2]) {
      const { body } = await sendRequest(app, '/notes', { method: 'POST', headers: { 'idempotency-key': 'a' } })
      assert.equal(body, 1)
    }
    assert.deepEqual(made, ['note'])
  })
})

describe('idempotency: other contract options', () => {
  it('replays a response even if the precondition no longer holds', async () => {
    const doc = { text: 'old', revision: 1 }
    const revision = precondition({}, () => doc.revision, { required: true })
    const once = idempotency({ by: ({ name }) => name, uses: { name: user }, ttl: 1000 })
    class Doc extends Route {
      static readonly put = this.contract({ idempotency: once, uses: { revision }, returns: z.number() })
      put() {
        return ++doc.revision
      }
    }
    const app = createUntypedApp({ routes: { Doc } })
    const put = (key: string) =>
      sendRequest(app, '/doc', { method: 'PUT', headers: { 'if-match': '"1"', 'idempotency-key': key } })
    assert.deepEqual((await put('a')).body, 2)
    assert.deepEqual((await put('a')).body, 2)
    assert.equal((await put('b')).status, 412)
  })

  it('applies CORS and compression to each replay separately', async () => {
    const { app } = createShop({
      app: { cors: { origins: ['https://a.example', 'https://b.example'] }, compression: {} },
      contract: { returns: text(), status: 200 },
      pay: () => 'a'.repeat(5000),
    })
    const from = async (origin: string, coding: string): Promise<unknown[]> => {
      const { headers } = await sendRequest(
        app,
        '/payments',
        paymentRequest(5, '"a"', { origin, 'accept-encoding': coding }),
      )
      return ['access-control-allow-origin', 'content-encoding', 'idempotent-replayed'].map((name) => headers.get(name))
    }
    assert.deepEqual(await from('https://a.example', 'gzip'), ['https://a.example', 'gzip', null])
    assert.deepEqual(await from('https://b.example', 'identity'), ['https://b.example', null, 'true'])
  })

  it('separates the keys of different versions', async () => {
    const made: number[] = []
    const once = idempotency({ by: () => 'all', ttl: 1000 })
    class Notes extends Route {
      static readonly path = '/notes'
      static readonly post = this.contract({ idempotency: once, returns: z.number(), decorators: [version('^1.0.0')] })
      post() {
        return made.push(1)
      }
    }
    class NewNotes extends Route {
      static readonly path = '/notes'
      static readonly post = this.contract({ idempotency: once, returns: z.number(), decorators: [version('^2.0.0')] })
      post() {
        return made.push(2)
      }
    }
    const app = createUntypedApp({ routes: { Notes, NewNotes } })
    for (const asked of ['1.0.0', '2.0.0', '2.1.0']) {
      await sendRequest(app, '/notes', { method: 'POST', headers: { 'idempotency-key': 'a', 'accept-version': asked } })
    }
    assert.deepEqual(made, [1, 2])
  })

  it('sets up and cleans up generator providers for every request, including replays', async () => {
    const log: string[] = []
    const tx = provide({ guard: true }, function* () {
      log.push('begin')
      yield 'tx'
      log.push('end')
    })
    const { app } = createShop({ uses: { tx } })
    for (const _ of [1, 2]) await sendRequest(app, '/payments', paymentRequest(5, '"a"'))
    assert.deepEqual(log, ['begin', 'end', 'begin', 'end'])
  })
})
