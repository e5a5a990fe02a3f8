// own process: it changes NODE_ENV
/** Responses that are too large to store, and a store that is full. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { bytes, HttpError, text } from 'verbena'
import type { IdempotencyStore } from 'verbena/idempotency'
import * as z from 'zod'
import { sendRequest } from '#test/apps.js'
import { LeasedStore, paymentRequest, createShop, type ShopOptions } from '#test/idempotency.js'
import { logLevels } from '#test/provider-ends.js'

// In production the log has one more line.
const { NODE_ENV: before = '' } = process.env
process.env['NODE_ENV'] = 'test'
after(() => {
  process.env['NODE_ENV'] = before
})

const MB = 1024 * 1024
const DRAFT = 'https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header#section-2.7'
const TOO_LARGE =
  'Response not stored: it is larger than 1 MB. Its idempotency key stays completed, so a retry gets 409'
const anything = { returns: z.any(), errors: [] }

/** An app that responds with a string of this length. */
const shopOfSize = (length: number, options: ShopOptions = {}) =>
  createShop({ pay: () => 'x'.repeat(length), contract: anything, ...options })

/** A store that notes the size of the largest string that it was given. */
class MeasuredStore extends LeasedStore {
  largest = 0

  override complete(...[claim, response, ttl]: Parameters<IdempotencyStore['complete']>): Promise<boolean> {
    this.largest = Math.max(this.largest, Buffer.byteLength(response))
    return super.complete(claim, response, ttl)
  }
}

describe('idempotency: responses larger than 1 MB', () => {
  for (const store of [undefined, new LeasedStore()]) {
    const name = store === undefined ? 'with the in-memory store' : 'with a store of the app'

    it(`responds 409 to a retry after a response above 1 MB ${name}, without calling the method again`, async () => {
      const shop = shopOfSize(MB, store && { store })
      const first = await sendRequest(shop.app, '/payments', paymentRequest(5, '"a"'))
      assert.deepEqual([first.status, String(first.body).length], [201, MB])
      for (let retry = 0; retry < 2; retry++) {
        const { status, body, headers } = await sendRequest(shop.app, '/payments', paymentRequest(5, '"a"'))
        const { type, detail }: { type?: unknown; detail?: unknown } = Object(body)
        assert.deepEqual([status, type], [409, DRAFT])
        assert.match(String(detail), /was completed with status 201, but its response was too large to store/)
        assert.deepEqual([headers.get('retry-after'), headers.get('idempotent-replayed')], [null, null])
        assert.match(headers.get('link') ?? '', /rel="describedby"/)
      }
      assert.equal((await sendRequest(shop.app, '/payments', paymentRequest(6, '"a"'))).status, 422)
      assert.deepEqual(shop.made, [5])
    })
  }

  it('keeps the key of a large response completed for the ttl', async () => {
    const store = new LeasedStore()
    const shop = shopOfSize(MB, { store, ttl: 1000 })
    await sendRequest(shop.app, '/payments', paymentRequest(5, '"a"'))
    store.now = 999
    assert.equal((await sendRequest(shop.app, '/payments', paymentRequest(5, '"a"'))).status, 409)
    store.now = 1000
    assert.equal((await sendRequest(shop.app, '/payments', paymentRequest(5, '"a"'))).status, 201)
  })

  it('logs one warning per endpoint for large responses', async () => {
    const shop = shopOfSize(MB)
    for (const [target, key] of ['/payments', '/payments', '/orders/1', '/orders/2'].entries()) {
      assert.equal((await sendRequest(shop.app, key, paymentRequest(5, `"${target}"`))).status, 201)
    }
    assert.deepEqual(logLevels(shop.lines), [
      ['warn', TOO_LARGE],
      ['warn', TOO_LARGE],
    ])
    assert.deepEqual(
      shop.lines.map(({ fields }) => fields['route']),
      ['Payments', 'Orders'],
    )
  })

  it('applies the maximum of 1 MB to the serialized response, with escapes, UTF-8 and base64', async () => {
    const store = new MeasuredStore()
    const replies: readonly (readonly [contract: object, value: unknown, isStored: boolean])[] = [
      [anything, 'x'.repeat(MB - 200), true],
      [anything, 'x'.repeat(MB + 1), false],
      [anything, '€'.repeat(MB / 3 - 100), true],
      [anything, '€'.repeat(MB / 3), false],
      [anything, '\u0001'.repeat(MB / 7), false],
      [{ returns: text() }, '\u0001'.repeat(MB / 7), true],
      [{ returns: text() }, '\u0001'.repeat(MB / 6), false],
      [{ returns: bytes() }, new Uint8Array(MB / 2), true],
      [{ returns: bytes() }, new Uint8Array(MB - 200), false],
      [{ returns: bytes() }, new Uint8Array(2 * MB), false],
    ]
    for (const [at, [contract, value, isStored]] of replies.entries()) {
      const shop = createShop({ store, contract: { errors: [], ...contract }, pay: () => value })
      const key = `"${at}"`
      assert.equal((await sendRequest(shop.app, '/payments', paymentRequest(5, key))).status, 201)
      assert.equal((await sendRequest(shop.app, '/payments', paymentRequest(5, key))).status, isStored ? 201 : 409, key)
      assert.deepEqual(shop.made, [5])
    }
    assert.ok(store.largest <= MB)
  })

  it('responds 409 to a retry after an error that is too large', async () => {
    const shop = createShop({
      pay: () => {
        throw new HttpError(402, 'x'.repeat(MB))
      },
    })
    assert.equal((await sendRequest(shop.app, '/payments', paymentRequest(5, '"a"'))).status, 402)
    const { status, body } = await sendRequest(shop.app, '/payments', paymentRequest(5, '"a"'))
    assert.deepEqual([status, /with status 402/.test(Object(body).detail)], [409, true])
    assert.deepEqual(shop.made, [5])
  })
})

describe('idempotency: a full in-memory store', () => {
  it('removes only responses of the client that takes the most memory, and logs the first removal', async () => {
    const shop = shopOfSize(1_000_000)
    const pay = (key: string, user: string) =>
      sendRequest(shop.app, '/payments', paymentRequest(5, key, { 'x-user': user }))
    await pay('"of the victim"', 'victim')
    for (let n = 0; n < 70; n++) await pay(`"${n}"`, 'attacker')
    assert.deepEqual(logLevels(shop.lines), [
      ['warn', 'In-memory store of idempotency keys full; oldest keys discarded, and their requests can run again'],
    ])
    const replayed = async (...args: Parameters<typeof pay>) => (await pay(...args)).headers.has('idempotent-replayed')
    assert.deepEqual(
      [
        await replayed('"of the victim"', 'victim'),
        await replayed('"69"', 'attacker'),
        await replayed('"0"', 'attacker'),
      ],
      [true, true, false],
    )
  })

  it('shares the in-memory store among all endpoints of an app', async () => {
    const shop = shopOfSize(1_000_000)
    for (let n = 0; n < 35; n++) {
      for (const target of ['/payments', `/orders/${n}`])
        await sendRequest(shop.app, target, paymentRequest(5, `"${n}"`))
    }
    assert.equal(shop.lines.length, 1)
  })

  it('ignores an error of the logger when the in-memory store is full', async () => {
    const warn = () => {
      throw new Error('The disk is full')
    }
    const logger = { debug: () => {}, info: () => {}, warn, error: () => {} }
    const shop = shopOfSize(MB - 200, { app: { logger } })
    for (let n = 0; n < 66; n++) {
      assert.equal((await sendRequest(shop.app, '/payments', paymentRequest(5, `"${n}"`))).status, 201)
    }
  })
})

describe('idempotency: a store of the app', () => {
  it('passes a digest of the client to the store, the same for all endpoints and keys', async () => {
    const clients: string[] = []
    const store = new LeasedStore()
    const noted: IdempotencyStore = {
      claim: (claim) => {
        clients.push(claim.client)
        return store.claim(claim)
      },
      complete: (...args) => store.complete(...args),
      release: (claim) => store.release(claim),
    }
    const shop = createShop({ store: noted })
    for (const [target, key, user] of [
      ['/payments', '"a"', 'ada'],
      ['/orders/1', '"b"', 'ada'],
      ['/payments', '"a"', 'ben'],
    ] as const) {
      await sendRequest(shop.app, target, paymentRequest(5, key, { 'x-user': user }))
    }
    const [first = '', second, third] = clients
    assert.match(first, /^[\w-]{43}$/)
    assert.deepEqual([first === second, first === third], [true, false])
  })

  it('responds 503 if the store returns an unknown state', async () => {
    const found = ['in work', 'answered', undefined].map((state): unknown => ({ state }))
    for (const state of [
      ...found,
      { state: 'completed' },
      { state: 'completed', answer: '' },
      undefined,
      null,
      'claimed',
    ]) {
      // Proof: the store is wrong.
      const claim = async () => state as never
      const shop = createShop({ store: { claim, complete: async () => true, release: async () => {} } })
      assert.equal((await sendRequest(shop.app, '/payments', paymentRequest(5, '"a"'))).status, 503)
      const { cause } = Object(shop.lines[0]?.fields['err'])
      assert.match(String(cause), /"claim" returned an unknown state\. Return \{ state: 'claimed' \}/)
      assert.deepEqual(shop.made, [])
    }
  })
})
