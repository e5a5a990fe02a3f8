/** Task pages about browsers in Chromium: the code of the page runs, and a browser loads its files and responses. */
import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import { createApp, reply, Route } from 'verbena'
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
