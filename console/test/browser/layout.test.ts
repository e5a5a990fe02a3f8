import '#test/development.js'
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { openConsole } from '../support/browser.js'
import { openBrowserApp, send, type BrowserApp } from '../support/app.js'
import { faultsOfLayout, WIDTHS } from '../support/checks.js'
import { readRows } from '../support/page.js'

let app: BrowserApp

before(async () => {
  app = await openBrowserApp()
  await app.visit()
})
after(() => app.close())

/** A view, and the content that it has after it has loaded. */
interface Row {
  readonly view: string
  readonly hash: string
  readonly text: string | RegExp
  /** Opens the view from the page of `hash`. */
  readonly act?: (page: Page) => Promise<unknown>
}

const LISTS: readonly Row[] = [
  { view: 'the list of requests', hash: '#/requests', text: 'ContractBreach' },
  { view: 'the list without a match', hash: '#/requests?q=path%3A%2Fzzz', text: /No request matches/ },
  { view: 'an error in the filter', hash: '#/requests?q=colour%3Ared%20status%3A5xx', text: /colour/ },
  { view: 'the paused list', hash: '#/requests', text: '1 held', act: pauseAndSend },
  { view: 'a request that is not answered yet', hash: '#/requests', text: 'running', act: hold },
  { view: 'the routes', hash: '#/routes', text: '/reports/{year}' },
  {
    view: 'the routes without a match',
    hash: '#/routes',
    text: 'No route matches.',
    act: (page) => filterRoutes(page),
  },
  { view: 'a route', hash: '#/routes/Users.post', text: 'Create a user' },
  { view: 'a route that was tried', hash: '#/routes/Users.get', text: 'Open in Requests', act: (page) => tryIt(page) },
  { view: 'performance', hash: '#/performance', text: '/reports/{year}' },
  { view: 'the logs', hash: '#/logs', text: 'the index is old' },
  { view: 'the problems', hash: '#/problems', text: /AggregateError/ },
  { view: 'health', hash: '#/health', text: 'Only this machine' },
]

const OVERLAYS: readonly Row[] = [
  { view: 'the palette', hash: '', text: 'View', act: (page) => page.keyboard.press('Control+k') },
  { view: 'the list of keys', hash: '', text: 'Pause or resume', act: (page) => page.keyboard.press('?') },
  { view: 'the question before a replay', hash: '', text: /Send this DELETE again/, act: (page) => replay(page) },
]

describe('console layout: views', () => {
  for (const row of [...LISTS, ...OVERLAYS]) {
    it(`fits every width and theme: ${row.view}`, async (t) => {
      const { page } = await openConsole(t, { app, hash: row.hash, reducedMotion: true })
      await row.act?.(page)
      await page.getByText(row.text).first().waitFor()
      assert.deepEqual(await faultsOfLayout(page), [])
    })
  }

  it('fits every width and theme: no request yet', async (t) => {
    const { page } = await openConsole(t, { app: await openBrowserApp(t) })
    await page.getByText('Nothing recorded yet').waitFor()
    assert.deepEqual(await faultsOfLayout(page), [])
  })

  it('fits every width and theme: no metrics yet', async (t) => {
    const { page } = await openConsole(t, { app: await openBrowserApp(t), hash: '#/performance' })
    for (const chart of await page.locator('.chart.tall').all()) await chart.getByText('no data yet').waitFor()
    await page.getByText('No endpoint was called yet.').waitFor()
    assert.deepEqual(await faultsOfLayout(page), [])
  })

  it('fits every width and theme: unavailable app', async (t) => {
    const gone = await openBrowserApp(t)
    const allows = [/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING/]
    const { page } = await openConsole(t, { app: gone, allows })
    await gone.close()
    await page.locator('.status .banner').waitFor()
    assert.deepEqual(await faultsOfLayout(page), [])
  })

  it('shows the numbers and actions of the list in one row below the filter', async (t) => {
    const { page } = await openConsole(t, { app, hash: '#/requests' })
    await page.getByText('ContractBreach').first().waitFor()
    for (const width of WIDTHS.slice(1)) {
      await page.setViewportSize({ width, height: 800 })
      const [numbers, ...actions] = await page
        .locator('.bar.full > :not(.field)')
        .evaluateAll((all) => all.map((it) => it.getBoundingClientRect()).filter(({ height }) => height > 0))
      assert.ok(numbers !== undefined && actions.length === 3)
      for (const { top } of actions) assert.ok(top < numbers.bottom, `${width} px`)
    }
  })

  it('shows a number and its unit in one line in the calls of a route', async (t) => {
    const { page } = await openConsole(t, { app, hash: '#/routes/Users.get' })
    await page.setViewportSize({ width: 768, height: 800 })
    const calls = page.locator('.two').filter({ hasText: 'p99' })
    assert.deepEqual(
      await calls.locator('.num').evaluateAll((all) => all.map((it) => it.getClientRects().length)),
      [1, 1],
    )
  })

  it('uses the selected theme instead of the system theme', async (t) => {
    const { page } = await openConsole(t, { app, theme: 'light' })
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await background()
    await page.keyboard.press('t')
    await page.keyboard.press('t')
    await page.locator('html[data-theme="dark"]').waitFor()
    assert.notEqual(await background(), light)
    assert.deepEqual(await faultsOfLayout(page), [])
  })
})

async function pauseAndSend(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Pause' }).click()
  await send(app.url, ['GET', '/users/1'])
}

/** Sends a request that the app holds until it closes. */
async function hold(): Promise<void> {
  const before = app.db.holding()
  void send(app.url, ['GET', '/held'])
  while (app.db.holding() === before) await wait(5)
}

async function filterRoutes(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Filter routes' }).fill('no such route')
}

async function tryIt(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send' }).click()
}

async function replay(page: Page): Promise<void> {
  await readRows(page).filter({ hasText: 'DELETE' }).click()
  await page.getByRole('button', { name: 'Replay' }).click()
}
