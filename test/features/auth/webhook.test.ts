/** Webhooks over sockets, verified with `webhook` and signed with `signWebhook` or the reference library of the specification. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Webhook as Reference } from 'standardwebhooks'
import { bytes, createApp, HttpError, provide, Route, SetupError, type App, type Input } from 'verbena'
import { signWebhook, webhook, type NewWebhook, type WebhookOptions } from 'verbena/auth'
import { override, testApp } from 'verbena/testing'
import { assertSetupError, createUntypedApp } from '#test/apps.js'
import { Wire } from '#test/e2e.js'
import { findOperation, readDocument, validateDocument } from '#test/openapi.js'
import { createDatabase, type Database } from '#test/postgres.js'
import * as z from 'zod'

const secretOf = (size: number): string => `whsec_${randomBytes(size).toString('base64')}`
const [CURRENT, OLD, OTHER] = [secretOf(24), secretOf(64), secretOf(32)]
const SECONDS = 1_614_265_330
const NOW = SECONDS * 1000

const event = webhook({ secrets: [CURRENT, OLD], now: () => NOW + 999 })
const Paid = z.object({ order: z.int() })

class Orders extends Route {
  static readonly post = this.contract({ uses: { event }, body: Paid })
  async post({ event, body }: Input<typeof Orders.post>) {
    return { id: event.id, at: event.timestamp.toISOString(), order: body.order }
  }
}
class Blobs extends Route {
  static readonly post = this.contract({ uses: { event }, body: bytes() })
  async post({ body }: Input<typeof Blobs.post>) {
    return Buffer.from(body).toString('hex')
  }
}
class Pings extends Route {
  static readonly post = this.contract({ uses: { event } })
  async post({ event }: Input<typeof Pings.post>) {
    return event.id
  }
}

type Field = readonly [name: string, value: string]
type Message = Partial<NewWebhook>

const BODY = '{"order":7}'
const sign = (message: Message = {}): Field[] =>
  Object.entries(signWebhook({ id: 'msg_1', timestamp: new Date(NOW), body: BODY, secret: CURRENT, ...message }))
const JSON_TYPE: Field = ['content-type', 'application/json']

/** Replaces a header of a signed message. */
const withHeader = (name: string, ...values: string[]): Field[] =>
  sign().flatMap((field): Field[] => (field[0] === name ? values.map((value) => [name, value]) : [field]))

describe('webhook()', () => {
  const reasons: unknown[] = []
  const mapError = (error: unknown): undefined => {
    reasons.push(error instanceof HttpError ? error.reason : error)
  }
  const app = createApp({ routes: { Orders, Blobs, Pings }, mapError, limits: { body: 1_000 }, logger: false })
  let port = 0
  before(async () => ({ port } = await app.listen()))
  after(() => app.close())

  /** Sends bytes with headers that may be repeated. */
  async function post(path: string, fields: readonly Field[], body: string | Uint8Array = BODY) {
    reasons.length = 0
    const wire = new Wire(port)
    const lines = [...fields, ['content-length', String(Buffer.from(body).length)]].map(([k, v]) => `${k}: ${v}\r\n`)
    wire.send(`POST ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${lines.join('')}\r\n`)
    wire.send(body)
    const answer = await wire.read()
    wire.destroy()
    return { ...answer, reasons: [...reasons] }
  }
  const order = (fields: readonly Field[], body: string | Uint8Array = BODY) =>
    post('/orders', [JSON_TYPE, ...fields], body)

  it('provides the id and the time of a signed message', async () => {
    const { status, body } = await order(sign())
    assert.equal(status, 200)
    assert.deepEqual(JSON.parse(body), { id: 'msg_1', at: '2021-02-25T15:02:10.000Z', order: 7 })
  })

  it('accepts a signature of each of its secrets', async () => {
    for (const secret of [CURRENT, OLD]) assert.equal((await order(sign({ secret }))).status, 200)
    assert.deepEqual((await order(sign({ secret: OTHER }))).reasons, ['rejected'])
  })

  it('accepts a message if one of its signatures is valid', async () => {
    const [[, valid = ''] = []] = sign().slice(2)
    const [[, wrong = ''] = []] = sign({ secret: OTHER }).slice(2)
    const lists = [`${wrong} ${valid}`, `${valid} ${wrong}`, `v1a,${valid.slice(3)} v2,x ${valid}`]
    for (const list of lists) assert.equal((await order(withHeader('webhook-signature', list))).status, 200, list)
    assert.equal((await order(withHeader('webhook-signature', `${wrong} ${wrong}`))).status, 401)
  })

  const signature = sign()[2]?.[1] ?? ''
  const REFUSED: readonly (readonly [about: string, reason: string, fields: readonly Field[]])[] = [
    ['no header', 'missing', []],
    ['no id', 'missing', withHeader('webhook-id')],
    ['no timestamp', 'missing', withHeader('webhook-timestamp')],
    ['no signature', 'missing', withHeader('webhook-signature')],
    ['a repeated id', 'malformed', withHeader('webhook-id', 'msg_1', 'msg_1')],
    ['a repeated timestamp', 'malformed', withHeader('webhook-timestamp', `${SECONDS}`, `${SECONDS}`)],
    ['an empty id', 'malformed', withHeader('webhook-id', '')],
    ['an id with a dot', 'malformed', withHeader('webhook-id', 'msg.1')],
    ['an id with a space', 'malformed', withHeader('webhook-id', 'msg 1')],
    ['an id of 256 characters', 'malformed', withHeader('webhook-id', 'm'.repeat(256))],
    ['a timestamp with a letter', 'malformed', withHeader('webhook-timestamp', '1e9')],
    ['a negative timestamp', 'malformed', withHeader('webhook-timestamp', `-${SECONDS}`)],
    ['a timestamp with a fraction', 'malformed', withHeader('webhook-timestamp', `${SECONDS}.0`)],
    ['a huge timestamp', 'malformed', withHeader('webhook-timestamp', '9'.repeat(400))],
    ['a timestamp in ms', 'malformed', withHeader('webhook-timestamp', `${NOW}`)],
    ['a signature without a version', 'malformed', withHeader('webhook-signature', signature.slice(3))],
    ['a signature that ends in a comma', 'malformed', withHeader('webhook-signature', `${signature},`)],
    ['an empty signature', 'malformed', withHeader('webhook-signature', '')],
    ['a changed id', 'rejected', withHeader('webhook-id', 'msg_2')],
    ['a changed timestamp', 'rejected', withHeader('webhook-timestamp', `${SECONDS + 1}`)],
    ['a timestamp of the year 33658', 'rejected', withHeader('webhook-timestamp', '9'.repeat(12))],
    ['a shortened signature', 'rejected', withHeader('webhook-signature', signature.slice(0, -1))],
    ['a valid signature of another version', 'rejected', withHeader('webhook-signature', `v1a,${signature.slice(3)}`)],
  ]
  for (const [about, reason, fields] of REFUSED) {
    it(`rejects ${about}, as ${reason}`, async () => {
      const { status, headers, body, reasons } = await order(fields)
      assert.equal(status, 401)
      assert.equal(headers.get('www-authenticate'), 'Webhook')
      assert.deepEqual(reasons, [reason])
      assert.deepEqual(Object.keys(JSON.parse(body)), ['type', 'title', 'status', 'detail', 'requestId'])
    })
  }

  it('rejects a changed body', async () => {
    assert.deepEqual((await order(sign(), '{"order":8}')).reasons, ['rejected'])
  })

  it('verifies the signature before it parses and validates the body', async () => {
    for (const body of ['{"order":', '{"order":"7"}', '']) {
      assert.equal((await order(withHeader('webhook-id', 'msg_2'), body)).status, 401, body)
    }
    const statuses = { '{"order":': 400, '{"order":"7"}': 422, '': 400 }
    for (const [body, status] of Object.entries(statuses)) {
      assert.equal((await order(sign({ body }), body)).status, status, body)
    }
  })

  it('verifies the bytes of a body that is not UTF-8', async () => {
    const body = Buffer.from([0xff, 0xfe, 0, 0xc3, 0x28, 0x0d, 0x0a])
    const type: Field = ['content-type', 'application/octet-stream']
    const { status, body: text } = await post('/blobs', [type, ...sign({ body })], body)
    assert.deepEqual([status, text], [200, 'fffe00c3280d0a'])
    // The replacement character, which text decoders write for invalid bytes.
    assert.equal((await post('/blobs', [type, ...sign({ body: body.toString() })], body)).status, 401)
  })

  it('verifies a body that the contract does not mention, empty or not', async () => {
    assert.equal((await post('/pings', sign({ body: '' }), '')).body, 'msg_1')
    assert.equal((await post('/pings', sign(), BODY)).body, 'msg_1')
    assert.equal((await post('/pings', sign(), '')).status, 401)
  })

  it('verifies a compressed body as it was sent, and rejects it with 415 if the contract has a body', async () => {
    const body = gzipSync(BODY)
    const fields: Field[] = [['content-encoding', 'gzip'], ...sign({ body })]
    assert.equal((await post('/pings', fields, body)).status, 200)
    assert.equal((await post('/pings', [['content-encoding', 'gzip'], ...sign()], body)).status, 401)
    assert.equal((await order(fields, body)).status, 415)
  })

  it('rejects a body above the limit with 413, signed or not', async () => {
    const body = `{"order":${' '.repeat(1_000)}7}`
    assert.equal((await order(sign({ body }), body)).status, 413)
    assert.equal((await order([], body)).status, 413)
  })

  it('accepts times up to the tolerance, in both directions', async () => {
    const at = (seconds: number): Promise<{ status: number; reasons: unknown[] }> =>
      order(sign({ timestamp: new Date(NOW + seconds * 1000) }))
    for (const seconds of [-300, 300]) assert.equal((await at(seconds)).status, 200)
    assert.deepEqual((await at(-301)).reasons, ['expired'])
    assert.deepEqual((await at(301)).reasons, ['rejected'])
  })

  it('reports an old message as expired only if its signature is valid', async () => {
    const fields = sign({ timestamp: new Date(NOW - 301_000), secret: OTHER })
    assert.deepEqual((await order(fields)).reasons, ['rejected'])
  })

  /** Sends messages of the given ages in seconds to an endpoint with these options. */
  async function sendAged(now: number, options: Partial<WebhookOptions>, ages: readonly number[]): Promise<number[]> {
    class Events extends Route {
      static readonly post = this.contract({ uses: { event: webhook({ secrets: [CURRENT], ...options }) } })
      async post() {}
    }
    const app = createApp({ routes: { Events }, logger: false })
    const send = async (age: number): Promise<number> => {
      const headers = Object.fromEntries(sign({ timestamp: new Date(now - age * 1000) }))
      return (await app.fetch(new Request('http://a/events', { method: 'POST', headers, body: BODY }))).status
    }
    return Promise.all(ages.map(send))
  }

  it('uses the clock and 5 minutes by default', async () => {
    assert.deepEqual(await sendAged(Date.now(), {}, [310, 290, -290, -310]), [401, 204, 204, 401])
  })

  it('uses the option tolerance', async () => {
    assert.deepEqual(await sendAged(NOW, { tolerance: 1, now: () => NOW }, [2, 1, -1, -2]), [401, 204, 204, 401])
  })

  it('reads secrets from the services of each app when it starts', async () => {
    const event = webhook({
      secrets: async ({ config }: { config: { secret: string } }) => [config.secret],
      now: () => NOW,
    })
    class Events extends Route {
      static readonly post = this.contract({ uses: { event } })
      async post() {}
    }
    const request = () =>
      new Request('http://a/events', { method: 'POST', headers: Object.fromEntries(sign()), body: BODY })
    const statuses = [CURRENT, OTHER].map(async (secret) => {
      const app: App = createApp({ services: { config: { secret } }, routes: { Events }, logger: false })
      return (await app.fetch(request())).status
    })
    assert.deepEqual(await Promise.all(statuses), [204, 401])
    const app = createApp({ services: { config: { secret: 'whsec_c2hvcnQ=' } }, routes: { Events }, logger: false })
    await assert.rejects(app.start(), (error) => {
      assert.ok(error instanceof SetupError)
      assert.match(error.message, /^Cannot use the option "secrets" of webhook\(\): it must be a non-empty array/)
      return !error.message.includes('c2hvcnQ')
    })
  })

  it('responds with 500 if "now" does not return a number', async () => {
    assert.deepEqual(await sendAged(NOW, { now: () => Number.NaN }, [0]), [500])
  })

  it('has three required headers and 401 in the OpenAPI document', async () => {
    const document = readDocument({ Orders })
    const { parameters = [], responses } = findOperation(document, '/orders', 'post')
    assert.deepEqual(
      parameters.map(({ name, in: place, required, schema }) => [name, place, required, schema]),
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
        name,
        'header',
        true,
        { type: 'string' },
      ]),
    )
    assert.ok(parameters.every(({ description = '' }) => description !== ''))
    assert.ok('401' in responses)
    assert.deepEqual(await validateDocument(document), [])
  })

  it('counts as a guard in app.check()', async () => {
    const user = provide({ security: { type: 'http', scheme: 'bearer' } }, () => 'ada')
    class Me extends Route {
      static readonly get = this.contract({ uses: { user }, returns: z.string() })
      get() {
        return 'ada'
      }
    }
    const app = createUntypedApp({ routes: { Me, Pings } })
    assert.deepEqual(
      (await app.check()).filter(({ code }) => code === 'MUTATION_OPEN'),
      [],
    )
  })

  it('can be overridden in tests', async () => {
    const value = { id: 'msg_9', timestamp: new Date(0) }
    await using test = await testApp(app, { override: [override(event, () => value)] })
    const response = await test.fetch('/pings', { method: 'POST' })
    assert.equal(await response.text(), 'msg_9')
  })

  const INVALID: readonly (readonly [about: string, options: unknown, message: RegExp])[] = [
    ['no options', undefined, /they must be an object, not undefined\. Write "\{ secrets: \[current\] \}"$/],
    ['no secrets', {}, /"secrets" of webhook\(\): it is missing/],
    ['an unknown option', { secrets: [CURRENT], secret: CURRENT }, /"secret"/],
    ['an empty array of secrets', { secrets: [] }, /"secrets" of webhook\(\): it must be a non-empty array/],
    ['a string of secrets', { secrets: CURRENT }, /"secrets" of webhook\(\): it must be a non-empty array/],
    ['an undefined secret', { secrets: [undefined] }, /"whsec_…" that contains 24 to 64 bytes in base64, such as/],
    ['a secret without its prefix', { secrets: [CURRENT, CURRENT.slice(6)] }, /and each secret a string "whsec_…"/],
    ['a secret of 23 bytes', { secrets: [secretOf(23)] }, /and each secret a string "whsec_…"/],
    ['a secret of 65 bytes', { secrets: [secretOf(65)] }, /and each secret a string "whsec_…"/],
    ['a secret that ends in a space', { secrets: [`${secretOf(32)} `] }, /and each secret a string "whsec_…"/],
    [
      'a tolerance of 0',
      { secrets: [CURRENT], tolerance: 0 },
      /"tolerance" of webhook\(\): it must be an integer of seconds from 1 to 3600/,
    ],
    ['a tolerance in ms', { secrets: [CURRENT], tolerance: 300_000 }, /"tolerance" of webhook\(\): it must be/],
    ['a time as "now"', { secrets: [CURRENT], now: 5 }, /"now" of webhook\(\): it must be a function/],
  ]
  for (const [about, options, message] of INVALID) {
    it(`throws a setup error for ${about}`, () => {
      // Proof: the type forbids these options, and the test checks the error at run time.
      assertSetupError(() => webhook(options as WebhookOptions), 'OPTION_INVALID', message)
    })
  }
})

describe('signWebhook()', () => {
  it('signs the example of the specification', () => {
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: new Date(SECONDS * 1000 + 999) }
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    assert.deepEqual(signWebhook({ ...message, body: '{"test": 2432232314}', secret }), {
      'webhook-id': message.id,
      'webhook-timestamp': String(SECONDS),
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  it('signs messages that the package standardwebhooks verifies', () => {
    const body = '{"text":"é 😀"}'
    for (const secret of [CURRENT, OLD, OTHER]) {
      const headers = signWebhook({ id: 'msg_1', timestamp: new Date(), body, secret })
      assert.deepEqual(new Reference(secret).verify(body, headers), { text: 'é 😀' })
      assert.deepEqual(new Reference(secret).verify(Buffer.from(body), headers), { text: 'é 😀' })
      assert.throws(() => new Reference(secretOf(32)).verify(body, headers), /No matching signature/)
    }
  })

  it('verifies messages that the package standardwebhooks signs', async () => {
    const app = createApp({ routes: { Orders }, logger: false })
    const signature = new Reference(OLD).sign('msg_1', new Date(NOW), BODY)
    const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(SECONDS), 'webhook-signature': signature }
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: BODY }
    assert.equal((await app.fetch(new Request('http://a/orders', init))).status, 200)
  })

  it('signs a string as UTF-8', () => {
    assert.deepEqual(sign({ body: 'é' }), sign({ body: Buffer.from('é') }))
  })

  const INVALID: readonly (readonly [about: string, message: object, error: RegExp])[] = [
    ['an empty id', { id: '' }, /"id" must be a string of 1 to 255 visible ASCII characters except "\." and ","/],
    ['an id with a dot', { id: 'a.b' }, /"id" must be/],
    ['a number as id', { id: 7 }, /"id" must be/],
    ['a number as timestamp', { timestamp: SECONDS }, /"timestamp" must be a Date\. Write "timestamp: new Date\(\)"$/],
    ['an invalid date', { timestamp: new Date(Number.NaN) }, /"timestamp" must be/],
    ['a date before 1970', { timestamp: new Date(-1) }, /"timestamp" must be/],
    ['an object as body', { body: { order: 7 } }, /"body" must be a string or a Uint8Array/],
    ['a short secret', { secret: secretOf(23) }, /"secret" must be a string "whsec_…"/],
  ]
  for (const [about, message, error] of INVALID) {
    it(`throws a TypeError for ${about}`, () => {
      // Proof: the type forbids this message, and the test checks the error at run time.
      assert.throws(() => sign(message as Message), { name: 'TypeError', message: error })
    })
  }
})

describe('webhook(): repeated messages', () => {
  interface Services {
    readonly db: Database
  }
  /** One transaction for each request, as in the guide. The database in this process has a single connection. */
  const transaction = provide({}, async function* (_input, { db }: Services) {
    await db.query('begin')
    try {
      yield db
      await db.query('commit')
    } catch (error) {
      await db.query('rollback')
      throw error
    }
  })
  let failures = 0
  class Payments extends Route {
    static readonly post = this.contract({ uses: { event, tx: transaction }, body: Paid, returns: null })
    async post({ event, body, tx }: Input<typeof Payments.post>) {
      const insert = 'insert into webhooks (id) values ($1) on conflict do nothing returning id'
      const { rows } = await tx.query(insert, [event.id])
      if (rows.length === 0) return
      await tx.query('update orders set payments = payments + 1 where id = $1', [body.order])
      if (failures-- > 0) throw new Error('The work failed')
    }
  }

  it('runs the work of a message once, and again only after it failed', async () => {
    const db = await createDatabase()
    await db.exec('create table webhooks (id text primary key); create table orders (id int, payments int)')
    await db.query('insert into orders values (7, 0)')
    const app = createApp({ services: { db }, routes: { Payments }, logger: false })
    const send = async (id: string): Promise<number> => {
      const headers = { 'content-type': 'application/json', ...Object.fromEntries(sign({ id })) }
      return (await app.fetch(new Request('http://a/payments', { method: 'POST', headers, body: BODY }))).status
    }
    failures = 1
    const statuses = [await send('msg_1'), await send('msg_1'), await send('msg_1'), await send('msg_2')]
    assert.deepEqual(statuses, [500, 204, 204, 204])
    assert.deepEqual((await db.query('select payments from orders')).rows, [{ payments: 2 }])
  })
})
