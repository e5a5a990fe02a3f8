/** The page while requests arrive: it shows them immediately, does not move the visible rows, and loses no request. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { openConsole, untilLive } from '../support/browser.js'
import {
  eventually,
  readFocus,
  readPaths,
  readRows,
  untilCount,
  untilFocus,
  untilHash,
  untilPaths,
  untilSaid,
} from '../support/page.js'
import { ask, openShop, type Shop } from '../support/shop.js'
import { openFeed } from '#test/console-feed.js'

const numbered = (count: number, from = 1) => Array.from({ length: count }, (_, index) => `/goods/${from + index}`)

/** How many pages read the feed, as the app counts them. */
async function streamsOf(shop: Shop): Promise<number> {
  const health = await (await fetch(`${shop.url}/__dev__/api/health`)).text()
  return Number(/"Watched by","value":"(\d+)/.exec(health)?.[1])
}

/** Asks for many paths, many at a time. */
async function askAll(shop: Shop, paths: readonly string[]): Promise<void> {
  for (let at = 0; at < paths.length; at += 50) {
    await Promise.all(paths.slice(at, at + 50).map((path) => ask(shop, [path])))
  }
}

/** Scrolls through the whole list. Returns all paths in it. */
async function allPaths(page: Page): Promise<Set<string>> {
  const found = new Set<string>()
  const scroller = page.locator('.scroll')
  for (let top = 0; ; top += 400) {
    await scroller.evaluate((element, to) => element.scrollTo(0, to), top)
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    for (const path of await readPaths(page)) found.add(path)
    if (await scroller.evaluate((it) => it.scrollTop + it.clientHeight >= it.scrollHeight - 1)) return found
  }
}

describe('console page: live list', () => {
  it('shows a request soon after its response', async (t) => {
    const shop = await openShop(t)
    const { page } = await openConsole(t, { app: shop })
    const times: number[] = []
    for (const path of numbered(5)) {
      const seen = page.evaluate(
        (text) =>
          new Promise<number>((resolve) => {
            const look = () => {
              const paths = [...document.querySelectorAll('tr.row .pth')].map((it) => it.textContent)
              if (paths.includes(text)) resolve(Date.now())
              else requestAnimationFrame(look)
            }
            look()
          }),
        path,
      )
      await ask(shop, [path])
      const answered = Date.now()
      times.push((await seen) - answered)
    }
    t.diagnostic(`ms from the answer to the row: ${times.join(', ')}`)
    assert.ok(Math.min(...times) < 1_000, String(times))
  })

  it('does not move while scrolled, and shows the number of new requests', async (t) => {
    const shop = await openShop(t)
    await askAll(shop, numbered(80))
    const { page } = await openConsole(t, { app: shop })
    await eventually(async () => assert.ok((await readRows(page).count()) > 20))
    const scroller = page.locator('.scroll')
    await scroller.evaluate((element) => element.scrollTo(0, 600))
    const place = () =>
      scroller.evaluate((element) => {
        const { top } = element.getBoundingClientRect()
        const row = [...element.querySelectorAll('tr.row')].find((it) => it.getBoundingClientRect().top > top + 100)
        return [element.scrollTop, row?.textContent, row?.getBoundingClientRect().top]
      })
    await eventually(async () => assert.equal((await place())[0], 600))
    const before = await place()
    await ask(shop, numbered(7, 100))
    const pill = page.getByRole('button', { name: /new$/ })
    await eventually(async () => assert.equal(await pill.innerText(), '7 new'))
    assert.deepEqual(await place(), before)
    await pill.click()
    await eventually(async () => assert.deepEqual((await readPaths(page)).slice(0, 2), ['/goods/106', '/goods/105']))
    assert.equal(await scroller.evaluate((element) => element.scrollTop), 0)
    await eventually(async () => assert.equal(await pill.isVisible(), false))
  })

  it('keeps the focus in its row while new requests arrive', async (t) => {
    const shop = await openShop(t)
    await ask(shop, numbered(3))
    const { page } = await openConsole(t, { app: shop })
    await untilPaths(page, numbered(3).toReversed())
    await page.getByRole('link', { name: '/goods/2' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('tabpanel').waitFor()
    await page.keyboard.press('p')
    await untilSaid(page, /^Pinned/)
    await ask(shop, numbered(4, 10))
    await eventually(async () => await untilCount(readRows(page), 7))
    await untilFocus(page, /^link "\/goods\/2"/)
    const reread = page.waitForResponse(/\/api\/snapshot$/)
    await hide(page, false)
    await (await reread).finished()
    await untilFocus(page, /^link "\/goods\/2"/)
  })

  it('loses no request during a pause', async (t) => {
    const shop = await openShop(t)
    await ask(shop, numbered(10))
    const { page } = await openConsole(t, { app: shop })
    await page.getByRole('button', { name: 'Pause' }).click()
    await askAll(shop, numbered(320, 11))
    await eventually(async () => assert.match(await page.locator('.live').innerText(), /320 held/))
    assert.deepEqual(await readPaths(page), numbered(10).toReversed())
    await page.getByRole('button', { name: 'Resume' }).click()
    await askAll(shop, numbered(60, 331))
    const expected = numbered(390)
    await eventually(async () => {
      const found = await allPaths(page)
      assert.deepEqual(
        expected.filter((path) => !found.has(path)),
        [],
      )
    })
  })

  it('loads requests that the feed omits during a burst', async (t) => {
    const shop = await openShop(t)
    const { page } = await openConsole(t, { app: shop })
    const paths = numbered(300)
    await Promise.all(paths.map((path) => shop.app.fetch(new Request(`${shop.url}${path}`))))
    await eventually(async () => assert.equal((await allPaths(page)).size, paths.length))
  })

  it('opens links, and navigates back and forward', async (t) => {
    const shop = await openShop(t)
    await ask(shop, ['/goods', '/broken'])
    const { page, origin } = await openConsole(t, { app: shop, allows: [/404 .*\/r_gone123/] })
    await page.getByRole('link', { name: '/broken' }).click()
    await page.getByRole('tab', { name: 'Error' }).click()
    await untilHash(page, /^#\/requests\/r_\w+\?tab=error$/)
    const link = page.url()
    await page.keyboard.press('5')
    await untilHash(page, /^#\/problems/)
    await page.goBack()
    await page.getByRole('tabpanel', { name: 'Error' }).getByText('The till is empty').first().waitFor()
    await page.goBack()
    await untilHash(page, /^(#\/requests)?$/)
    await page.getByRole('tabpanel').waitFor({ state: 'detached' })
    await page.goForward()
    await page.getByRole('tabpanel', { name: 'Error' }).waitFor()
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByRole('tabpanel', { name: 'Error' }).getByText('Nobody paid').first().waitFor()
    await page.goto(`${origin}/__dev__#/requests?q=status%3A5xx`)
    await untilPaths(page, ['/broken'])
    await page.goto(`${origin}/__dev__#/requests/r_gone123`)
    await page.getByText(/no longer stored/).waitFor()
  })
})

/** Says that a page is hidden, as a browser does. */
function hide(page: Page, isHidden: boolean): Promise<void> {
  return page.evaluate(
    (state) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state })
      document.dispatchEvent(new Event('visibilitychange'))
    },
    isHidden ? 'hidden' : 'visible',
  )
}

async function openTab(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${url}/__dev__`)
  await untilLive(page)
  return page
}

describe('console page: several tabs', () => {
  it('shares one stream between tabs, and leaves connections for the app', async (t) => {
    const shop = await openShop(t)
    const { page, context } = await openConsole(t, { app: shop })
    const pages = [page]
    for (let count = 2; count <= 6; count++) pages.push(await openTab(context, shop.url))
    assert.equal(await streamsOf(shop), 1)
    await ask(shop, ['/goods/1'])
    for (const tab of pages) await untilPaths(tab, ['/goods/1'])
    for (const tab of pages) assert.equal(await tab.evaluate(async () => (await fetch('/goods/2')).status), 200)
    await page.close()
    await eventually(async () => assert.equal(await streamsOf(shop), 1))
    await ask(shop, ['/goods/3'])
    for (const tab of pages.slice(1)) await eventually(async () => assert.equal((await readPaths(tab))[0], '/goods/3'))
  })

  it('closes the stream a minute after all tabs are hidden', async (t) => {
    const shop = await openShop(t)
    const { context } = await openConsole(t, { app: shop, path: '/__dev__/requests' })
    const page = await context.newPage()
    await page.clock.install()
    await page.goto(`${shop.url}/__dev__`)
    await untilLive(page)
    await hide(page, true)
    await page.clock.fastForward(59_000)
    assert.equal(await streamsOf(shop), 1)
    await page.clock.fastForward(2_000)
    await eventually(async () => assert.equal(await streamsOf(shop), 0))
    await ask(shop, ['/goods/1'])
    await hide(page, false)
    await eventually(async () => assert.equal(await streamsOf(shop), 1))
    await untilLive(page)
    await untilPaths(page, ['/goods/1'])
  })

  it('polls if four other windows use all streams', async (t) => {
    const shop = await openShop(t)
    const feeds = await Promise.all(Array.from({ length: 4 }, () => openFeed(shop.url)))
    t.after(() => feeds.forEach((feed) => feed.close()))
    assert.equal((await fetch(`${shop.url}/__dev__/events`)).status, 429)
    const { page } = await openConsole(t, { app: shop, live: false, allows: [/status of 429/] })
    await page.getByText(/Four other windows/).waitFor()
    await ask(shop, ['/goods/1'])
    await page.getByRole('button', { name: 'Update now' }).click()
    await untilPaths(page, ['/goods/1'])
    await page.getByRole('link', { name: '/goods/1' }).focus()
    await ask(shop, ['/goods/2'])
    await untilPaths(page, ['/goods/2', '/goods/1'])
    assert.match((await readFocus(page)).name, /^link "\/goods\/1"/)
  })
})
