/** The console with a keyboard only: its actions, and the focus after each of them. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { openConsole } from '../support/browser.js'
import {
  eventually,
  readFocus,
  readPaths,
  untilCount,
  untilFocus,
  untilHash,
  untilPaths,
  untilSaid,
} from '../support/page.js'
import { ask, openShop, type Shop } from '../support/shop.js'

const PATHS = ['/goods', '/goods/7', '/broken']
const NEWEST_FIRST = PATHS.toReversed()

interface Opened {
  readonly shop: Shop
  readonly page: Page
  /** Presses keys one after the other. */
  readonly press: (...keys: readonly string[]) => Promise<void>
}

async function openWith(t: TestContext, paths: readonly string[], hash = ''): Promise<Opened> {
  const shop = await openShop(t)
  await ask(shop, paths)
  const context = { permissions: ['clipboard-read', 'clipboard-write'] }
  const { page } = await openConsole(t, { app: shop, hash, context })
  if (hash === '') await untilPaths(page, paths.toReversed())
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  return { shop, page, press }
}

/** The path that is marked in the list. */
function selected(page: Page): Promise<string[]> {
  return page.locator('tr.row.sel .pth').allTextContents()
}

async function untilSelected(page: Page, path: string): Promise<void> {
  await eventually(async () => assert.deepEqual(await selected(page), [path]))
}

/** Presses Tab until the focused element has this name, and asserts that each focused element is visible. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let step = 0; step < 60; step++) {
    await page.keyboard.press('Tab')
    // The browser scrolls to the focused element after it has the focus.
    const focus = await eventually(async () => {
      const found = await readFocus(page)
      assert.ok(found.isSeen || found.name === 'nothing', `${found.name} has the focus, which cannot be seen`)
      return found
    })
    if (name.test(focus.name)) return
  }
  assert.fail(`Tab never comes to ${name}`)
}

describe('console page: keyboard', () => {
  it('moves through the list and opens a request', async (t) => {
    const { page, press } = await openWith(t, PATHS)
    await press('j')
    await untilSelected(page, '/broken')
    await untilSaid(page, /^GET \/broken, 500, /)
    await press('j', 'j', 'j')
    await untilSelected(page, '/goods')
    await press('k')
    await untilSelected(page, '/goods/7')
    await press('Enter')
    await untilFocus(page, /^heading "GET \/goods\/7"/)
    await press('Escape')
    await untilFocus(page, /^link "\/goods\/7"/)
    await untilHash(page, /^#\/requests$/)
    await press('Tab', 'Enter')
    await untilHash(page, /^#\/requests\/r_/)
    await untilSelected(page, '/goods')
  })

  it('moves through all tabs of a request and closes it', async (t) => {
    const { page, press } = await openWith(t, ['/broken'])
    await press('j', 'Enter')
    await untilFocus(page, /^heading/)
    await tabTo(page, /^tab "Overview"/)
    const names = ['Request', 'Response', 'Timing', 'Logs', 'Error', 'Compare']
    for (const name of names) {
      await press('ArrowRight')
      await untilFocus(page, new RegExp(`^tab "${name}.*\\[selected\\]`))
      const panel = page.getByRole('tabpanel', { name })
      await eventually(async () => assert.doesNotMatch(await panel.innerText(), /^(Reading|\s*$)/))
    }
    await press('ArrowRight')
    await untilFocus(page, /^tab "Overview"/)
    await press('End')
    await untilFocus(page, /^tab "Compare"/)
    await press('Tab')
    await untilFocus(page, /^tabpanel "Compare"/)
    await press('Escape')
    await untilFocus(page, /^link "\/broken"/)
    await untilCount(page.getByRole('region', { name: 'Request', exact: true }), 0)
  })

  it('filters and removes the filter', async (t) => {
    const { page, press } = await openWith(t, PATHS)
    await press('/')
    await untilFocus(page, /^textbox "Filter requests"/)
    await page.keyboard.type('path:/goods*')
    await untilPaths(page, ['/goods/7', '/goods'])
    await untilHash(page, /q=path/)
    await press('Escape')
    await untilPaths(page, NEWEST_FIRST)
    await untilFocus(page, /^textbox "Filter requests"/)
    await page.keyboard.type('nothing:here')
    await untilFocus(page, /^textbox "Filter requests".*\[invalid\]/)
    await eventually(async () => assert.match(await page.locator('#filter-error').innerText(), /nothing/))
    await press('Escape', 'Escape', 'j')
    await untilSelected(page, '/broken')
    await press('/')
    await tabTo(page, /^button "5xx 1"/)
    await press('Enter')
    await untilFocus(page, /^button "5xx 1" \[pressed\]/)
    await untilPaths(page, ['/broken'])
  })

  it('pauses and resumes', async (t) => {
    const { shop, page, press } = await openWith(t, PATHS)
    await press('Space')
    await untilSaid(page, /^Paused/)
    await ask(shop, ['/texts?size=3'])
    await eventually(async () => assert.match(await page.locator('.live').innerText(), /1 held/))
    assert.deepEqual(await readPaths(page), NEWEST_FIRST)
    await press('Space')
    await untilSaid(page, /^Live again/)
    await untilPaths(page, ['/texts?size=3', ...NEWEST_FIRST])
    await tabTo(page, /^button "Pause"/)
    await press('Space')
    await untilFocus(page, /^button "Resume" \[pressed\]/)
    await press('Enter')
    await untilFocus(page, /^button "Pause"$/)
  })

  it('pins requests and clears all others', async (t) => {
    const { page, press } = await openWith(t, PATHS)
    await press('j', 'j', 'p')
    await untilSaid(page, /^Pinned/)
    await tabTo(page, /^button "Pinned" \[pressed\]/)
    await press('Enter')
    await untilSaid(page, /^Unpinned/)
    await untilFocus(page, /^button "Pin"$/)
    await press('Enter')
    await untilFocus(page, /^button "Pinned" \[pressed\]$/)
    await press('Shift+X')
    await untilSaid(page, /^Cleared/)
    await untilPaths(page, ['/goods/7'])
    await press('p')
    await untilSaid(page, /^Unpinned/)
    await press('Shift+X')
    await untilPaths(page, [])
    await untilHash(page, /^#\/requests$/)
  })
  it('replays a request, with a confirmation if it can have effects', async (t) => {
    const { shop, page, press } = await openWith(t, PATHS)
    await press('j', 'r')
    await untilSaid(page, /^Replayed: 500 in /)
    await untilPaths(page, ['/broken', ...NEWEST_FIRST])
    await page.evaluate(() => fetch('/goods/7', { method: 'DELETE' }))
    await untilPaths(page, ['/goods/7', '/broken', ...NEWEST_FIRST])
    await press('Escape', 'j')
    await untilSelected(page, '/goods/7')
    await tabTo(page, /^button "Replay"/)
    await press('Enter')
    await untilFocus(page, /^button "Send"/)
    await press('Escape')
    await untilFocus(page, /^button "Replay"/)
    assert.equal(shop.changes.length, 1)
    await press('r')
    await untilFocus(page, /^button "Send"/)
    await press('Enter')
    await untilSaid(page, /^Replayed: 204/)
    await untilFocus(page, /^button "Replay"/)
    assert.deepEqual(shop.changes, ['took 7 away', 'took 7 away'])
  })

  it('returns the focus from a dialog that was open when the details arrived', async (t) => {
    const { page, press } = await openWith(t, PATHS)
    await page.evaluate(() => fetch('/goods/7', { method: 'DELETE' }))
    await untilPaths(page, ['/goods/7', ...NEWEST_FIRST])
    let release = (): void => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/__dev__/api/requests/*', async (route) => {
      await released
      await route.continue()
    })
    await press('j')
    await tabTo(page, /^button "Replay"/)
    await press('Enter')
    await untilFocus(page, /^button "Send"/)
    const loaded = page.waitForResponse('**/__dev__/api/requests/*')
    release()
    await loaded
    await page.getByText('Where the time went').waitFor({ state: 'attached' })
    await press('Escape')
    await untilFocus(page, /^button "Replay"/)
  })

  it('edits a request and sends it', async (t) => {
    const { shop, page, press } = await openWith(t, PATHS)
    await press('j', 'j', 'e')
    await untilHash(page, /^#\/routes\/GoodById\.get/)
    await untilFocus(page, /^textbox "id/)
    await page.keyboard.type('8')
    await press('Control+Enter')
    await untilSaid(page, /^Answered with 200 in /)
    await untilFocus(page, /^textbox "id/)
    await tabTo(page, /^link "Open in Requests"/)
    await press('Enter')
    await untilHash(page, /^#\/requests\/r_/)
    await eventually(async () => assert.match(await page.getByRole('heading', { level: 2 }).innerText(), /\/goods\/8$/))
    assert.deepEqual(shop.changes, [])
  })

  it('opens any view by the palette and returns the focus', async (t) => {
    const { page, press } = await openWith(t, PATHS)
    await press('/', 'Control+k')
    await untilFocus(page, /^combobox "Search views, routes, and requests"/)
    await press('Escape')
    await untilFocus(page, /^textbox "Filter requests"/)
    await press('Control+k')
    await page.keyboard.type('delete goods')
    await eventually(async () => await untilCount(page.getByRole('option'), 1))
    await press('Enter')
    await untilHash(page, /^#\/routes\/GoodById\.delete$/)
    await eventually(async () =>
      assert.match(await page.getByRole('heading', { level: 2, name: /DELETE/ }).innerText(), /goods/),
    )
    await press('Control+k', 'ArrowDown', 'ArrowDown', 'ArrowUp')
    const option = page.getByRole('option', { selected: true })
    await eventually(async () => assert.match(await option.innerText(), /^Routes/))
    const id = await page.getByRole('combobox').getAttribute('aria-activedescendant')
    await eventually(async () => assert.equal(await option.getAttribute('id'), id))
    await press('Enter')
    await untilHash(page, /^#\/routes$/)
  })

  it('copies a request as a command', async (t) => {
    const { shop, page, press } = await openWith(t, PATHS)
    await press('j', 'k', 'c')
    await untilSaid(page, /^Copied as cURL/)
    const text = await page.evaluate(() => navigator.clipboard.readText())
    assert.ok(text.startsWith(`curl '${shop.url}/broken'`), text)
    await page.locator('summary', { hasText: 'Copy' }).focus()
    await press('Enter', 'Tab', 'Tab', 'Enter')
    await untilSaid(page, /^Copied as fetch/)
    await untilFocus(page, /Copy/)
    await press('Enter', 'Tab', 'Escape')
    await untilFocus(page, /Copy/)
    await untilSelected(page, '/broken')
  })

  it('opens each view by its number and announces it', async (t) => {
    const { page, press } = await openWith(t, PATHS)
    const views = ['requests', 'routes', 'performance', 'logs', 'problems', 'health']
    for (const [index, view] of [...views.entries()].toReversed()) {
      await press(String(index + 1))
      await untilHash(page, new RegExp(`^#/${view}$`))
      const link = page.getByRole('navigation', { name: 'Sections' }).locator('[aria-current="page"]')
      assert.match((await link.innerText()).toLowerCase(), new RegExp(`^${view}`))
      assert.match((await page.title()).toLowerCase(), new RegExp(`^\\(1\\) ${view} · shop`))
      assert.match((await readFocus(page)).name, /^main/)
    }
  })

  it('changes the theme and stores it', async (t) => {
    const { page, press } = await openWith(t, PATHS)
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await background()
    await press('t', 't')
    await untilSaid(page, /^Theme: dark/)
    const dark = await background()
    assert.notEqual(dark, light)
    await page.reload()
    assert.equal(await background(), dark)
    await press('t')
    await untilSaid(page, /^Theme: system/)
    assert.equal(await background(), light)
  })

  it('lists the keys and disables single keys', async (t) => {
    const { page, press } = await openWith(t, PATHS)
    await tabTo(page, /^button "Keyboard shortcuts"/)
    await press('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await dialog.waitFor()
    await untilFocus(page, /^checkbox "Single-key/)
    await press('Space', 'Escape')
    await untilFocus(page, /^button "Keyboard shortcuts"/)
    await press('j', '2', 't', '/', '?')
    await press('Control+k')
    await untilFocus(page, /^combobox/)
    await untilCount(dialog, 0)
    assert.deepEqual(await selected(page), [])
    assert.equal(new URL(page.url()).hash, '')
    await press('Escape')
    await untilFocus(page, /^button "Keyboard shortcuts"/)
    await press('Enter')
    await untilFocus(page, /^checkbox/)
    await press('Space', 'Escape')
    await untilFocus(page, /^button "Keyboard shortcuts"/)
    await press('j')
    await untilSelected(page, '/broken')
  })
})

describe('console page: Space on a panel', () => {
  it('scrolls the panel that has the focus, and does not pause', async (t) => {
    const shop = await openShop(t)
    const { page } = await openConsole(t, { app: shop, hash: '#/performance', height: 400 })
    const panel = page.getByRole('region', { name: 'Performance' })
    await panel.focus()
    await page.keyboard.press('Space')
    await eventually(async () => assert.ok((await panel.evaluate((it) => it.scrollTop)) > 50))
    await untilCount(page.getByRole('button', { name: 'Pause' }), 1)
  })
})
