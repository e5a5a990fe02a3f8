/** Statuses that Verbena itself responds with: documented for the endpoints on which they occur, and never listed by `report()`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyOf, bearer, createApp, precondition, provide, Route, type App } from 'verbena'
import { deprecated, version } from 'verbena/decorators'
import { memoryLimits, rateLimit } from 'verbena/limits'
import { session, signedIn } from 'verbena/session'
import { override, testApp } from 'verbena/testing'
import { memorySessions } from '#src/features/stores/memory/sessions.js'
import { KEY } from '#test/browser-client.js'
import * as z from 'zod'

const local = session({ keys: [KEY], cookie: { name: 'local' } })
const stored = session({ keys: [KEY], store: memorySessions() })
const user = signedIn(stored, (name) => ({ name }))
const caller = anyOf(
  bearer((token) => token === 'a1b2'),
  user,
)
const derived = provide({ uses: { stored } }, ({ stored }) => stored.value ?? null)
const by = (): string => 'all'
const counted = rateLimit({ by, limit: 5, window: 1000, store: memoryLimits() })
const open = rateLimit({ by, limit: 5, window: 1000, store: memoryLimits(), whenDown: 'open', name: 'open' })
const revision = precondition({}, () => 1)
const required = precondition({}, () => 1, { required: true })
const documented = precondition({ errors: { 404: 'No such thing' } }, () => 1, { required: true })

/** Providers, and the statuses that the document has for GET and for PUT, and `report()` lists for PUT. */
const ROWS = {
  local: [{ local }, [], ['403'], []],
  stored: [{ stored }, ['503'], ['403', '503'], []],
  user: [{ user }, ['401', '503'], ['401', '403', '503'], [401]],
  caller: [{ caller }, ['401', '503'], ['401', '403', '503'], [401]],
  derived: [{ derived }, ['503'], ['403', '503'], []],
  counted: [{ counted }, ['429', '503'], ['429', '503'], [429]],
  open: [{ open }, ['429'], ['429'], [429]],
  revision: [{ revision }, ['412'], ['412'], [412]],
  required: [{ required }, ['412'], ['412', '428'], [412, 428]],
  documented: [{ documented }, ['404', '412'], ['404', '412', '428'], [404, 412, 428]],
} as const

function createThings(uses: object): App {
  class Things extends Route {
    static readonly uses = uses as {}
    static readonly get = this.contract({ returns: null })
    get(): void {}
    static readonly put = this.contract({ returns: null })
    put(): void {}
  }
  return createApp({ routes: { Things }, logger: false })
}

function statusesOf(app: App, method: 'get' | 'put' = 'get'): string[] {
  const { responses = {} } = app.openapi().paths['/things']?.[method] ?? {}
  return Object.keys(responses).filter((status) => status >= '400' && status !== 'default')
}

describe("openapi: Verbena's own problems", () => {
  for (const [name, [uses, read, changed, reported]] of Object.entries(ROWS)) {
    it(`documents the problems of the provider "${name}" for methods that can cause them, and does not report them`, async () => {
      const app = createThings(uses)
      assert.deepEqual([statusesOf(app), statusesOf(app, 'put')], [[...read], [...changed]])
      const { report } = await testApp(app)
      const missing = report().filter(({ method }) => method === 'PUT')
      assert.deepEqual(
        missing.map(({ status }) => status),
        [204, ...reported],
      )
    })
  }

  it('documents problems of a provider that a test replaces', async () => {
    const { fetch } = await testApp(createThings({ user }), { override: [override(user, () => ({ name: 'ada' }))] })
    const { paths } = JSON.parse(await (await fetch('/openapi.json')).text())
    assert.deepEqual(Object.keys(paths['/things'].put.responses), ['204', '401', '403', '503', 'default'])
  })

  it('documents problems of versions and sunsets, and does not report them', async () => {
    class Things extends Route {
      static readonly get = this.contract({ returns: null })
      @version('^1')
      @deprecated({ sunset: '2999-12-31' })
      get(): void {}
      static readonly put = this.contract({ returns: null })
      @deprecated({ since: '2026-01-01' })
      put(): void {}
    }
    const app = createApp({ version: '1.0.0', routes: { Things }, logger: false })
    assert.deepEqual([statusesOf(app), statusesOf(app, 'put')], [['400', '406', '410'], []])
    const { api, report } = await testApp(app)
    await api('/things').get()
    await api('/things').put()
    assert.deepEqual(report(), [])
  })

  it('reports problems that the contract declares', async () => {
    class Things extends Route {
      static readonly put = this.contract({
        uses: { stored },
        errors: { 403: 'Not yours', 503: 'Busy' },
        returns: null,
      })
      put(): void {}
    }
    const { report } = await testApp(createApp({ routes: { Things }, logger: false }))
    assert.deepEqual(
      report().map(({ status }) => status),
      [204, 403, 503],
    )
  })

  it('does not fail strict tests because of undeclared framework problems', async () => {
    class Things extends Route {
      static readonly get = this.contract({ uses: { stored }, returns: z.string() })
      get({ stored }: { stored: { value: string | undefined } }) {
        return stored.value ?? 'nobody'
      }
      static readonly put = this.contract({ uses: { stored }, returns: null })
      put(): void {}
    }
    const { fetch } = await testApp(createApp({ routes: { Things }, logger: false }))
    const headers = { origin: 'https://evil.example' }
    assert.equal((await fetch('/things', { headers })).status, 200)
    assert.equal((await fetch('/things', { method: 'PUT', headers })).status, 403)
  })
})
