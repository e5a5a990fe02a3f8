/** `mapError` and errors that are an `HttpError` already, of handlers and of Verbena. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { basic, health, HttpError, Route, service, type ErrorMapper, type Input } from 'verbena'
import { sendRequest, json, createUntypedApp } from '#test/apps.js'
import * as z from 'zod'

class Orders extends Route {
  static readonly path = '/orders/{rest...}'
  static readonly get = this.contract({ timeout: 20 })
  static readonly post = this.contract({ body: z.object({ size: z.number(), colour: z.string() }) })
  static readonly put = this.contract({ uses: { user: basic(() => undefined) } })
  async get(): Promise<void> {
    await new Promise(() => {})
  }
  async post({ body }: Input<typeof Orders.post>) {
    return body
  }
  async put() {}
  async delete() {
    throw new HttpError(409, 'Taken')
  }
}

const down = service(() => ({}), { check: () => Promise.reject(new Error('down')) })

function appWith(mapError: ErrorMapper, options: object = {}) {
  return createUntypedApp({ routes: { Orders, ...health() }, services: { down }, mapError, ...options })
}

const FRAMEWORK: readonly (readonly [about: string, target: string, init: RequestInit, status: number])[] = [
  ['an unknown path', '/none', {}, 404],
  ['a method that the path does not support', '/orders/1', { method: 'PATCH' }, 405],
  ['a method that Verbena does not support', '/orders/1', { method: 'PURGE' }, 501],
  ['a malformed target', '/%zz', {}, 400],
  ['a target that is too long', `/${'a'.repeat(9000)}`, {}, 414],
  ['a bad path parameter', '/orders/a%2Fb', {}, 400],
  ['a body of the wrong type', '/orders/1', { method: 'POST', body: 'a' }, 415],
  ['a body that is too large', '/orders/1', json({ colour: 'a'.repeat(300) }), 413],
  ['a body that is not JSON', '/orders/1', { ...json(0), body: '{' }, 400],
  ['a body that is missing', '/orders/1', { ...json(0), body: null }, 400],
  ['a body that violates its schema', '/orders/1', json({}), 422],
  ['missing credentials', '/orders/1', { method: 'PUT' }, 401],
  ['wrong credentials', '/orders/1', { method: 'PUT', headers: { authorization: 'Basic YTpi' } }, 401],
  ['a method that takes too long', '/orders/1', {}, 503],
  ['a service that is not ready', '/readyz', {}, 503],
]

describe('mapError: errors of the framework', () => {
  for (const [about, target, init, status] of FRAMEWORK) {
    it(`receives the frozen error of ${about} and replaces it`, async () => {
      const seen: unknown[] = []
      const app = appWith(
        (error) => {
          seen.push(error)
          return new HttpError(418, 'Tea')
        },
        { limits: { body: 200 } },
      )
      assert.equal((await sendRequest(app, target, init)).status, 418)
      const [error = assert.fail('not asked'), ...more] = seen
      assert.ok(error instanceof HttpError)
      assert.deepEqual([error.status, error.source, more], [status, 'framework', []])
      for (const part of [error, error.headers, error.extensions]) assert.ok(Object.isFrozen(part), String(part))
    })
  }

  it('keeps the error if the mapper returns undefined, throws or returns a 500', async () => {
    const mappers: readonly ErrorMapper[] = [
      () => undefined,
      () => assert.fail('mapper'),
      () => new HttpError(500, 'Something is wrong'),
    ]
    for (const mapper of mappers) {
      const app = appWith(mapper)
      assert.equal((await sendRequest(app, '/none')).status, 404)
      assert.equal((await sendRequest(app, '/readyz')).status, 503)
      const { status, headers } = await sendRequest(app, '/orders/1', { method: 'PATCH' })
      assert.deepEqual([status, headers.get('allow')], [405, 'DELETE, GET, HEAD, OPTIONS, POST, PUT'])
    }
  })

  it('calls the next mapper if one returns a 500', async () => {
    const mapError = [() => new HttpError(500), () => new HttpError(410)]
    assert.equal((await sendRequest(createUntypedApp({ routes: { Orders }, mapError }), '/none')).status, 410)
  })

  it('receives the frozen and typed issues of a 422', async () => {
    let pointers: unknown
    const app = appWith((error) => {
      if (!(error instanceof HttpError)) return undefined
      pointers = error.issues.map((issue) => [issue.in, issue.pointer, Object.isFrozen(issue)])
      assert.ok(Object.isFrozen(error.extensions['errors']))
      return new HttpError(400, error.issues.map(({ message }) => message).join('; '))
    })
    const { status, body } = await sendRequest(app, '/orders/1', json({ size: 'a' }))
    assert.deepEqual(pointers, [
      ['body', '/size', true],
      ['body', '/colour', true],
    ])
    assert.deepEqual([status, Object(body).detail.split('; ').length], [400, 2])
  })
})

describe('mapError: HttpError of the handler', () => {
  it('receives the thrown error and replaces it', async () => {
    const app = appWith((error) => {
      assert.ok(error instanceof HttpError)
      return new HttpError(error.status + 1, `${error.source}: ${error.detail}`, { headers: { 'x-mapped': '1' } })
    })
    const { status, body, headers } = await sendRequest(app, '/orders/1', { method: 'DELETE' })
    assert.deepEqual([status, Object(body).detail, headers.get('x-mapped')], [410, 'handler: Taken', '1'])
  })

  it('replaces an error with a 500 only if its status is 500', async () => {
    const mapError = () => new HttpError(500, 'mapped')
    assert.equal((await sendRequest(appWith(mapError), '/orders/1', { method: 'DELETE' })).status, 409)
    class Broken extends Route {
      async get() {
        throw new HttpError(500, 'thrown')
      }
    }
    const { body } = await sendRequest(createUntypedApp({ routes: { Broken }, mapError }), '/broken')
    assert.equal(Object(body).detail, 'mapped')
  })

  it('responds with a plain 500 for an error that throws on every access', async () => {
    const trap = (): never => assert.fail('touched')
    class Hostile extends Route {
      get(): never {
        throw new Proxy(new HttpError(404), { get: trap })
      }
    }
    const app = createUntypedApp({ routes: { Hostile }, mapError: () => new HttpError(500, 'mapped') })
    const { status, body } = await sendRequest(app, '/hostile')
    assert.deepEqual([status, Object(body).detail], [500, undefined])
  })
})
