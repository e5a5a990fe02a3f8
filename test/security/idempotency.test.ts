/**
 * Requests with an `Idempotency-Key` over sockets: concurrent, from disconnecting clients, with invalid keys. The method is always called
 * once for each key, and no client gets the response of another one.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import { HttpError, provide, type App } from 'verbena'
import { RunningApp } from '#src/app/running-app.js'
import { createGate } from '#test/apps.js'
import { askWire, toBytes, until, Wire, type WireAnswer } from '#test/e2e.js'
import { LeasedStore, createShop, type Shop, type ShopOptions } from '#test/idempotency.js'
import { formatTitle } from '#test/attack-rows.js'

const apps: App[] = []

const closeApps = async () => {
  for (const app of apps.splice(0)) await app.close()
}

interface Client {
  readonly shop: Shop
  readonly port: number
  readonly pay: (amount: number, key: string, headers?: Record<string, string>) => Promise<WireAnswer>
}

async function listening(options: ShopOptions = {}): Promise<Client> {
  const shop = createShop(options)
  apps.push(shop.app)
  const { port } = await shop.app.listen()
  return { shop, port, pay: (amount, key, headers) => askWire(port, requestOf(amount, key, headers)) }
}

function requestOf(amount: number, key: string, headers: Record<string, string> = {}) {
  const fields = { 'Content-Type': 'application/json', 'Idempotency-Key': key, ...headers }
  return { method: 'POST', target: '/payments', headers: fields, body: JSON.stringify({ amount }) }
}

/** Counts responses by status; replayed responses are counted as `again`. */
function counted(answers: readonly WireAnswer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, headers } of answers) {
    const name = headers.has('idempotent-replayed') ? 'again' : String(status)
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

function running(app: App): number {
  return RunningApp.partsOf(app)?.state.work.running ?? -1
}

describe('requests with one key', () => {
  after(closeApps)

  it(
    formatTitle({
      rule: 'are executed once, at the same time or later',
      source: 'draft-ietf-httpapi-idempotency-key-header §2.6',
    }),
    async () => {
      const done = createGate()
      const { shop, pay } = await listening({ pay: () => done.opened.then(() => ({ number: 1 })) })
      let answered = 0
      const all = Array.from({ length: 50 }, () => pay(5, '"a"').finally(() => answered++))
      await until(() => answered === 49, 'the other requests have responses')
      done.open()
      assert.deepEqual(counted(await Promise.all(all)), { 201: 1, 409: 49 })
      assert.deepEqual(counted(await Promise.all([pay(5, '"a"'), pay(5, 'a')])), { again: 2 })
      assert.deepEqual(shop.made, [5])
    },
  )

  it(
    formatTitle({
      rule: 'are executed once in two apps that share a store',
      source: 'draft-ietf-httpapi-idempotency-key-header §2.6',
    }),
    async () => {
      const store = new LeasedStore()
      const done = createGate()
      const pay = () => done.opened.then(() => ({ number: 1 }))
      const clients = [await listening({ store, pay }), await listening({ store, pay })]
      let answered = 0
      const all = Array.from({ length: 40 }, async (_, n) => {
        const answer = await (clients[n % 2]?.pay(5, '"a"') ?? assert.fail())
        answered++
        return answer
      })
      await until(() => answered === 39, 'the other requests have responses')
      done.open()
      assert.deepEqual(counted(await Promise.all(all)), { 201: 1, 409: 39 })
      assert.equal(clients.flatMap(({ shop }) => shop.made).length, 1)
    },
  )

  it(
    formatTitle({
      rule: 'are rejected with 422 if they differ from the first request',
      source: 'draft-ietf-httpapi-idempotency-key-header §2.7',
    }),
    async () => {
      const { shop, pay } = await listening()
      await pay(5, '"a"')
      const others = await Promise.all([6, 7, 8].map((amount) => pay(amount, '"a"')))
      assert.deepEqual(counted(others), { 422: 3 })
      assert.deepEqual(shop.made, [5])
    },
  )

  it(formatTitle({ rule: 'are separate for each user', source: 'CWE-639' }), async () => {
    const { shop, pay } = await listening({
      pay: ({ request }) => ({ number: request.headers['x-user'] === 'ben' ? 2 : 1 }),
    })
    const ada = await pay(5, '"a"', { 'X-User': 'ada' })
    const ben = await pay(5, '"a"', { 'X-User': 'ben' })
    assert.deepEqual([ada.body, ben.body], ['{"number":1}', '{"number":2}'])
    assert.deepEqual(counted([await pay(5, '"a"', { 'X-User': 'nobody' })]), { 401: 1 })
    assert.equal(shop.made.length, 2)
  })

  it(
    formatTitle({
      rule: 'are executed at most once, for any order of requests, failures and retries',
      source: 'draft-ietf-httpapi-idempotency-key-header §2.6',
    }),
    async () => {
      const act = fc.record({
        key: fc.constantFrom('a', '"b"', 'c'),
        amount: fc.constantFrom(1, 2),
        user: fc.constantFrom('ada', 'ben'),
        fate: fc.constantFrom('fine', 'fine', 'refused', 'broken'),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 12 }), async (acts) => {
          const done = new Map<string, { amount: number; status: number }>()
          let fate = 'fine'
          const { shop, pay } = await listening({
            pay: () => {
              if (fate === 'broken') throw new Error('broken')
              if (fate === 'refused') throw new HttpError(402)
              return { number: 1 }
            },
          })
          for (const { key, amount, user, ...given } of acts) {
            fate = given.fate
            const before = shop.made.length
            const known = done.get(`${user} ${key}`)
            const { status, headers } = await pay(amount, key, { 'X-User': user })
            if (known !== undefined) {
              assert.equal(status, known.amount === amount ? known.status : 422)
              assert.equal(headers.has('idempotent-replayed'), known.amount === amount)
              assert.equal(shop.made.length, before)
              continue
            }
            assert.equal(status, { fine: 201, refused: 402, broken: 500 }[fate])
            assert.equal(shop.made.length, before + 1)
            if (fate !== 'broken') done.set(`${user} ${key}`, { amount, status })
          }
          await shop.app.close()
        }),
        { numRuns: 25 },
      )
    },
  )
})

describe('a client that disconnects while its request is in progress', () => {
  after(closeApps)

  /** Disconnects while the method is running, and waits until it is done. */
  async function left(options: ShopOptions): Promise<Client> {
    const [reached, gone] = [createGate(), createGate()]
    const client = await listening({
      ...options,
      pay: async (input) => {
        reached.open()
        await gone.opened
        return options.pay?.(input) ?? { number: 1 }
      },
    })
    const wire = new Wire(client.port)
    wire.send(toBytes(requestOf(5, '"a"')))
    await reached.opened
    wire.destroy()
    await until(() => wire.socket.destroyed, 'the client has left')
    await wait(20)
    gone.open()
    await until(() => running(client.shop.app) === 0, 'the work is done')
    return client
  }

  it(
    formatTitle({
      rule: 'does not stop the request, and a retry gets its response',
      source: 'draft-ietf-httpapi-idempotency-key-header §1',
    }),
    async () => {
      const { shop, pay } = await left({})
      assert.deepEqual(counted([await pay(5, '"a"')]), { again: 1 })
      assert.deepEqual(shop.made, [5])
    },
  )

  it(
    formatTitle({
      rule: 'does not roll back its providers or abort its signal',
      source: 'draft-ietf-httpapi-idempotency-key-header §1',
    }),
    async () => {
      const ends: string[] = []
      const transaction = (name: string) =>
        async function* () {
          try {
            yield name
            ends.push(`${name} commits`)
          } catch {
            ends.push(`${name} rolls back`)
          }
        }
      const tx = provide({}, transaction('tx'))
      const late = provide({}, transaction('late'), { ends: 'after-response' })
      const { shop, pay } = await left({
        uses: { tx, late },
        pay: ({ signal, response }) => {
          response.after(() => ends.push('mail'))
          return { number: signal.aborted ? 2 : 1 }
        },
      })
      assert.deepEqual(ends, ['tx commits', 'late commits', 'mail'])
      assert.equal((await pay(5, '"a"')).body, '{"number":1}')
      assert.deepEqual(shop.made, [5])
    },
  )

  it(
    formatTitle({
      rule: 'does not abort a signal that was read before',
      source: 'draft-ietf-httpapi-idempotency-key-header §1',
    }),
    async () => {
      const early = provide({ guard: true }, ({ signal }) => signal)
      const { pay } = await left({ uses: { early }, pay: ({ signal }) => ({ number: signal.aborted ? 2 : 1 }) })
      assert.equal((await pay(5, '"a"')).body, '{"number":1}')
    },
  )

  it(
    formatTitle({ rule: 'does not hide a failure from the log, and releases the key', source: 'CWE-778' }),
    async () => {
      let isBroken = true
      const { shop, pay } = await left({
        store: new LeasedStore(),
        pay: () => {
          if (isBroken) throw new Error('broken')
          return { number: 1 }
        },
      })
      isBroken = false
      assert.deepEqual(
        shop.lines.map(({ level, message }) => [level, message]),
        [['error', 'The request failed unexpectedly']],
      )
      assert.deepEqual(counted([await pay(5, '"a"')]), { 201: 1 })
    },
  )

  it(
    formatTitle({
      rule: 'locks no key if its body is incomplete',
      source: 'draft-ietf-httpapi-idempotency-key-header §2.6',
    }),
    async () => {
      const { shop, port, pay } = await listening()
      const wire = new Wire(port)
      wire.send(toBytes(requestOf(5, '"a"')).slice(0, -1))
      await until(() => running(shop.app) === 1, 'the request has begun')
      wire.destroy()
      await until(() => running(shop.app) === 0, 'the request has ended')
      assert.deepEqual(counted([await pay(5, '"a"')]), { 201: 1 })
      assert.deepEqual(shop.made, [5])
    },
  )
})

describe('the header Idempotency-Key', () => {
  after(closeApps)

  it(
    formatTitle({
      rule: 'is rejected with 400 if it is invalid, without calling the method',
      source: 'RFC 9651 §3.3.3',
    }),
    async () => {
      const { shop, pay, port } = await listening()
      for (const key of ['', '""', '"', 'a b', 'a,b', '"a","b"', 'a'.repeat(256), '"\\', '"\xe9"', '%00;', '"a";=']) {
        assert.equal((await pay(5, key)).status, 400, key)
      }
      const twice = toBytes(requestOf(5, 'a')).replace(
        'Idempotency-Key: a\r\n',
        'Idempotency-Key: a\r\nIdempotency-Key: b\r\n',
      )
      const wire = new Wire(port)
      wire.send(twice)
      assert.equal((await wire.read()).status, 400)
      wire.destroy()
      assert.deepEqual(shop.made, [])
      assert.equal((await pay(5, 'a'.repeat(255))).status, 201)
    },
  )

  it(
    formatTitle({
      rule: 'does not bypass the body limit or the media type',
      source: 'RFC 9110 §15.5.14',
    }),
    async () => {
      const { shop, port } = await listening({ app: { limits: { body: 20 } } })
      const large = await askWire(port, { ...requestOf(5, '"a"'), body: `{"amount":${'5'.repeat(100)}}` })
      const typed = await askWire(port, requestOf(5, '"a"', { 'Content-Type': 'text/plain' }))
      assert.deepEqual([large.status, typed.status, shop.made], [413, 415, []])
    },
  )
})
