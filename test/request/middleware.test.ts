import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { group, HttpError, reply, Route, type App, type Middleware, type Reply } from 'verbena'
import { sendRequest, json, captureLog, createUntypedApp } from '#test/apps.js'
import * as z from 'zod'

/** Notes its name on the way in and on the way out. */
const noting =
  (name: string, order: string[]): Middleware =>
  async (_context, next) => {
    order.push(`>${name}`)
    const answer = await next()
    order.push(`${answer.status}<${name}`)
    return answer.with({ [`x-${name}`]: String(answer.status) })
  }

const EVERY = ['app', 'outer', 'inner', 'class']

function onion(order: string[]): App {
  class Item extends Route {
    static readonly path = '/items/{id}'
    static readonly middleware = [noting('class', order)]
    static readonly post = this.contract({ body: z.object({ n: z.number() }), returns: z.object({ n: z.number() }) })
    get({ params }: { params: Record<string, string> }) {
      order.push('handler')
      if (params['id'] === 'broken') throw new Error('secret')
      return { id: params['id'] }
    }
    post({ body }: { body: { n: number } }) {
      return body
    }
  }
  class Rest extends Route {
    static readonly path = '/rest/{rest...}'
    get() {}
  }
  const inner = group({ middleware: [noting('inner', order)], routes: { Item, Rest } })
  const outer = group({ middleware: [noting('outer', order)], routes: { inner } })
  return createUntypedApp({ routes: { outer }, middleware: [noting('app', order)] })
}

type Wrapped = readonly [about: string, target: string, init: RequestInit, status: number, by: readonly string[]]

const WRAPPED: readonly Wrapped[] = [
  ['200', '/items/7', {}, 200, EVERY],
  ['HEAD', '/items/7', { method: 'HEAD' }, 200, EVERY],
  ['404', '/none', {}, 404, ['app']],
  ['400 of the target', '/%zz', {}, 400, ['app']],
  ['400 of a wildcard of the matched path', '/rest/a%2Fb', {}, 400, ['app', 'outer', 'inner']],
  ['501', '/items/7', { method: 'PROPFIND' }, 501, ['app']],
  ['405', '/items/7', { method: 'PUT' }, 405, EVERY],
  ['OPTIONS', '/items/7', { method: 'OPTIONS' }, 204, EVERY],
  ['406', '/items/7', { ...json({ n: 1 }), headers: { accept: 'text/html' } }, 406, EVERY],
  ['415', '/items/7', { method: 'POST', body: 'n=1' }, 415, EVERY],
  ['400 of the body', '/items/7', { ...json(0), body: '{' }, 400, EVERY],
  ['422', '/items/7', json({ n: 'one' }), 422, EVERY],
  ['500', '/items/broken', {}, 500, EVERY],
]

describe('middleware order', () => {
  it('runs middleware of app, outer group, inner group and class before the handler, and in reverse after it', async () => {
    const order: string[] = []
    await sendRequest(onion(order), '/items/7')
    const ways = [
      ['>app', '>outer', '>inner', '>class'],
      ['handler'],
      ['200<class', '200<inner', '200<outer', '200<app'],
    ]
    assert.deepEqual(order, ways.flat())
  })

  for (const [about, target, init, status, by] of WRAPPED) {
    it(`runs middleware around ${about}`, async () => {
      const answer = await sendRequest(onion([]), target, init)
      const seen = EVERY.filter((name) => answer.headers.get(`x-${name}`) === String(status))
      assert.deepEqual([answer.status, seen], [status, by])
    })
  }

  it('does not run middleware of a group for routes outside it', async () => {
    const order: string[] = []
    class A extends Route {
      get() {}
    }
    class B extends Route {
      get() {}
    }
    const app = createUntypedApp({ routes: { A: A, s: group({ middleware: [noting('b', order)], routes: { B } }) } })
    await sendRequest(app, '/a')
    assert.deepEqual(order, [])
  })
})

class Home extends Route {
  static readonly path = '/'
  get({ request }: { request: { url: string } }) {
    if (request.url === '/?throw') throw new Error('secret')
    if (request.url === '/?http') throw new HttpError(409, 'Taken', { headers: { 'x-thrown': '1' }, by: 'Ada' })
    return { hello: 'world' }
  }
}

const around = (middleware: readonly Middleware[], options: object = {}): App =>
  createUntypedApp({ routes: { Home }, middleware, ...options })

describe('next()', () => {
  it('resolves with a reply that contains the thrown error and the problem', async () => {
    const seen: Reply[] = []
    const see: Middleware = async (_context, next) => {
      const answer = await next()
      seen.push(answer)
      return answer
    }
    for (const target of ['/?throw', '/?http', '/none', '/']) await sendRequest(around([see]), target)
    assert.deepEqual(
      seen.map(({ status, error }) => [status, error instanceof Error && error.constructor.name]),
      [
        [500, 'Error'],
        [409, 'HttpError'],
        [404, 'HttpError'],
        [200, false],
      ],
    )
    assert.equal(Object(seen[1]?.body)['by'], 'Ada')
    assert.equal(seen[1]?.headers.get('x-thrown'), '1')
    assert.deepEqual(seen[3]?.body, { hello: 'world' })
  })

  it('rejects if it is called twice, and responds 500 unless the error is caught', async () => {
    const { logger, lines } = captureLog()
    const twice: Middleware = async (_context, next) => {
      await next()
      return next()
    }
    assert.equal((await sendRequest(around([twice], { logger }), '/')).status, 500)
    assert.match(String(lines[0]?.fields['err']), /already called/)
    const careful: Middleware = async (_context, next) => {
      const answer = await next()
      await assert.rejects(next(), /Store its reply/)
      return answer
    }
    assert.equal((await sendRequest(around([careful]), '/')).status, 200)
  })

  it('calls the handler once even if it is called twice', async () => {
    let calls = 0
    class Counting extends Route {
      get() {
        calls++
      }
    }
    const twice: Middleware = async (_context, next) => {
      await Promise.allSettled([next(), next()])
      return reply(200)
    }
    await sendRequest(createUntypedApp({ routes: { Counting }, middleware: [twice] }), '/counting')
    assert.equal(calls, 1)
  })

  it('resolves with the projected value before it is serialized', async () => {
    class Users extends Route {
      static readonly get = this.contract({ returns: z.looseObject({ id: z.string() }) })
      get() {
        return { id: '7', passwordHash: 'x' }
      }
    }
    const see: Middleware = async (_context, next) => {
      const answer = await next()
      return answer.with({ 'x-body': JSON.stringify(answer.body) })
    }
    class Strict extends Users {
      static override readonly get = this.contract({ returns: z.object({ id: z.string() }) })
    }
    const { headers, text } = await sendRequest(createUntypedApp({ routes: { Strict }, middleware: [see] }), '/strict')
    assert.deepEqual([headers.get('x-body'), text], ['{"id":"7"}', '{"id":"7"}'])
  })
})

type Misused = readonly [
  about: string,
  middleware: (context: never, next: () => Promise<Reply>) => unknown,
  says: RegExp,
]

const MISUSED: readonly Misused[] = [
  ['returns nothing', () => undefined, /must be a reply. Return the reply of "next\(\)"/],
  ['forgets to return the reply', async (_context, next) => void (await next()), /must be a reply/],
  ['returns a plain object', async () => ({ status: 200, body: 'x', headers: new Map() }), /must be a reply/],
  ['returns a web response', async () => new Response('x'), /must be a reply/],
  ['replies with 400', async () => reply(400), /reply with status 400 from middleware: .* Throw an HttpError/],
  ['replies with 503', async () => reply(503, 'down'), /status 503/],
  ['throws', () => assert.fail('secret'), /secret/],
  ['rejects', () => Promise.reject(new Error('secret')), /secret/],
  ['throws after next()', (_context, next) => next().then(() => assert.fail('secret')), /secret/],
  ['replies with a value that JSON cannot represent', async () => reply(200, 7n), /BigInt/],
]

describe('middleware errors', () => {
  for (const [about, wrong, says] of MISUSED) {
    it(`responds 500 and logs the error if middleware ${about}`, async () => {
      const { logger, lines } = captureLog()
      // Proof: the type forbids this middleware, and the test checks the error at run time.
      const app = around([noting('outer', []), wrong as Middleware], { logger })
      const { status, text, headers } = await sendRequest(app, '/')
      assert.deepEqual([status, headers.get('x-outer')], [500, '500'])
      assert.doesNotMatch(text, /secret|middleware/)
      assert.match(String(lines[0]?.fields['err']), says)
    })
  }

  it('sends an HttpError of middleware to the client', async () => {
    const closed: Middleware = async () => {
      throw new HttpError(503, 'Come back at noon', { headers: { 'retry-after': '60' } })
    }
    const { status, headers, text } = await sendRequest(around([noting('outer', []), closed]), '/')
    assert.deepEqual([status, headers.get('retry-after'), headers.get('x-outer')], [503, '60', '503'])
    assert.match(text, /Come back at noon/)
  })

  it('maps an error of middleware with mapError', async () => {
    const mapError = () => new HttpError(418, 'Tea')
    const failing: Middleware = () => Promise.reject(new RangeError())
    assert.equal((await sendRequest(around([failing], { mapError }), '/')).status, 418)
  })
})

describe('middleware that replies', () => {
  it('skips the handler and returns the reply to outer middleware', async () => {
    const order: string[] = []
    const app = around([noting('outer', order), async () => reply(203, { cached: true }, { 'x-cache': 'hit' })])
    const { status, headers, body } = await sendRequest(app, '/?throw')
    assert.deepEqual([status, body, headers.get('x-cache')], [203, { cached: true }, 'hit'])
    assert.deepEqual(order, ['>outer', '203<outer'])
  })

  it('sends a stream from middleware', async () => {
    const app = around([async () => reply(200, Readable.from(['a', 'b']))])
    assert.equal((await sendRequest(app, '/')).text, 'ab')
  })

  it('lets middleware replace a failure with a success', async () => {
    const app = around([async (_context, next) => ((await next()).error ? reply(200, 'sorry') : reply(200, 'fine'))])
    assert.equal((await sendRequest(app, '/?throw')).text, 'sorry')
  })

  it('accepts the same reply object for several requests', async () => {
    const kept = reply(200, { kept: true }, { 'x-kept': '1' })
    const app = around([async () => kept])
    for (const target of ['/', '/none']) assert.deepEqual((await sendRequest(app, target)).body, { kept: true })
  })

  it('ends the stream of a discarded reply', async () => {
    for (const instead of [async () => reply(200, 'other'), () => Promise.reject(new Error('later'))]) {
      const source = Readable.from(['a', 'b'])
      class Stream extends Route {
        get() {
          return source
        }
      }
      const replacing: Middleware = (_context, next) => next().then(instead)
      await sendRequest(createUntypedApp({ routes: { Stream }, middleware: [replacing] }), '/stream')
      assert.equal(source.destroyed, true)
    }
  })
})

describe('middleware that does not await next()', () => {
  class Late extends Route {
    get({ request }: { request: { url: string } }) {
      return new Promise((resolve, reject) => {
        setImmediate(() => (request.url.endsWith('throw') ? reject(new Error('late')) : resolve(Readable.from(['a']))))
      })
    }
  }
  const hasty: Middleware = async (_context, next) => {
    void next()
    return reply(200, 'at once')
  }

  for (const target of ['/late', '/late?throw']) {
    it(`responds once and lets the app close: ${target}`, async () => {
      const app = createUntypedApp({ routes: { Late }, middleware: [hasty], timeouts: { close: 2000 } })
      assert.equal((await sendRequest(app, target)).text, 'at once')
      const { logger, lines } = captureLog()
      const again = createUntypedApp({ routes: { Late }, middleware: [hasty], timeouts: { close: 2000 }, logger })
      await sendRequest(again, target)
      await new Promise(setImmediate)
      await new Promise(setImmediate)
      await again.close()
      assert.deepEqual(
        lines.filter(({ message }) => message?.startsWith('Closed before')),
        [],
      )
      await app.close()
    })
  }
})
