/** Options of `rateLimit` that come from services. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, Route, type App } from 'verbena'
import { rateLimit, type LimitStore } from 'verbena/limits'
import { testApp } from 'verbena/testing'
import { MemoryLimits } from '#src/features/stores/memory/limits.js'
import { captureLog, sendRequest } from '#test/apps.js'

const as = (client: string): RequestInit => ({ headers: { 'x-client': client } })

describe('rateLimit() option store: function of the services', () => {
  const few = rateLimit({
    by: ({ request }) => request.headers['x-client'] ?? '',
    limit: ({ request: _ }, { plans }: { plans: number }) => plans,
    window: 60_000,
    name: 'few',
    store: async ({ counts }: { counts: LimitStore }) => counts,
  })
  class Home extends Route {
    static readonly get = this.contract({ uses: { few } })
    get() {}
  }

  it('counts in the store of each app', async () => {
    const counts = new MemoryLimits(10)
    const app = createApp({ services: { counts, plans: 2 }, routes: { Home } })
    await using other = await testApp(app, { services: { counts: new MemoryLimits(10) } })
    const remaining = async (target: Pick<App, 'fetch'>): Promise<unknown> =>
      (await sendRequest(target, '/home', as('a'))).headers.get('ratelimit')?.split(';')[1]
    assert.deepEqual(
      [await remaining(app), await remaining(app), await remaining(app), await remaining(other)],
      ['r=1', 'r=0', 'r=0', 'r=1'],
    )
    assert.equal(counts.size, 1)
  })

  it('documents 503, and responds 503 if the store is unavailable', async () => {
    const counts: LimitStore = {
      take: () => {
        throw new Error('connection lost')
      },
    }
    const { logger, lines } = captureLog()
    const app = createApp({ services: { counts, plans: 2 }, routes: { Home }, logger })
    assert.ok('503' in (app.openapi().paths['/home']?.['get']?.responses ?? {}))
    assert.equal((await sendRequest(app, '/home', as('a'))).status, 503)
    assert.deepEqual(
      lines.map(({ message, fields }) => [message, fields['limit'], fields['whenDown']]),
      [['Rate limit store unavailable', 'few', 'closed']],
    )
  })

  it('rejects the start of an app if the function returns no store', async () => {
    const counts: LimitStore = Object.create(null)
    await assert.rejects(createApp({ services: { counts, plans: 2 }, routes: { Home } }).start(), {
      code: 'OPTION_INVALID',
      message:
        'Cannot use the option "store" of rateLimit(): it must have a method "take", not a plain object. Write "store: redisLimits(client)"',
    })
  })
})
