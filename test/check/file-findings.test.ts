/** `app.check()`: files that browsers block in pages of other origins. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { group, Route, type SecurityHeaders } from 'verbena'
import { files } from 'verbena/files'
import { createUntypedApp } from '#test/apps.js'
import { createDirectory } from '#test/temp-directory.js'

const folder = createDirectory({ 'dot.gif': 'GIF89a' })
const ORIGINS = 'https://app.example'
const POLICY = 'Cross-Origin-Resource-Policy'

class Notes extends Route {
  static readonly get = this.contract({ public: true })
  get() {
    return {}
  }
}

class Missing extends Route {
  static readonly path = '/pages/{path...}'
  static readonly fallback = true
  static readonly get = this.contract({ public: true, hidden: true })
  get() {
    return 'a page'
  }
}

function check(options: object): { code: string; method: string; message: string; fix: string }[] {
  const app = createUntypedApp({ routes: { Notes, Missing, '/assets': files(folder) }, ...options })
  return app.check().filter(({ code }) => code === 'FILES_BLOCKED')
}

describe('app.check(): FILES_BLOCKED', () => {
  it('reports each folder of files once, with the fix', () => {
    const findings = check({ cors: { origins: ORIGINS }, securityHeaders: 'api' })
    assert.equal(findings.length, 1)
    const { method, message, fix } = findings[0] ?? assert.fail()
    assert.equal(method, 'GET')
    assert.match(
      message,
      /^"GET \/assets\/\{path\.\.\.\}" responds with "Cross-Origin-Resource-Policy: same-origin": browsers block/,
    )
    assert.match(
      fix,
      /"securityHeaders: \{ api: \{ 'cross-origin-resource-policy': 'cross-origin' \} \}".*"crossorigin"/,
    )
  })

  const BLOCKING: readonly SecurityHeaders[] = [
    'api',
    'html',
    {},
    { html: { [POLICY]: 'cross-origin' } },
    { api: { 'x-frame-options': null } },
    { api: { [POLICY]: 'same-origin' } },
  ]
  for (const securityHeaders of BLOCKING) {
    it(`reports securityHeaders ${JSON.stringify(securityHeaders)}`, () => {
      assert.equal(check({ cors: { origins: () => true }, securityHeaders }).length, 1)
    })
  }

  const SHARING: readonly SecurityHeaders[] = [
    { api: { [POLICY]: 'cross-origin' } },
    { api: { [POLICY.toLowerCase()]: 'same-site' } },
    { api: { [POLICY]: null } },
  ]
  for (const securityHeaders of SHARING) {
    it(`accepts securityHeaders ${JSON.stringify(securityHeaders)}`, () => {
      assert.deepEqual(check({ cors: { origins: ORIGINS }, securityHeaders }), [])
    })
  }

  it('reports nothing if neither the app nor the group has cors or securityHeaders', () => {
    const cors = { origins: ORIGINS }
    assert.deepEqual(check({ cors }), [])
    assert.deepEqual(check({ securityHeaders: 'api' }), [])
    for (const options of [{ cors: false }, { securityHeaders: false }] as const) {
      const routes = { inner: group({ ...options, routes: { '/assets': files(folder) } }) }
      assert.deepEqual(check({ cors, securityHeaders: 'api', routes }), [])
    }
    const routes = { inner: group({ cors, securityHeaders: 'api', routes: { '/assets': files(folder) } }) }
    assert.equal(check({ routes }).length, 1)
  })
})
