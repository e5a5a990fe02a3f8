/** `Cache-Control` of files: shared caches must not store responses that depend on credentials (RFC 9111 section 3.5). */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { anyOf, apiKey, basic, bearer, group, optional, provide, Route, type App, type Provider } from 'verbena'
import { files, sendFile } from 'verbena/files'
import { sealedCookie, session, signedCookie, signedIn } from 'verbena/session'
import { override, testApp } from 'verbena/testing'
import { sendRequest, createUntypedApp } from '#test/apps.js'
import { createDirectory } from '#test/temp-directory.js'

const folder = createDirectory({ 'a.txt': 'content' })
const keys = ['a text of 32 bytes that nobody knows']
const visitor = session({ keys })
const user = bearer(() => 'ada')

/** Providers that identify the client. */
const CREDENTIALS: Readonly<Record<string, Provider<unknown>>> = {
  bearer: user,
  basic: basic({ ada: 'secret' }),
  apiKey: apiKey({ in: 'query', name: 'key' }, () => 'ada'),
  optional: optional(user),
  anyOf: anyOf(
    user,
    apiKey({ in: 'header', name: 'x-key' }, () => 'ada'),
  ),
  'a provider with a security scheme': provide({ security: { type: 'http', scheme: 'own' }, guard: true }, () => 'ada'),
  'a provider that uses bearer': provide({ uses: { user }, guard: true }, () => 'ada'),
  session: visitor,
  signedIn: signedIn(visitor, () => 'ada'),
  signedCookie: signedCookie('theme', { keys }),
  sealedCookie: sealedCookie('theme', { keys }),
}

type Uses = NonNullable<NonNullable<Parameters<typeof group>[0]>['uses']>
type Options = NonNullable<Parameters<typeof files>[1]>

function appOf(uses: Uses, options: Options, app: object = {}): App {
  class File extends Route {
    static readonly uses = uses
    get() {
      return sendFile(join(folder, 'a.txt'), options)
    }
  }
  const folders = group({ uses, routes: { '/': files(folder, options) } })
  return createUntypedApp({ routes: { File, '/files': folders }, signals: false, ...app })
}

const ADA = { authorization: 'Bearer a1b2' }
const BASIC = { authorization: `Basic ${Buffer.from('ada:secret').toString('base64')}` }

async function cacheControls(app: App, headers: Record<string, string> = {}, query = ''): Promise<(string | null)[]> {
  const responses = [
    await sendRequest(app, `/file${query}`, { headers }),
    await sendRequest(app, `/files/a.txt${query}`, { headers }),
  ]
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200],
  )
  return responses.map((response) => response.headers.get('cache-control'))
}

describe('the cache control of files', () => {
  for (const [name, provider] of Object.entries(CREDENTIALS)) {
    it(`sends Cache-Control: private with ${name}`, async () => {
      const headers = { ...(name === 'basic' ? BASIC : ADA), 'x-key': 'k' }
      // The override lets requests without a session pass `signedIn`.
      const app = appOf({ provider }, { maxAge: 1000 })
      await using test = await testApp(app, { strict: false, override: [override(provider, () => 'ada')] })
      for (const path of ['/file?key=k', '/files/a.txt?key=k']) {
        const { status, headers: fields } = await test.fetch(path, { headers })
        assert.deepEqual([status, fields.get('cache-control')], [200, 'private, max-age=1'], path)
      }
    })
  }

  it('sends Cache-Control: private for a request with Authorization', async () => {
    const app = appOf({}, { maxAge: 1000, immutable: true })
    const expected = 'private, max-age=1, immutable'
    assert.deepEqual(await cacheControls(app, ADA), [expected, expected])
  })

  it('sends Cache-Control: private for a file that middleware sends for a guarded endpoint', async () => {
    const app = appOf(
      { user },
      { maxAge: 1000 },
      { middleware: [() => sendFile(join(folder, 'a.txt'), { maxAge: 1 })] },
    )
    const { headers } = await sendRequest(app, '/file')
    assert.equal(headers.get('cache-control'), 'private, max-age=0')
  })

  it('sends only max-age without credentials', async () => {
    const plain = provide({ guard: true }, () => 'a')
    assert.deepEqual(await cacheControls(appOf({ plain }, { maxAge: 1000 })), ['max-age=1', 'max-age=1'])
  })

  it('sends Cache-Control: public with "public: true"', async () => {
    const app = appOf({ user }, { maxAge: 1000, public: true })
    assert.deepEqual(await cacheControls(app, ADA), ['public, max-age=1', 'public, max-age=1'])
  })

  it('sends no Cache-Control without "maxAge", and with a guard only its default', async () => {
    assert.deepEqual(await cacheControls(appOf({}, { public: true }), ADA), [null, null])
    assert.deepEqual(await cacheControls(appOf({ user }, { public: true }), ADA), ['private', 'private'])
  })

  it('sends Cache-Control: private, no-cache for the index and the fallback with a guard, also with "public: true"', async () => {
    writeFileSync(join(folder, 'index.html'), 'home')
    for (const options of [{}, { public: true, maxAge: 1000 }]) {
      const pages = files(folder, { fallback: 'index.html', ...options })
      const routes = { '/pages': group({ uses: { user }, routes: { '/': pages } }), '/open': pages }
      const app = createUntypedApp({ routes })
      for (const path of ['/', '/any/view']) {
        const ask = async (mount: string) => {
          const { headers } = await sendRequest(app, mount + path, { headers: { ...ADA, accept: 'text/html' } })
          return headers.get('cache-control')
        }
        assert.deepEqual([await ask('/pages'), await ask('/open')], ['private, no-cache', 'no-cache'], path)
      }
    }
  })
})
