/** The page of an API in Chromium, as an app serves it. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { createApp, Route } from 'verbena'
import { version } from 'verbena/decorators'
import * as z from 'zod'
import { onCleanup } from '#test/cleanup.js'
import { COMPLETE } from '#test/complete-document.js'
import { renderPage } from '#test/reference.js'
import { openBrowser, type BrowserOptions } from '../support/browser.js'
import { overlapping, stickingOut, untilDrawn, violations } from '../support/checks.js'
import { eventually } from '../support/page.js'

const WIDTHS = [360, 768, 1280, 1680]
const THEMES = ['light', 'dark'] as const
const MARKUP = '<img src=x onerror=alert(1)>'

/** A document with an operation that differs from `COMPLETE`, and one that it does not have. */
const OLDER = { paths: { '/teas': { get: { parameters: [{ name: 'page', in: 'query' }] } }, '/mugs': { get: {} } } }

class Teas extends Route {
  static readonly get = this.contract({ summary: 'List teas', returns: z.array(z.object({ origin: z.string() })) })
  async get() {
    return []
  }
}

class PricesV1 extends Route {
  static readonly path = '/prices'
  @version('1.x')
  get() {}
}

class PricesV2 extends Route {
  static readonly path = '/prices'
  static readonly get = this.contract({ query: z.object({ currency: z.string().optional() }) })
  @version('2.x')
  get() {}
}

/** Opens the page of an app. */
async function openApp(t: TestContext, options: BrowserOptions = {}): Promise<{ page: Page; url: string }> {
  const openapi = { page: '/docs', info: { description: `${MARKUP} is text` } }
  const app = createApp({
    name: 'Tea shop',
    version: '2.0.0',
    routes: { Teas, PricesV1, PricesV2 },
    openapi,
    logger: false,
  })
  const { url } = await app.listen({ port: 0 })
  onCleanup(t, () => app.close())
  const { context } = await openBrowser(t, new URL(url).origin, options)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  await page.goto(`${url}/docs`)
  return { page, url }
}

/** Opens the page of a document. Its policy is in the page. */
async function openDocument(
  t: TestContext,
  document: Record<string, unknown>,
  options: BrowserOptions = {},
): Promise<Page> {
  const { context } = await openBrowser(t, '', options)
  const page = await context.newPage()
  await page.setContent(renderPage(document, { hasClient: true, previous: { name: '2.0.0', document: OLDER } }))
  return page
}

describe('page of an API', () => {
  it('has no violations of WCAG and no overflow, in two themes and four widths', async (t) => {
    const page = await openDocument(t, COMPLETE)
    await page.evaluate('for (const section of document.querySelectorAll("details")) section.open = true')
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      for (const colorScheme of THEMES) {
        await page.emulateMedia({ colorScheme })
        await untilDrawn(page)
        const found = [...(await violations(page)), ...(await stickingOut(page)), ...(await overlapping(page))]
        assert.deepEqual(found, [], `${width} px, ${colorScheme}`)
      }
    }
  })

  it('shows search, theme and the current version beside a long name at 360 px', async (t) => {
    const versions = ['1.0.0', '2.0.0', '3.0.0'].map((name) => ({ name, url: `?${name}`, isCurrent: name === '3.0.0' }))
    const { context } = await openBrowser(t, '')
    const page = await context.newPage()
    await page.setViewportSize({ width: 360, height: 700 })
    await page.setContent(renderPage({ info: { title: 'An API with a name of many words' } }, { versions }))
    const isShown = (selector: string) =>
      page.evaluate((text) => {
        const element = document.querySelector(text)
        const box = element?.getBoundingClientRect()
        const top = box && document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
        return top === element
      }, selector)
    for (const selector of ['.find input', '#theme', '.versions [aria-current]']) {
      assert.ok(await isShown(selector), selector)
    }
    const box = await page.locator('.find input').boundingBox()
    assert.ok(box !== null && box.width > 100, String(box?.width))
    assert.equal(await page.evaluate('scrollY'), 0)
  })

  it('makes one request, and runs no markup of the document', async (t) => {
    const { page } = await openApp(t)
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await page.reload()
    assert.equal(requests.length, 1)
    assert.match(await page.locator('main').innerText(), /<img src=x onerror=alert\(1\)> is text/)
    assert.equal(await page.locator('img').count(), 0)
  })

  it('can be read without JavaScript, with links to operations and versions', async (t) => {
    const { page, url } = await openApp(t, { javaScript: false })
    assert.equal(await page.getByRole('searchbox').count(), 0)
    await page.getByText('List teas').last().click()
    assert.match(await page.locator('[id="Teas.get"]').innerText(), /origin\s+string\s+required/)
    await page.goto(`${url}/docs#PricesV2.get`)
    await page.getByRole('navigation', { name: 'Versions' }).getByRole('link', { name: '1.0.0' }).click()
    assert.equal(new URL(page.url()).search, '?version=1.0.0')
    assert.equal(await page.locator('[id="PricesV1.get"]').count(), 1)
  })

  it('leads to what changed since the version before', async (t) => {
    const { page, url } = await openApp(t, { javaScript: false })
    await page.goto(`${url}/docs?version=2.0.0`)
    await page.getByRole('link', { name: 'Changes since 1.0.0' }).click()
    const changes = page.locator('#changes')
    assert.match(await changes.innerText(), /changed\s+GET \/prices[^]*New query parameter currency/)
    await changes.getByRole('link', { name: 'GET /prices' }).click()
    assert.equal(new URL(page.url()).hash, '#PricesV2.get')
  })

  it('opens the operation of the address', async (t) => {
    const { page, url } = await openApp(t)
    await page.goto(`${url}/docs#Teas.get`)
    await page.locator('[id="Teas.get"]').waitFor()
    assert.match(await page.locator('[id="Teas.get"]').innerText(), /curl[^]*Typed client/)
    await eventually(async () =>
      assert.equal(await page.locator('.toc [aria-current]').getAttribute('href'), '#Teas.get'),
    )
  })

  it('searches operations and fields by keyboard', async (t) => {
    const { page } = await openApp(t)
    await page.keyboard.press('/')
    await page.keyboard.type('prices')
    const options = page.getByRole('option')
    assert.equal(await options.count(), 1)
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    await page.keyboard.type('origin')
    assert.match(await options.first().innerText(), /\/teas[^]*field origin/)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    assert.deepEqual(await violations(page), [])
    await page.keyboard.press('Enter')
    await page.locator('[id="Teas.get"]').waitFor()
    assert.equal(await options.count(), 0)
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'SUMMARY')
    await page.keyboard.press('/')
    await page.keyboard.type('nothing like this')
    await page.getByText('No operation or field has this name.').waitFor()
  })

  it('copies the line for curl, with the address of the app', async (t) => {
    const { page, url } = await openApp(t)
    await page.getByText('List teas').last().click()
    await page.getByRole('button', { name: 'Copy curl' }).click()
    await page.getByText('Copied').waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), `curl "${new URL(url).origin}/teas"`)
    assert.equal(await page.locator('.url').innerText(), new URL(url).origin)
  })

  it('stores the choice of the theme', async (t) => {
    const { page } = await openApp(t, { theme: 'light' })
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    const light = await background()
    const button = page.getByRole('button', { name: /^Theme: / })
    await button.click()
    await button.click()
    assert.equal(await button.getAttribute('aria-label'), 'Theme: dark')
    assert.notEqual(await background(), light)
    await page.reload()
    assert.equal(await button.getAttribute('aria-label'), 'Theme: dark')
    await button.click()
    assert.equal(await background(), light)
  })

  it('shows everything in print', async (t) => {
    const page = await openDocument(t, COMPLETE)
    await page.evaluate('dispatchEvent(new Event("beforeprint"))')
    await page.emulateMedia({ media: 'print' })
    assert.ok(await page.locator('[id="Teas.read"]').isVisible())
    assert.ok(!(await page.locator('.toc').isVisible()))
  })

  it('isolates names of another direction', async (t) => {
    const name = 'שלום'
    const page = await openDocument(t, {
      paths: { [`/${name}/{id}`]: { get: { summary: `${name} - 1`, parameters: [{ name, in: 'query' }] } } },
    })
    assert.equal(
      await page.evaluate('getComputedStyle(document.querySelector("main details code")).unicodeBidi'),
      'isolate',
    )
    assert.equal(
      await page.evaluate('getComputedStyle(document.querySelector("main details span")).unicodeBidi'),
      'plaintext',
    )
  })

  it('can be used with 2,000 operations', async (t) => {
    const get = (index: number) => ({
      operationId: `op${index}`,
      tags: [`Group ${index % 40}`],
      summary: `Operation ${index}`,
    })
    const paths = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, index) => [`/path-${index}`, { get: get(index) }]),
    )
    const page = await openDocument(t, { paths })
    await page.keyboard.press('/')
    await page.keyboard.type('path-1999')
    await page.keyboard.press('Enter')
    await page.locator('#op1999').waitFor()
  })
})
