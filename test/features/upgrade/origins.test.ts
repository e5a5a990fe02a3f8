/** Sessions and limits as guards of an upgrade. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { provide, Route, type Input, type Routes } from 'verbena'
import { memoryLimits, rateLimit, type LimitStore } from 'verbena/limits'
import { session, signedIn } from 'verbena/session'
import { upgrade } from 'verbena/upgrade'
import { captureLog, createUntypedApp } from '#test/apps.js'
import { onCleanup } from '#test/cleanup.js'
import { requestUpgrade, hail, parseStatus, SWITCHING } from '#test/upgrades.js'

async function open(t: TestContext, routes: Routes, services: object = {}) {
  const { logger, lines } = captureLog()
  const app = createUntypedApp({ routes, services, logger, signals: false, devConsole: false })
  const { port, url } = await app.listen()
  onCleanup(t, () => app.close())
  return { port, url, lines }
}

describe('upgrade(): guards', () => {
  it('accepts a session as a guard', async (t) => {
    const visitor = session({ keys: ['a text of 32 bytes that nobody knows'] })
    const user = signedIn(visitor, (name) => name)
    class Names extends Route {
      static readonly put = this.contract({ uses: { visitor } })
      put({ visitor: own }: Input<typeof Names.put>) {
        own.start('ada')
      }
    }
    const live = upgrade({ uses: { user } }, ({ user: name }, socket) => void socket.end(SWITCHING + name))
    const { port, url, lines } = await open(t, { Names, '/live': live })
    const { headers } = await fetch(`${url}/names`, { method: 'PUT' })
    const [cookie = ''] = headers.getSetCookie()[0]?.split(';') ?? []
    assert.equal(await requestUpgrade(port, hail('/live', `Cookie: ${cookie}\r\n`)), `${SWITCHING}ada`)
    assert.equal(parseStatus(await requestUpgrade(port, hail('/live'))), 401)
    assert.equal(
      parseStatus(await requestUpgrade(port, hail('/live', `Cookie: ${cookie}\r\nOrigin: http://b\r\n`))),
      403,
    )
    assert.deepEqual(
      lines.filter(({ level }) => level === 'error'),
      [],
    )
  })

  it('reads settings of guards from the services of the app', async (t) => {
    const visitor = session({ keys: ({ keys }: { keys: string[] }) => keys })
    const attempts = rateLimit({
      by: ({ request }) => request.ip,
      limit: 1,
      window: 60_000,
      store: async ({ counts }: { counts: LimitStore }) => counts,
    })
    const live = upgrade({ uses: { attempts, visitor } }, (_, socket) => void socket.end(SWITCHING))
    const services = { keys: ['a text of 32 bytes that nobody knows'], counts: memoryLimits() }
    const { port, lines } = await open(t, { '/live': live }, services)
    assert.equal(parseStatus(await requestUpgrade(port, hail('/live'))), 101)
    assert.equal(parseStatus(await requestUpgrade(port, hail('/live'))), 429)
    assert.deepEqual(
      lines.filter(({ level }) => level === 'error'),
      [],
    )
  })

  it('accepts a rate limit as a guard, and sends its headers with a 429', async (t) => {
    const attempts = rateLimit({ by: ({ request }) => request.ip, limit: 1, window: 60_000 })
    const live = upgrade({ uses: { attempts } }, (_, socket) => void socket.end(SWITCHING))
    const { port } = await open(t, { '/live': live })
    assert.equal(parseStatus(await requestUpgrade(port, hail('/live'))), 101)
    const refused = await requestUpgrade(port, hail('/live'))
    assert.match(refused, /^HTTP\/1\.1 429 [^]*\r\nretry-after: \d+\r\n/)
    assert.match(refused, /\r\nratelimit: /)
  })

  it('sends the headers of guards, but not of the handler, if the handler fails', async (t) => {
    const marked = provide({ guard: true }, ({ response }) => {
      response.header('x-guard', 'here')
      return 1
    })
    const live = upgrade({ uses: { marked } }, ({ response }) => {
      response.header('x-handler', 'here')
      throw new Error('no')
    })
    const { port } = await open(t, { '/live': live })
    const refused = await requestUpgrade(port, hail('/live'))
    assert.match(refused, /^HTTP\/1\.1 500 [^]*\r\nx-guard: here\r\n/)
    assert.doesNotMatch(refused, /x-handler/)
  })
})
