/** `within` of `idempotency`: the response is stored in the transaction of the request, so that neither exists without the other. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError, provide, reply, Route, type App, type Input } from 'verbena'
import { idempotency } from 'verbena/idempotency'
import { override, testApp } from 'verbena/testing'
import * as z from 'zod'
import { captureLog, createGate, createUntypedApp, looseContract, sendRequest, type Line } from '#test/apps.js'
import { paymentRequest, StagedStore, type Staging } from '#test/idempotency.js'

/** A payments app whose rows and responses are committed together. */
interface Bank {
  readonly app: App
  readonly store: StagedStore
  /** Amounts of all committed payments. */
  readonly rows: unknown[]
  readonly lines: readonly Line[]
}

interface BankOptions {
  /** Replaces the end of the method; returns the reply. */
  readonly pay?: (input: Pick<Input, 'response'>) => unknown
  /** Called instead of a commit, and calls it or fails. */
  readonly commit?: (commit: () => void) => unknown
  readonly timeout?: number
}

const Number = z.object({ number: z.number() })

function createBank({ pay, commit: end, timeout = 60_000 }: BankOptions = {}): Bank {
  const store = new StagedStore()
  const rows: unknown[] = []
  const transaction = provide({}, async function* ({ response }) {
    const staging: Staging = { rows: [], responses: new Map() }
    yield staging
    const commit = (): void => {
      rows.push(...staging.rows)
      for (const [key, entry] of staging.responses) store.committed.set(key, entry)
    }
    if (end === undefined) commit()
    else await end(commit)
    response.header('x-end', 'committed')
  })
  const once = idempotency({ by: () => 'ada', ttl: 60_000, within: transaction, store })
  class Payments extends Route {
    static readonly post = this.contract({
      ...{ idempotency: once, uses: { transaction }, body: z.object({ amount: z.number() }), timeout },
      ...{ returns: { 201: Number, 409: Number, 429: Number, 503: Number }, errors: [402] },
    })
    async post(input: Input<typeof Payments.post>) {
      input.transaction.rows.push(input.body.amount)
      input.response.header('x-method', 'called')
      // Proof: tests return one of the declared replies.
      return (await (pay?.(input) ?? reply(201, { number: 1 }))) as ReturnType<typeof numbered>
    }
  }
  const { logger, lines } = captureLog()
  return { app: createUntypedApp({ routes: { Payments }, logger, signals: false }), store, rows, lines }
}

function numbered(number: number) {
  return reply(201, { number })
}

function send({ app }: Bank, amount = 5, key = '"a"') {
  return sendRequest(app, '/payments', paymentRequest(amount, key))
}

describe('idempotency with "within"', () => {
  it('commits the response of the method with its work, and releases the key', async () => {
    const bank = createBank()
    const first = await send(bank)
    assert.deepEqual([first.status, first.headers.get('idempotent-replayed')], [201, null])
    assert.deepEqual([bank.rows, bank.store.committed.size, bank.store.entries.size], [[5], 1, 0])
    const again = await send(bank)
    assert.deepEqual([again.status, again.text, again.headers.get('idempotent-replayed')], [201, first.text, 'true'])
    assert.deepEqual(bank.rows, [5])
    assert.equal((await send(bank, 6)).status, 422)
  })

  it('stores the headers of the method without the headers that a provider sets after its yield', async () => {
    const bank = createBank()
    const read = async () => {
      const { headers } = await send(bank)
      return [headers.get('x-method'), headers.get('x-end')]
    }
    assert.deepEqual(
      [await read(), await read()],
      [
        ['called', 'committed'],
        ['called', null],
      ],
    )
  })

  it('stores nothing if the commit fails, and runs the retry', async () => {
    let isBroken = true
    const bank = createBank({
      commit: (commit) => {
        if (isBroken) throw new Error('disk full')
        commit()
      },
    })
    assert.equal((await send(bank)).status, 500)
    assert.deepEqual([bank.rows, bank.store.committed.size, bank.store.entries.size], [[], 0, 0])
    isBroken = false
    assert.equal((await send(bank)).status, 201)
    assert.deepEqual(bank.rows, [5])
  })

  it('keeps the response if the commit succeeds and the end of the provider fails later', async () => {
    const bank = createBank({
      commit: (commit) => {
        commit()
        throw new Error('connection lost')
      },
    })
    assert.equal((await send(bank)).status, 500)
    const again = await send(bank)
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed'), bank.rows], [201, 'true', [5]])
  })

  it('rolls back if the response cannot be stored', async () => {
    const bank = createBank()
    bank.store.beforeComplete = () => {
      throw new Error('connection lost')
    }
    assert.equal((await send(bank)).status, 500)
    assert.deepEqual([bank.rows, bank.store.entries.size], [[], 0])
    assert.match(String(Object(bank.lines[0]?.fields['err']).message), /connection lost/)
  })

  it('rolls back and replays the stored response if another request was completed first', async () => {
    const bank = createBank()
    bank.store.beforeComplete = async () => {
      bank.store.beforeComplete = () => {}
      // The lease has expired, and another process has completed the request.
      bank.store.entries.clear()
      assert.equal((await send(bank)).status, 201)
    }
    const { status, headers } = await send(bank)
    assert.deepEqual([status, headers.get('idempotent-replayed'), headers.get('x-end')], [201, 'true', null])
    assert.deepEqual([bank.rows, bank.store.entries.size, bank.lines], [[5], 0, []])
  })

  it('responds 409 if the response of the other request cannot be read', async () => {
    for (const state of ['mismatch', 'too large', 'unavailable']) {
      const bank = createBank()
      const { store } = bank
      store.beforeComplete = (claim) => {
        const response = state === 'too large' ? '{"status":201,"isTooLarge":true}' : '{"status":201,"headers":[]}'
        const request = state === 'mismatch' ? 'other' : claim.request
        store.committed.set(claim.key, { claim: { ...claim, request }, response, end: 60_000 })
        if (state === 'unavailable') store.claim = () => Promise.reject(new Error('Redis is gone'))
      }
      const { status, headers } = await send(bank)
      assert.deepEqual([status, headers.get('retry-after'), bank.rows], [409, '1', []], state)
      assert.equal(bank.lines.length, state === 'unavailable' ? 1 : 0)
    }
  })

  it('commits a declared reply from 400 to 499 with its work', async () => {
    const bank = createBank({ pay: () => reply(409, { number: 2 }) })
    const [first, again] = [await send(bank), await send(bank)]
    assert.deepEqual([first.status, again.status, again.headers.get('idempotent-replayed')], [409, 409, 'true'])
    assert.deepEqual(bank.rows, [5])
  })

  it('does not store a reply of 429 or 503, and releases the key', async () => {
    for (const status of [429, 503]) {
      const bank = createBank({ pay: () => reply(status, { number: 2 }) })
      const [first, again] = [await send(bank), await send(bank)]
      assert.deepEqual([first.status, again.headers.get('idempotent-replayed')], [status, null])
      assert.equal(bank.store.committed.size, 0)
    }
  })

  it('stores a thrown HttpError after the rollback, without the transaction', async () => {
    const bank = createBank({
      pay: () => {
        throw new HttpError(402, 'No money')
      },
    })
    const [first, again] = [await send(bank), await send(bank)]
    assert.deepEqual([first.status, again.status, again.headers.get('idempotent-replayed')], [402, 402, 'true'])
    assert.deepEqual([bank.rows, bank.store.committed.size, bank.store.entries.size], [[], 0, 1])
  })

  it('stores that a response was too large, so that the request does not run again', async () => {
    const bank = createBank({ pay: ({ response }) => void response.header('x-large', 'a'.repeat(1024 * 1024)) })
    assert.equal((await send(bank)).status, 201)
    const again = await send(bank)
    assert.deepEqual([again.status, again.headers.get('retry-after'), bank.rows], [409, null, [5]])
  })

  it('rolls back if the method times out while its response is stored', async () => {
    let store: () => void = () => {}
    const bank = createBank({ timeout: 20 })
    bank.store.beforeComplete = () => new Promise<void>((resolve) => (store = resolve))
    assert.equal((await send(bank)).status, 503)
    assert.equal((await send(bank)).status, 409)
    store()
    bank.store.beforeComplete = () => {}
    while (bank.store.entries.size > 0) await new Promise(setImmediate)
    assert.deepEqual([bank.rows, bank.store.committed.size], [[], 0])
    assert.equal((await send(bank)).status, 201)
  })

  it('does not store a response for a request without a key', async () => {
    const bank = createBank()
    const { app } = bank
    assert.equal((await sendRequest(app, '/payments', paymentRequest(5, null))).status, 201)
    assert.deepEqual([bank.rows, bank.store.committed.size], [[5], 0])
  })

  it('stores the response after the ends of all providers if a test overrides the transaction or its user', async () => {
    const transaction = provide({}, (): Staging => ({ rows: [], responses: new Map() }))
    const repository = provide({ uses: { transaction } }, ({ transaction: { rows } }) => rows)
    const store = new StagedStore()
    const once = idempotency({ by: () => 'ada', ttl: 60_000, within: transaction, store })
    class Payments extends Route {
      static readonly post = this.contract({ idempotency: once, uses: { repository }, returns: Number, status: 201 })
      post({ repository }: Input<typeof Payments.post>) {
        return { number: repository.push(1) }
      }
    }
    const app = createUntypedApp({ routes: { Payments }, logger: false })
    const overrides = [
      override(repository, () => []),
      override(transaction, (): Staging => ({ rows: [], responses: new Map() })),
    ]
    for (const replaced of overrides) {
      await using test = await testApp(app, { override: [replaced] })
      const init = { method: 'POST', headers: { 'idempotency-key': crypto.randomUUID() } }
      assert.deepEqual((await test.fetch('/payments', init)).status, 201)
      assert.equal((await test.fetch('/payments', init)).headers.get('idempotent-replayed'), 'true')
    }
    assert.deepEqual([store.committed.size, store.entries.size], [0, 2])
  })
})

describe('request.idempotencyKey', () => {
  it('is the key without quotes, and undefined without a valid key or without "idempotency"', async () => {
    const once = idempotency({ by: () => 'ada', ttl: 60_000 })
    const seen: (string | undefined)[] = []
    const returns = z.string()
    class Keys extends Route {
      static readonly post = this.contract({ idempotency: once, returns })
      static readonly put = this.contract({ returns })
      post({ request }: Input<typeof Keys.post>) {
        return request.idempotencyKey ?? 'none'
      }
      put({ request }: Input<typeof Keys.put>) {
        return request.idempotencyKey ?? 'none'
      }
    }
    const app = createUntypedApp({
      routes: { Keys },
      logger: false,
      middleware: [
        ({ request }: { request: { idempotencyKey: string | undefined } }, next: () => unknown) => {
          seen.push(request.idempotencyKey)
          return next()
        },
      ],
    })
    const ask = async (method: string, key?: string) => {
      const headers = key === undefined ? {} : { 'idempotency-key': key }
      return (await sendRequest(app, '/keys', { method, headers })).body
    }
    assert.deepEqual([await ask('POST', '"8e 03"'), await ask('POST', 'b'), await ask('POST')], ['8e 03', 'b', 'none'])
    assert.equal(await ask('PUT', '"a"'), 'none')
    await ask('POST', '"a')
    assert.deepEqual(seen, ['8e 03', 'b', undefined, undefined, undefined])
  })
})

describe('idempotency: "lease"', () => {
  it('sets the lease of a claim; Retry-After of the 409 is the time since its renewal, or the rest if none came', async () => {
    const lefts = [4_700, 2_600, 2_400, 6_000]
    const store = new StagedStore()
    const leases: number[] = []
    const claim = store.claim.bind(store)
    store.claim = async (given) => {
      leases.push(given.lease)
      return { ...(await claim(given)), left: lefts[leases.length - 2] ?? 0 }
    }
    const once = idempotency({ by: () => 'ada', ttl: 60_000, lease: 5_000, store })
    const done = createGate()
    const spec = { idempotency: once, body: z.object({ amount: z.number() }), returns: Number }
    class Payments extends Route {
      static readonly post: unknown = looseContract(Payments, spec)
      post() {
        return done.opened.then(() => ({ number: 1 }))
      }
    }
    const app = createUntypedApp({ routes: { Payments }, logger: false })
    const first = sendRequest(app, '/payments', paymentRequest(5, '"a"'))
    const retries: unknown[] = []
    for (const _ of lefts) {
      const { status, headers } = await sendRequest(app, '/payments', paymentRequest(5, '"a"'))
      retries.push([status, headers.get('retry-after')])
    }
    assert.deepEqual(retries, [
      [409, '1'],
      [409, '3'],
      [409, '3'],
      [409, '1'],
    ])
    assert.deepEqual(new Set(leases), new Set([5_000]))
    done.open()
    assert.equal((await first).status, 200)
  })
})
