/** `idempotency` in a contract: setup errors, and its effect on document, client and test app. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bearer, createApp, events, precondition, provide, Route, stream, text, type App, type Input } from 'verbena'
import { idempotency } from 'verbena/idempotency'
import { multipart, parts } from 'verbena/multipart'
import { override, testApp } from 'verbena/testing'
import * as z from 'zod'
import { RunningApp } from '#src/app/running-app.js'
import { assertSetupError, json, sendRequest, createUntypedApp, looseContract } from '#test/apps.js'
import { LeasedStore } from '#test/idempotency.js'

const by = (): string => 'all'
const once = idempotency({ by, ttl: 1000 })

/** Makes an app with the contract at a verb. */
function appWith(spec: object, verb: 'get' | 'post' = 'post', method: () => unknown = () => 1): unknown {
  class Payments extends Route {
    static readonly [verb]: unknown = looseContract(Payments, spec);
    [verb]() {
      return method()
    }
  }
  return createUntypedApp({ routes: { Payments } })
}

describe('idempotency()', () => {
  it('rejects unknown options and invalid values', () => {
    const wrong: readonly (readonly [unknown, RegExp])[] = [
      [undefined, /the options of idempotency\(\): they must be an object/],
      [[], /the options of idempotency\(\): they must be an object/],
      [{ ttl: 1000 }, /"by" of idempotency\(\)/],
      [{ by: 'user', ttl: 1000 }, /"by" of idempotency\(\)/],
      [{ by }, /"ttl" of idempotency\(\)/],
      [{ by, ttl: 0 }, /"ttl"/],
      [{ by, ttl: 1.5 }, /"ttl"/],
      [{ by, ttl: '1 day' }, /"ttl"/],
      [{ by, ttl: 1000, store: null }, /"store"/],
      [{ by, ttl: 1000, store: { claim: () => {}, complete: () => {} } }, /"store"/],
      [{ by, ttl: 1000, required: 'yes' }, /"required"/],
      [{ by, ttl: 1000, lease: 999 }, /"lease" of idempotency\(\): .*from 1000/],
      [{ by, ttl: 1000, within: () => 1 }, /"within" of idempotency\(\)/],
      [{ by, ttl: 1000, within: provide({}, () => 1) }, /"store" of idempotency\(\): it is missing/],
      [
        { by, ttl: 1000, within: provide({}, () => 1), store: new LeasedStore() },
        /must have the methods claim, complete, release and completeWithin/,
      ],
      [{ by, ttl: 1000, require: true }, /"require" of idempotency\(\): it is unknown. Did you mean "required"/],
    ]
    for (const [options, why] of wrong) {
      // @ts-expect-error - wrong options
      assertSetupError(() => idempotency(options), 'OPTION_INVALID', why)
    }
  })

  it('rejects a store with the former names of methods, and names the new ones', () => {
    const method = async (): Promise<boolean> => true
    const former = { claim: method, keep: method, free: method, keepWithin: method }
    const within = provide({}, () => 1)
    const stores: readonly (readonly [object, string])[] = [
      [{ store: former }, '"keep" to "complete", "free" to "release"'],
      [{ store: { ...former, complete: method } }, '"free" to "release"'],
      [{ store: former, within }, '"keep" to "complete", "free" to "release", "keepWithin" to "completeWithin"'],
      [{ store: { ...former, complete: method, release: method }, within }, '"keepWithin" to "completeWithin"'],
    ]
    for (const [options, renames] of stores) {
      assert.throws(() => idempotency({ by, ttl: 1000, ...options }), {
        code: 'OPTION_INVALID',
        message: `Cannot use the option "store" of idempotency(): its methods have new names. Rename ${renames}`,
      })
    }
  })

  it('accepts only providers that run before the body is parsed', () => {
    const signature = provide({ rawBody: true }, () => 'x')
    const signed = idempotency({ by: ({ signature: text }) => text, uses: { signature }, ttl: 1000 })
    assertSetupError(
      () => appWith({ idempotency: signed, body: z.string(), returns: z.number() }),
      'USES_INVALID',
      '"signature" needs "rawBody", but it is a guard',
    )
    // @ts-expect-error - no provider
    const loose = idempotency({ by, uses: { user: 'ada' }, ttl: 1000 })
    assertSetupError(
      () => appWith({ idempotency: loose, returns: z.number() }),
      'USES_INVALID',
      '"user" must be a provider',
    )
  })
})

describe('idempotency in a contract', () => {
  const returns = z.number()

  it('rejects values that idempotency() did not create', () => {
    for (const given of [true, { ttl: 1000, by }]) {
      const make = () => looseContract({ name: 'Payments' }, { idempotency: given, returns })
      assertSetupError(make, 'OPTION_INVALID', 'it must be the result of "idempotency({ … })"')
    }
  })

  it('rejects GET, a missing "returns", streams, and bodies that are not kept in memory', () => {
    const wrong: readonly (readonly [object, 'get' | 'post', RegExp])[] = [
      [{ returns }, 'get', /is not valid for GET/],
      [{}, 'post', /does not describe it\. Add "returns"/],
      [{ returns: stream() }, 'post', /cannot store a stream/],
      [{ returns: events(returns) }, 'post', /cannot store a stream/],
      [{ returns: { 200: returns, 206: stream() } }, 'post', /cannot store a stream/],
      [{ returns, body: stream() }, 'post', /"stream\(…\)" does not keep them. Use another kind of body/],
      [{ returns, body: multipart() }, 'post', /"multipart\(…\)" does not keep them/],
      [{ returns, body: parts() }, 'post', /"parts\(…\)" does not keep them/],
    ]
    for (const [spec, verb, why] of wrong) {
      assertSetupError(
        () => appWith({ idempotency: once, ...spec }, verb),
        'CONTRACT_INVALID',
        `"Payments.${verb}"`,
        why,
      )
    }
  })

  it('rejects a generator method', () => {
    class Payments extends Route {
      static readonly post = this.contract({ idempotency: once, returns: text() })
      async *post() {
        yield 'a'
      }
    }
    assertSetupError(() => createUntypedApp({ routes: { Payments } }), 'CONTRACT_INVALID', 'cannot store a stream')
  })
})

const user = bearer((token) => ({ id: token }))
const byUser = idempotency({ by: ({ user: { id } }) => id, uses: { user }, ttl: 86_400_000 })
const required = idempotency({ by: ({ user: { id } }) => id, uses: { user }, ttl: 1500, required: true })

class Payments extends Route {
  static readonly post = this.contract({ idempotency: byUser, body: z.number(), returns: z.number(), status: 201 })
  async post({ body }: Input<typeof Payments.post>) {
    return body
  }
  static readonly put = this.contract({ idempotency: required, body: z.number(), returns: z.number() })
  async put({ body }: Input<typeof Payments.put>) {
    return body
  }
  static readonly delete = this.contract({ returns: null })
  async delete() {}
}

const app = createApp({ routes: { Payments }, logger: false })

describe('idempotency in the OpenAPI document', () => {
  const { paths } = RunningApp.partsOf(app)?.documents.document(undefined) ?? assert.fail()
  const { post, put, delete: remove } = paths['/payments'] ?? assert.fail()

  it('documents the header, and the time for which responses are stored', () => {
    const description =
      'Key of this request; send the same key to retry it. The request runs once, and a retry gets its response, marked by "Idempotent-Replayed: true", for 86400 seconds'
    const schema = { type: 'string', minLength: 1, maxLength: 255 }
    assert.deepEqual(post?.parameters, [{ name: 'Idempotency-Key', in: 'header', description, schema }])
    const [parameter] = put?.parameters ?? []
    assert.ok(parameter !== undefined && !('$ref' in parameter))
    assert.equal(parameter.required, true)
    assert.match(parameter.description ?? '', /for 1.5 seconds/)
  })

  it('documents no request body if the method does not read one', () => {
    const revision = precondition({}, () => 1)
    class Doc extends Route {
      static readonly put = this.contract({ idempotency: once, uses: { revision }, returns: z.number() })
      put() {
        return 1
      }
    }
    const plain = createUntypedApp({ routes: { Doc } })
    const { paths: shown } = RunningApp.partsOf(plain)?.documents.document(undefined) ?? assert.fail()
    const { put: shownPut } = shown['/doc'] ?? assert.fail()
    assert.ok(shownPut !== undefined && !('requestBody' in shownPut))
  })

  it('documents the problems of idempotency and of its guards', () => {
    for (const status of ['400', '401', '409', '422', '503']) assert.ok(post?.responses[status] !== undefined, status)
    assert.deepEqual([remove?.responses['409'], remove?.responses['503']], [undefined, undefined])
    assert.deepEqual(post?.security, [{ bearer: [] }])
  })
})

describe('idempotency in testApp()', () => {
  it('accepts the header from the typed client, and reports untested statuses', async () => {
    await using test = await testApp(app)
    const headers = { authorization: 'Bearer ada', 'idempotency-key': crypto.randomUUID() }
    const pay = (body: number) => test.api('/payments').post({ body, headers })
    assert.equal((await pay(5)).status, 201)
    const again = await pay(5)
    assert.deepEqual([again.status, again.body, again.headers.get('idempotent-replayed')], [201, 5, 'true'])
    assert.equal((await pay(6)).status, 422)
    const missing = await test.fetch('/payments', {
      method: 'PUT',
      headers: { authorization: 'Bearer ada', 'content-type': 'application/json' },
      body: '5',
    })
    assert.equal(missing.status, 400)
    assert.deepEqual(
      test.report().map(({ method, status }) => `${method} ${status}`),
      ['POST 401', 'PUT 200', 'PUT 401', 'DELETE 204'],
    )
  })

  it('uses separate keys for each test app', async () => {
    const headers = { authorization: 'Bearer ada', 'idempotency-key': 'the-same-in-each-test' }
    for (const body of [5, 6]) {
      await using test = await testApp(app)
      assert.equal((await test.api('/payments').post({ body, headers })).status, 201)
    }
  })

  it('can override the providers of "by"', async () => {
    await using test = await testApp(app, { override: [override(user, () => ({ id: 'ben' }))] })
    const { status } = await test.api('/payments').put({ body: 5, headers: { 'idempotency-key': 'a' } })
    assert.equal(status, 200)
  })
})

describe('idempotency: store from services', () => {
  const once = idempotency({ by, ttl: 60_000, store: async ({ keys }: { keys: LeasedStore }) => keys })
  class Orders extends Route {
    static readonly post = this.contract({ idempotency: once, body: z.number(), returns: z.number() })
    post({ body }: Input<typeof Orders.post>) {
      return body
    }
  }
  const init = { ...json(5), headers: { 'content-type': 'application/json', 'idempotency-key': 'a' } }
  const replayed = async (target: Pick<App, 'fetch'>): Promise<string | null> =>
    (await sendRequest(target, '/orders', init)).headers.get('idempotent-replayed')

  it('stores keys in the store of each app', async () => {
    const keys = new LeasedStore()
    const orders = createApp({ services: { keys }, routes: { Orders } })
    assert.deepEqual([await replayed(orders), await replayed(orders), keys.entries.size], [null, 'true', 1])
    const others = new LeasedStore()
    await using test = await testApp(orders, { services: { keys: others } })
    assert.deepEqual([await replayed(test), others.entries.size], [null, 1])
  })

  it('rejects the start of an app if the function returns no store', async () => {
    await assert.rejects(createUntypedApp({ services: { keys: {} }, routes: { Orders } }).start(), {
      code: 'OPTION_INVALID',
      message:
        'Cannot use the option "store" of idempotency(): it must have the methods claim, complete and release, not a plain object. Write "store: redisIdempotency(client)"',
    })
  })

  it('rejects the start of an app if the function returns a store with the former names of methods', async () => {
    const method = async (): Promise<boolean> => true
    const keys = { claim: method, keep: method, free: method }
    await assert.rejects(createUntypedApp({ services: { keys }, routes: { Orders } }).start(), {
      code: 'OPTION_INVALID',
      message:
        'Cannot use the option "store" of idempotency(): its methods have new names. Rename "keep" to "complete", "free" to "release"',
    })
  })
})

describe('endpoints without idempotency', () => {
  it('ignores the Idempotency-Key header, and has fewer pipeline steps', async () => {
    class Plain extends Route {
      post() {
        return 1
      }
    }
    const plain = createUntypedApp({ routes: { Plain } })
    const { endpoints } = RunningApp.partsOf(plain)?.registry ?? assert.fail()
    const { endpoints: keyed } = RunningApp.partsOf(app)?.registry ?? assert.fail()
    assert.equal(endpoints[0]?.idempotency, null)
    assert.equal(
      (await sendRequest(plain, '/plain', { method: 'POST', headers: { 'idempotency-key': '"' } })).status,
      200,
    )
    assert.ok((keyed[0]?.pipeline.steps.length ?? 0) > (keyed[2]?.pipeline.steps.length ?? 0))
  })
})
