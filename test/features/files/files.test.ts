/** Folders of files as routes. */
import assert from 'node:assert/strict'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { bearer, createApp, group, Route } from 'verbena'
import { files, type FilesOptions } from 'verbena/files'
import { testApp } from 'verbena/testing'
import { sendRequest, assertSetupError, createUntypedApp } from '#test/apps.js'
import { askWire } from '#test/e2e.js'
import { createDirectory } from '#test/temp-directory.js'

const folder = createDirectory({
  'index.html': '<h1>home</h1>',
  'app.js': 'let a',
  'app.js.gz': 'gzipped',
  'a b/ä.txt': 'named',
  'docs/index.html': '<h1>docs</h1>',
  'empty/x.txt': '',
  '.env': 'SECRET=1',
  '.well-known/security.txt': 'Contact: us',
  'big.bin': 'x'.repeat(300_000),
})

class Users extends Route {
  get() {
    return 'users'
  }
  static readonly post = this.contract({ returns: null })
  post() {}
}

const appWith = (options: FilesOptions = {}, mount = '/assets') =>
  createUntypedApp({ routes: { Users, [mount]: files(folder, options) }, signals: false })

const HTML = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }

describe('files()', () => {
  it('serves files to GET and HEAD', async () => {
    const app = appWith()
    const { status, text, headers } = await sendRequest(app, '/assets/app.js')
    assert.deepEqual([status, text, headers.get('content-type')], [200, 'let a', 'text/javascript; charset=utf-8'])
    const head = await sendRequest(app, '/assets/app.js', { method: 'HEAD' })
    assert.deepEqual([head.status, head.text, head.headers.get('content-length')], [200, '', '5'])
    const named = await sendRequest(app, '/assets/a%20b/%C3%A4.txt')
    assert.equal(named.text, 'named')
    const empty = await sendRequest(app, '/assets/empty/x.txt')
    assert.deepEqual([empty.status, empty.text, empty.headers.get('content-length')], [200, '', '0'])
    const zipped = await sendRequest(app, '/assets/app.js', { headers: { 'accept-encoding': 'gzip' } })
    assert.equal(zipped.text, 'gzipped')
  })

  it('responds 404 for missing files and dotfiles, unless dotfiles are allowed', async () => {
    const app = appWith()
    for (const path of [
      '/assets/none',
      '/assets/.env',
      '/assets/.well-known/security.txt',
      '/assets/empty',
      '/assets/app.js/x',
    ]) {
      const { status, body } = await sendRequest(app, path)
      assert.equal(status, 404, path)
      assert.ok(!JSON.stringify(body).includes(folder))
    }
    const shown = await sendRequest(appWith({ dotfiles: true }), '/assets/.env')
    assert.equal(shown.text, 'SECRET=1')
    const known = createUntypedApp({ routes: { '/.well-known': files(join(folder, '.well-known')) } })
    assert.equal((await sendRequest(known, '/.well-known/security.txt')).text, 'Contact: us')
  })

  it('serves the index of a directory at a path with a trailing slash, and redirects to it', async () => {
    const app = appWith({ maxAge: 1000 })
    const bare = await sendRequest(app, '/assets/docs?a=1')
    assert.deepEqual([bare.status, bare.headers.get('location')], [308, './docs/?a=1'])
    const root = await sendRequest(app, '/assets')
    assert.deepEqual([root.status, root.headers.get('location')], [308, './assets/'])
    for (const [path, text] of [
      ['/assets/docs/', '<h1>docs</h1>'],
      ['/assets/', '<h1>home</h1>'],
    ] as const) {
      const index = await sendRequest(app, path)
      assert.deepEqual([index.status, index.text, index.headers.get('cache-control')], [200, text, 'no-cache'])
    }
    const direct = await sendRequest(app, '/assets/docs/index.html')
    assert.equal(direct.headers.get('cache-control'), 'max-age=1')
    for (const path of ['/assets/empty/', '/assets/app.js/', '/assets//', '/assets/docs//']) {
      assert.equal((await sendRequest(app, path)).status, 404, path)
    }
    const none = appWith({ index: false })
    for (const path of ['/assets', '/assets/', '/assets/docs/'])
      assert.equal((await sendRequest(none, path)).status, 404)
    const other = await sendRequest(appWith({ index: 'app.js' }), '/assets/')
    assert.equal(other.text, 'let a')
  })

  it('redirects to the trailing slash of a directory with any trailingSlash option', async () => {
    for (const trailingSlash of ['redirect', 'ignore']) {
      const app = createUntypedApp({ routes: { Users, '/': files(folder) }, trailingSlash })
      const bare = await sendRequest(app, '/docs')
      const index = await sendRequest(app, '/docs/')
      assert.deepEqual([bare.status, bare.headers.get('location'), index.text], [308, './docs/', '<h1>docs</h1>'])
      const route = await sendRequest(app, '/users/')
      assert.equal(route.status, trailingSlash === 'redirect' ? 308 : 200)
    }
  })

  it('serves files at the root of the app, where routes have priority', async () => {
    const app = appWith({}, '/')
    const [root, file, route] = await Promise.all(['/', '/app.js', '/users'].map((path) => sendRequest(app, path)))
    assert.deepEqual([root?.text, file?.text, route?.text], ['<h1>home</h1>', 'let a', 'users'])
    const posted = await sendRequest(app, '/nope', { method: 'POST' })
    const patched = await sendRequest(app, '/users', { method: 'PATCH' })
    assert.deepEqual([posted.status, patched.status], [404, 405])
  })

  it('lets a route handle the path of the mount', async () => {
    class Home extends Route {
      static readonly path = '/'
      get() {
        return 'home'
      }
    }
    const app = createUntypedApp({ routes: { Home, '/': files(folder) } })
    const [home, file] = await Promise.all(['/', '/app.js'].map((path) => sendRequest(app, path)))
    assert.deepEqual([home?.text, file?.text], ['home', 'let a'])
  })

  it('serves the fallback for unmatched paths if the client requests HTML', async () => {
    const app = appWith({ fallback: 'index.html', maxAge: 1000 }, '/')
    for (const path of ['/settings', '/settings/profile', '/settings/', '/none.js', '/.env', '/docs/none']) {
      const page = await sendRequest(app, path, HTML)
      assert.deepEqual(
        [page.status, page.text, page.headers.get('cache-control')],
        [200, '<h1>home</h1>', 'no-cache'],
        path,
      )
      assert.match(page.headers.get('vary') ?? '', /\baccept(?:,|$)/)
    }
    const head = await sendRequest(app, '/settings', { method: 'HEAD', ...HTML })
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, '13'])
    for (const accept of ['*/*', 'application/json', 'text/html;q=0', 'text/htmlx', '']) {
      const { status, headers } = await sendRequest(app, '/settings', { headers: { accept } })
      assert.deepEqual([status, headers.get('vary')], [404, 'accept'], accept)
    }
    const posted = await sendRequest(app, '/settings', { method: 'POST', ...HTML })
    const patched = await sendRequest(app, '/users', { method: 'PATCH', ...HTML })
    const route = await sendRequest(app, '/users', HTML)
    assert.deepEqual([posted.status, patched.status, route.text], [404, 405, 'users'])
    const lost = await sendRequest(appWith({ fallback: 'none.html' }, '/'), '/settings', HTML)
    assert.equal(lost.status, 404)
  })

  it('serves files in strict tests, and hides them from the OpenAPI document', async () => {
    const app = appWith({ fallback: 'index.html' }, '/')
    assert.deepEqual(Object.keys(app.openapi().paths), ['/users'])
    await using test = await testApp(app)
    assert.equal(await (await test.fetch('/app.js')).text(), 'let a')
    assert.equal((await test.fetch('/app.js', { headers: { range: 'bytes=9-' } })).status, 416)
    assert.equal((await test.fetch('/none')).status, 404)
  })

  it('runs the guards of its group', async () => {
    const user = bearer((token) => token === 'good')
    const app = createUntypedApp({ routes: { '/private': group({ uses: { user }, routes: { '/': files(folder) } }) } })
    const refused = await sendRequest(app, '/private/app.js')
    const given = await sendRequest(app, '/private/app.js', { headers: { authorization: 'Bearer good' } })
    assert.deepEqual([refused.status, given.text], [401, 'let a'])
  })

  it('does not change the typed client of the app', async () => {
    const app = createApp({ routes: { Users, '/': files(pathToFileURL(folder)) }, logger: false })
    await using test = await testApp(app)
    const { body } = await test.api('/users').get()
    assert.equal(body, 'users')
    // @ts-expect-error - files are no paths of the client
    test.api('/{path...}')
  })

  it('serves large files and their ranges over a socket', async () => {
    const app = appWith()
    const { port } = await app.listen({ port: 0 })
    const whole = await askWire(port, { target: '/assets/big.bin' })
    assert.deepEqual([whole.status, whole.body.length, whole.headers.get('content-length')], [200, 300_000, '300000'])
    const part = await askWire(port, { target: '/assets/big.bin', headers: { range: 'bytes=100000-299998' } })
    assert.deepEqual(
      [part.status, part.body.length, part.headers.get('content-range')],
      [206, 199_999, 'bytes 100000-299998/300000'],
    )
    const head = await askWire(port, { target: '/assets/big.bin', method: 'HEAD' })
    assert.deepEqual([head.body, head.headers.get('content-length')], ['', '300000'])
    const same = await askWire(port, {
      target: '/assets/big.bin',
      headers: { 'if-none-match': whole.headers.get('etag') ?? '' },
    })
    assert.deepEqual([same.status, same.body], [304, ''])
    await app.close()
  })

  it('interrupts the response if a file becomes shorter while it is sent', async () => {
    const long = createDirectory({ 'a.bin': '' })
    writeFileSync(join(long, 'a.bin'), Buffer.alloc(50_000_000))
    const app = createUntypedApp({ routes: { '/': files(long) }, signals: false })
    const { url } = await app.listen({ port: 0 })
    const response = await fetch(`${url}/a.bin`)
    truncateSync(join(long, 'a.bin'), 1000)
    await assert.rejects(response.arrayBuffer())
    await app.close()
  })

  it('says that compiled code is in another directory if the directory is missing next to a module', () => {
    const project = createDirectory({ 'public/a.txt': 'A', 'src/app.ts': '', 'dist/app.js': '' })
    const module = (path: string) => pathToFileURL(join(project, path))
    assert.doesNotThrow(() => files(new URL('../public', module('dist/app.js'))))
    assertSetupError(
      () => files(new URL('public', module('dist/app.js'))),
      'OPTION_INVALID',
      `Cannot use the argument "root" of files(): "${join(project, 'dist/public')}" is not a directory`,
      'Compiled code is usually in another directory than its source',
      `"new URL('../public', import.meta.url)"`,
    )
    assertSetupError(() => files('none'), 'OPTION_INVALID', `write "new URL('public', import.meta.url)"`)
  })

  it('rejects invalid directories and options', () => {
    const loose = files as unknown as (root: unknown, options?: object) => unknown
    for (const root of ['none-of-these', join(folder, 'app.js'), '', 1, new URL('http://a/')]) {
      assertSetupError(() => loose(root), 'OPTION_INVALID', 'the argument "root" of files()', 'directory')
    }
    const flawed = {
      index: '../x',
      fallback: '',
      maxAge: '1 day',
      public: 1,
      immutable: 'yes',
      dotfiles: 'allow',
      fallbacks: 'x',
    }
    for (const [name, value] of Object.entries(flawed)) {
      assertSetupError(() => loose(folder, { [name]: value }), 'OPTION_INVALID', `"${name}" of files()`)
    }
    assertSetupError(() => loose(folder, { index: true }), 'OPTION_INVALID', 'index.html')
    assertSetupError(
      () => loose(folder, { immutable: true }),
      'OPTION_INVALID',
      '"immutable" of files()',
      'Write "maxAge: ',
    )
    assertSetupError(() => loose(folder, { fallback: 1 }), 'OPTION_INVALID', 'fallback')
  })
})
