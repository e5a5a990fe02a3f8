/** `app.check()`: files that browsers block in pages of other origins, or that shared caches send without a guard. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bearer, group, provide, Route, type SecurityHeaders, type Uses } from 'verbena'
import { session } from 'verbena/session'
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

describe('app.check(): FILES_SHARED', () => {
  const user = bearer((token) => token === 'a1b2' && 'ada')
  const office = provide({ guard: true, errors: [403] }, () => true)
  const counted = provide({ guard: true, errors: [429] }, () => 1)
  const visitor = session({ keys: ['a text of 32 bytes that nobody knows'] })

  function checkFolder(uses: Uses, options: object) {
    const routes = { '/assets': group({ uses, routes: { '/': files(folder, options) } }) }
    return createUntypedApp({ routes })
      .check()
      .filter(({ code }) => code === 'FILES_SHARED')
  }

  for (const [name, uses] of Object.entries<Uses>({ user: { user }, office: { office }, visitor: { visitor } })) {
    it(`reports public files with a guard once: ${name}`, () => {
      assert.deepEqual(checkFolder(uses, { public: true }), [
        {
          code: 'FILES_SHARED',
          route: 'Files',
          method: 'GET',
          message:
            '"GET /assets/{path...}" has a guard, but "public: true" lets shared caches send its files without the guard',
          fix: 'Remove "public: true" of files(), or move the files to a group without guards',
        },
      ])
    })
  }

  it('accepts other files with a guard, and public files without one', () => {
    assert.deepEqual(checkFolder({ user }, {}), [])
    assert.deepEqual(checkFolder({ counted }, { public: true }), [])
    assert.deepEqual(checkFolder({}, { public: true }), [])
  })
})
