/** Limits with an unavailable store: the handling of requests, and the log. */
/* oxlint-disable unicorn/no-thenable -- thenables are what is tested */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { Route, type App } from 'verbena'
import { rateLimit, type ChargeResult, type LimitStore, type RateLimitState } from 'verbena/limits'
import { sendRequest, captureLog, createUntypedApp, type Line } from '#test/apps.js'

const fine: ChargeResult = { allowed: true, remaining: 4, reset: 1000, retryAfter: 0 }

/** Store whose results the test resolves. */
class Told implements LimitStore {
  readonly settle: { resolve: (charged: ChargeResult) => void; reject: (error: unknown) => void }[] = []
  asked = 0
  /** Whether each result is available immediately. */
  isQuick = false

  take(): Promise<ChargeResult> {
    this.asked++
    if (this.isQuick) return Promise.resolve(fine)
    return new Promise((resolve, reject) => this.settle.push({ resolve, reject }))
  }
}

interface Limited {
  readonly app: App
  readonly store: Told
  readonly lines: Line[]
  readonly states: RateLimitState[]
  status(): Promise<number>
}

function limited(whenDown?: 'open' | 'closed'): Limited {
  const store = new Told()
  const { logger, lines } = captureLog()
  const states: RateLimitState[] = []
  const few = rateLimit({ by: () => 'all', limit: 5, window: 60_000, store, ...(whenDown && { whenDown }) })
  class Home extends Route {
    static readonly get = this.contract({ uses: { few } })
    get({ few: state }: { few: RateLimitState }) {
      states.push(state)
    }
  }
  const app = createUntypedApp({ routes: { Home }, logger })
  return { app, store, lines, states, status: async () => (await sendRequest(app, '/home')).status }
}

/** Lets promises settle. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('rateLimit(): failing store', () => {
  it('responds 503 or accepts requests if the store fails, as whenDown specifies, and logs one error', async () => {
    for (const [whenDown, status] of [
      [undefined, 503],
      ['closed', 503],
      ['open', 204],
    ] as const) {
      const { store, lines, status: answered, states } = limited(whenDown)
      store.take = () => Promise.reject(new Error('no Redis'))
      assert.deepEqual([await answered(), await answered(), await answered()], [status, status, status])
      const { err, ...fields } = lines[0]?.fields ?? {}
      assert.deepEqual(
        lines.map(({ level, message }) => [level, message]),
        [['error', 'Rate limit store unavailable']],
      )
      assert.equal(fields['limit'], '5-in-60s')
      assert.equal(fields['whenDown'], whenDown ?? 'closed')
      assert.match(String(err), /no Redis/)
      const open = { limit: 5, remaining: 5, reset: 0 }
      assert.deepEqual(states, whenDown === 'open' ? [open, open, open] : [])
    }
  })

  it('does not send the error of the store to the client', async () => {
    const { app, store } = limited()
    store.take = () => Promise.reject(new Error('secret address of Redis'))
    const { text, headers } = await sendRequest(app, '/home')
    assert.match(text, /"detail":"The rate limit store is unavailable. Try again later"/)
    assert.doesNotMatch(text, /secret/)
    assert.equal(headers.get('ratelimit'), null)
  })

  it('queries a failed store again, and logs once that it is available again', async () => {
    const { store, lines, status } = limited('open')
    const { take } = store
    store.isQuick = true
    for (const round of [1, 2]) {
      store.take = () => Promise.reject(new Error('no Redis'))
      await status()
      store.take = take
      assert.deepEqual([await status(), await status()], [204, 204])
      const said = lines.map(({ level }) => level)
      assert.deepEqual(said, Array.from({ length: round }, () => ['error', 'info']).flat())
    }
  })

  it('treats a store that throws or returns a malformed result as unavailable', async () => {
    const results: readonly (() => unknown)[] = [
      () => {
        throw new TypeError('a mistake')
      },
      () => undefined,
      () => null,
      () => 'allowed',
      () => ({ allowed: 1, remaining: 1, reset: 1, retryAfter: 0 }),
      () => ({ ...fine, remaining: Number.NaN }),
      () => ({ ...fine, reset: '1' }),
      () => ({ allowed: true, remaining: 1, reset: 1 }),
      () => Promise.resolve({}),
      () => Object.defineProperty({}, 'then', { get: () => assert.fail('a getter') }),
      () => ({ then: () => assert.fail('a thenable') }),
    ]
    for (const [at, result] of results.entries()) {
      for (const [whenDown, expected] of [
        ['open', 204],
        ['closed', 503],
      ] as const) {
        const { store, lines, status, states } = limited(whenDown)
        // Proof: the store is wrong.
        store.take = result as () => Promise<ChargeResult>
        assert.deepEqual([await status(), await status()], [expected, expected], `${at} ${whenDown}`)
        store.take = () => Promise.resolve(fine)
        assert.equal(await status(), 204)
        assert.deepEqual(
          lines.map(({ level }) => level),
          ['error', 'info'],
        )
        assert.equal(states.at(-1)?.remaining, 4)
      }
    }
  })

  it('treats a store that returns a result synchronously as available again', async () => {
    const { store, lines, status } = limited()
    store.take = () => Promise.reject(new Error('no Redis'))
    await status()
    // Proof: a store may return its result synchronously, although the type of this store forbids it.
    store.take = () => fine as never
    assert.deepEqual([await status(), lines.length], [204, 2])
  })
})

describe('rateLimit(): store without a response', () => {
  const tick = async (context: TestContext, ms: number): Promise<void> => {
    await settled()
    context.mock.timers.tick(ms)
  }

  it('stops waiting for the store after a second; then only one request at a time waits', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] })
    const { store, lines, status } = limited('open')
    const [first, second] = [status(), status()]
    await tick(context, 999)
    assert.equal(lines.length, 0)
    await tick(context, 1)
    assert.deepEqual([await first, await second, store.asked, lines.length], [204, 204, 2, 1])
    // Both are still on their way to the store.
    assert.deepEqual([await status(), await status(), store.asked], [204, 204, 2])
    for (const { reject } of store.settle) reject(new Error('too late'))
    await settled()
    const third = status()
    await settled()
    assert.deepEqual([store.asked, await status(), store.asked], [3, 204, 3])
    store.settle[2]?.resolve(fine)
    assert.equal(await third, 204)
    store.isQuick = true
    await status()
    assert.equal(store.asked, 4)
    assert.deepEqual(
      lines.map(({ level }) => level),
      ['error', 'info'],
    )
  })

  it('queries a store again after 10 s whose client has lost a request', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] })
    let now = 50_000
    context.mock.method(performance, 'now', () => now)
    const { store, lines, status } = limited()
    const lost = status()
    await tick(context, 1000)
    assert.equal(await lost, 503)
    store.isQuick = true
    now += 9_999
    assert.deepEqual([await status(), store.asked], [503, 1])
    now += 1
    assert.deepEqual([await status(), await status(), store.asked], [204, 204, 3])
    assert.equal(lines.length, 2)
  })

  it('treats a store as available again after a late response', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] })
    const { store, lines, status } = limited()
    const late = status()
    await tick(context, 1000)
    assert.equal(await late, 503)
    store.settle[0]?.resolve(fine)
    await settled()
    assert.deepEqual(
      lines.map(({ level }) => level),
      ['error', 'info'],
    )
  })
})
