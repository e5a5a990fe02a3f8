/** Task pages about browsers in Chromium: the code of the page runs, and a browser loads its files and responses. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import { createApp, reply, Route } from 'verbena'
import { Nginx } from '../../../examples/scale/stack/nginx.js'
import { openBrowser } from '../support/browser.js'
import { onCleanup } from '#test/cleanup.js'
import { RunningPage, type Replacements } from '#test/how-to.js'

const FOLDER = join('.cache', 'how-to-browser', String(process.pid))

after(() => rmSync(FOLDER, { recursive: true, force: true }))

/** Runs the commands of a page. Its app listens until the end of the test. */
async function runPage(t: TestContext, name: string, words?: Replacements): Promise<RunningPage> {
  const running = await RunningPage.create(name, FOLDER, words)
  onCleanup(t, () => running.close())
  await running.runAll()
  return running
}

/** An origin with one page and its script. */
interface Pages {
  readonly url: string
  /** Port of the origin. */
  readonly port: string
  script: string
}

async function startPages(t: TestContext): Promise<Pages> {
  const pages = { url: '', port: '', script: '' }
  class Cart extends Route {
    get() {
      const html = '<!doctype html><title>Cart</title><link rel="icon" href="data:,">'
      return reply(200, `${html}<script type="module" src="/script"></script>`, { 'content-type': 'text/html' })
    }
  }
  class Script extends Route {
    get() {
      return reply(200, pages.script, { 'content-type': 'text/javascript' })
    }
  }
  const app = createApp({ routes: { Cart, Script }, logger: false, signals: false })
  const { port } = await app.listen()
  onCleanup(t, () => app.close())
  return Object.assign(pages, { url: `http://localhost:${port}/cart`, port: String(port) })
}

describe('docs/how-to/serve-front-end.md in Chromium', () => {
  it('shows the tasks of the API on both paths of the front end', async (t) => {
    const { url } = await runPage(t, 'serve-front-end')
    const { context } = await openBrowser(t, url)
    const page = await context.newPage()
    for (const path of ['/', '/settings/profile']) {
      await page.goto(url + path)
      await page.locator('#tasks', { hasText: /^Buy tea$/ }).waitFor()
    }
  })

  it('loads its script once for two pages', async (t) => {
    const { url } = await runPage(t, 'serve-front-end')
    const { context } = await openBrowser(t, url)
    const page = await context.newPage()
    const sizes: number[] = []
    for (const path of ['/', '/settings/profile']) {
      await page.goto(url + path)
      await page.locator('#tasks', { hasText: 'Buy tea' }).waitFor()
      sizes.push(
        await page.evaluate(() => {
          const [script] = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/'))
          return Number(Reflect.get(script ?? {}, 'transferSize'))
        }),
      )
    }
    const [first = 0, second] = sizes
    assert.ok(first > 0)
    assert.equal(second, 0)
  })
})

describe('docs/how-to/call-from-browser.md in Chromium', () => {
  it('stores the cart for the page that is named, and refuses all other origins', async (t) => {
    const pages = await startPages(t)
    const others = await startPages(t)
    const running = await runPage(t, 'call-from-browser', { 5173: pages.port })
    pages.script = readFileSync(join(running.folder, 'src/page.js'), 'utf8')
    const refused = [/blocked by CORS policy/, /net::ERR_FAILED/]
    const { context } = await openBrowser(t, '', { allows: refused })
    const page = await context.newPage()
    const send = (init: object): Promise<string> =>
      page.evaluate(
        async ([url, how]) => {
          const response = await fetch(url, { credentials: 'include', ...how }).catch(String)
          return typeof response === 'string' ? response : response.text()
        },
        [`${running.url}/cart`, init] as const,
      )

    const stored = page.waitForResponse((response) => response.request().method() === 'PUT')
    await page.goto(pages.url)
    assert.equal((await stored).status(), 204)
    assert.equal(await send({}), '{"items":["tea"]}')

    await page.goto(others.url)
    assert.equal(await send({}), 'TypeError: Failed to fetch')
    const change = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{"items":[]}' }
    assert.equal(await send(change), 'TypeError: Failed to fetch')

    // The script would start a new session while this test reads the cart.
    pages.script = ''
    await page.goto(pages.url)
    assert.equal(await send({}), '{"items":["tea"]}')
  })
})

const NGINX = process.env['NGINX_BIN'] ?? '/usr/sbin/nginx'

/** Sends the file of a page of the project with nginx, as the page says. */
async function startNginx(t: TestContext, { page, folder }: RunningPage): Promise<string> {
  const location = page.files.get('/etc/nginx/snippets/docs.conf') ?? assert.fail('the page has no such file')
  const own = mkdtempSync(join(tmpdir(), 'verbena-how-to-'))
  const nginx = new Nginx({ folder: own, sockets: [], port: 0 }, (_settings, port) => {
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${own}/${name};`,
    )
    const user = userInfo().uid === 0 ? 'user root;' : ''
    const site = location.replace('/srv/shop', resolve(folder))
    return `daemon off; ${user} pid ${own}/nginx.pid; error_log stderr warn; events {}
      http { ${paths.join(' ')} access_log off; server { listen 127.0.0.1:${port}; ${site} } }`
  })
  await nginx.start()
  onCleanup(t, async () => {
    await nginx.stop('SIGTERM')
    rmSync(own, { recursive: true })
    assert.deepEqual(nginx.said, [])
  })
  return `${nginx.url}/docs`
}

const skip = existsSync(NGINX) ? false : 'not installed: apt-get install nginx-light'

describe('docs/how-to/publish-api-page.md with nginx', { skip }, () => {
  it('sends the file zipped, with its headers, and 304 if it is unchanged', async (t) => {
    const url = await startNginx(t, await runPage(t, 'publish-api-page'))
    const { status, headers } = await fetch(url, { headers: { 'accept-encoding': 'gzip' } })
    assert.equal(status, 200)
    const expected = {
      'cache-control': 'no-cache',
      'content-encoding': 'gzip',
      'content-security-policy': "frame-ancestors 'self'",
      'content-type': 'text/html',
      'x-content-type-options': 'nosniff',
    }
    assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, headers.get(name)])), expected)
    const again = await fetch(url, { headers: { 'if-none-match': headers.get('etag') ?? '' } })
    assert.equal(again.status, 304)
  })

  it('shows a page in Chromium whose style and script run', async (t) => {
    const url = await startNginx(t, await runPage(t, 'publish-api-page'))
    const { context } = await openBrowser(t, new URL(url).origin)
    const page = await context.newPage()
    await page.goto(`${url}#Teas.get`)
    await page.keyboard.press('/')
    await page.keyboard.type('limit')
    await page.getByRole('option', { name: 'field limit' }).waitFor()
    assert.match(await page.locator('[id="Teas.get"]').innerText(), /curl 'https:\/\/api\.example\/teas'/)
    assert.equal(await page.evaluate('getComputedStyle(document.querySelector(".bar")).position'), 'sticky')
  })

  it('cannot be shown in a frame of another origin', async (t) => {
    const url = await startNginx(t, await runPage(t, 'publish-api-page'))
    const others = await startPages(t)
    const { context } = await openBrowser(t, '', { allows: [/frame-ancestors/, /ERR_BLOCKED_BY_RESPONSE/] })
    const page = await context.newPage()
    await page.goto(others.url)
    const refused = page.waitForEvent('console', (message) => /frame-ancestors/.test(message.text()))
    await page.evaluate(`document.body.append(Object.assign(document.createElement('iframe'), { src: '${url}' }))`)
    await refused
    assert.equal(await page.frameLocator('iframe').getByText('Tea shop').count(), 0)
  })
})
