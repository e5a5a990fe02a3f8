/** The page while its app is restarted, killed, or closed. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { onCleanup } from '#test/cleanup.js'
import { openBrowser, openConsole, untilLive } from '../support/browser.js'
import { eventually, readPaths, untilPaths, untilSaid } from '../support/page.js'
import { freePort, startProcess as start } from '#test/browser-process.js'
import { ask, makeShop, openShop } from '../support/shop.js'
import { openFeed } from '#test/console-feed.js'

const MAIN = 'console/test/support/shop-child.ts'
/** Browser errors for a broken connection, and for a refused one. */
const ALLOWS = [/ERR_(?:CONNECTION|INCOMPLETE|EMPTY)/]

async function untilRestartShown(page: Page, paths: readonly string[], old: readonly string[]): Promise<void> {
  await untilPaths(page, paths)
  const rows = page.locator('tbody tr.row, tbody tr.divider')
  await eventually(async () => {
    const shown = await rows.evaluateAll((all) => all.map((it) => [it.className, it.textContent ?? '']))
    const divider = shown.findIndex(([name = '']) => name.startsWith('divider'))
    assert.equal(divider, paths.length - old.length)
    assert.match(shown[divider]?.[1] ?? '', /^restarted at \d\d:\d\d:\d\d$/)
    const dimmed = shown.filter(([name = '']) => /\bold\b/.test(name)).length
    assert.equal(dimmed, old.length)
  })
  const colourOf = (name: string) =>
    page
      .locator(name)
      .first()
      .evaluate((it) => getComputedStyle(it).color)
  for (const part of ['.pth', '.k-d', '.k-h']) {
    assert.notEqual(await colourOf(`tr.old ${part}`), await colourOf(`tr.row:not(.old) ${part}`), part)
  }
}

describe('console page: app restart', () => {
  it('keeps its rows when a watched file is saved', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'shop-'))
    onCleanup(t, () => rm(folder, { recursive: true }))
    const main = join(folder, 'main.mjs')
    const port = await freePort()
    const text = `process.argv[2] = '${port}'\nawait import('${pathToFileURL(MAIN).href}')\n`
    await writeFile(main, text)
    const app = await start(t, '--watch', '--watch-preserve-output', '--import=tsx', main)
    const { page } = await openConsole(t, { app, allows: ALLOWS })
    await ask(app, ['/goods', '/broken'])
    await untilPaths(page, ['/broken', '/goods'])
    await writeFile(main, `${text}// saved\n`)
    assert.equal(await app.listens(), app.url)
    await untilLive(page)
    await ask(app, ['/goods/3'])
    await untilRestartShown(page, ['/goods/3', '/broken', '/goods'], ['/broken', '/goods'])
  })

  it('connects to a new process on the same port after a kill', async (t) => {
    const first = await start(t, '--import=tsx', MAIN)
    const { page } = await openConsole(t, { app: first, allows: [...ALLOWS, /404 .*\/api\/requests/] })
    await ask(first, ['/goods', '/goods/1'])
    await untilPaths(page, ['/goods/1', '/goods'])
    await first.kill()
    await page.getByText(/The app does not respond; trying again/).waitFor()
    assert.deepEqual(await readPaths(page), ['/goods/1', '/goods'])
    await start(t, '--import=tsx', MAIN, new URL(first.url).port)
    await untilLive(page)
    await page.getByText(/The app does not respond/).waitFor({ state: 'detached' })
    await ask(first, ['/goods/2'])
    await untilRestartShown(page, ['/goods/2', '/goods/1', '/goods'], ['/goods/1', '/goods'])
    await page.keyboard.press('j')
    await page.keyboard.press('p')
    await untilSaid(page, /^Pinned/)
    await page.getByRole('link', { name: '/goods/1', exact: true }).click()
    await page
      .getByText(/Only the summary is left|The app|no longer/)
      .first()
      .waitFor()
  })

  it('requires the token of the new process, then keeps its rows', async (t) => {
    const guarded = async (token: string, port: number) => {
      const { app } = makeShop({ devConsole: { token } })
      const { url } = await app.listen({ port })
      onCleanup(t, () => app.close())
      return { app, url }
    }
    const first = await guarded('the-token-of-the-first', 0)
    const hash = '#token=the-token-of-the-first'
    const allows = [...ALLOWS, /status of (?:401|403|429)/, /ERR_ABORTED/]
    const { page, context } = await openConsole(t, { app: first, hash, allows })
    await ask(first, ['/goods'])
    await untilPaths(page, ['/goods'])
    await first.app.close()
    const second = await guarded('the-token-of-the-second', Number(new URL(first.url).port))
    await page.getByText(/wants a new token/).waitFor()
    assert.deepEqual(await readPaths(page), ['/goods'])
    const other = await context.newPage()
    await other.goto(`${second.url}/__dev__#token=another-token-of-nobody`)
    await other.getByText('This token does not open the console').waitFor()
    await eventually(async () => {
      await other.goto(`${second.url}/__dev__#token=the-token-of-the-second`)
      await other.locator('.live').waitFor({ timeout: 2_000 })
    })
    await other.close()
    await untilLive(page)
    await ask(second, ['/goods/2'])
    await untilRestartShown(page, ['/goods/2', '/goods'], ['/goods'])
    await page.keyboard.press('j')
    await page.keyboard.press('p')
    await untilSaid(page, /^Pinned/)
  })

  it('receives the close of the app, which does not wait for the page', async (t) => {
    const shop = await openShop(t)
    const { page } = await openConsole(t, { app: shop, allows: ALLOWS })
    const feeds = await Promise.all([1, 2].map(() => openFeed(shop.url)))
    for (const feed of feeds) await feed.until('hello')
    const begin = performance.now()
    await shop.app.close()
    const took = performance.now() - begin
    t.diagnostic(`close() took ${took.toFixed(0)} ms`)
    assert.ok(took < 1_000, `${took} ms`)
    await Promise.all(feeds.map((feed) => feed.ended))
    await page.getByText('The app is restarting.').waitFor()
  })
})

describe('console page: app that stays away', () => {
  it('says since when the app is gone, after 10 s', async (t) => {
    const { app, changes: _ } = makeShop()
    const { url } = await app.listen()
    const { page } = await openConsole(t, { app: { url }, allows: ALLOWS })
    await app.close()
    const banner = page.locator('.status .banner')
    await banner.waitFor()
    await eventually(async () => assert.doesNotMatch(await banner.innerText(), /gone/))
    await banner.filter({ hasText: /^The app is gone since \d\d:\d\d\./ }).waitFor()
  })
})

describe('console page: scripts', () => {
  it('shows the requests before its second script has arrived', async (t) => {
    const shop = await openShop(t)
    const { context } = await openBrowser(t, shop.url)
    const page = await context.newPage()
    let send: (value: null) => void = () => undefined
    const asked = new Promise<null>((resolve) => (send = resolve))
    await page.route('**/__dev__/views.js', async (route) => {
      await asked
      await route.continue()
    })
    await page.goto(`${shop.url}/__dev__`, { waitUntil: 'commit' })
    await ask(shop, ['/goods'])
    await untilPaths(page, ['/goods'])
    await page.keyboard.press('2')
    await page.getByText('Reading the view …').waitFor()
    send(null)
    await page.getByRole('textbox', { name: 'Filter routes' }).waitFor()
  })

  it('says that its second script could not be loaded, and shows the requests', async (t) => {
    const shop = await openShop(t)
    const { context } = await openBrowser(t, shop.url, { allows: [/ERR_FAILED/] })
    const page = await context.newPage()
    await page.route('**/__dev__/views.js', (route) => route.abort())
    await page.goto(`${shop.url}/__dev__`)
    await untilSaid(page, /^A part of the page could not be loaded/)
    await ask(shop, ['/goods'])
    await untilPaths(page, ['/goods'])
    await page.keyboard.press('2')
    await page.locator('main').getByText('A part of the page could not be loaded. Reload the page.').waitFor()
    await page.unroute('**/__dev__/views.js')
    await page.reload()
    await page.getByRole('textbox', { name: 'Filter routes' }).waitFor()
  })

  it('asks for a reload if its first script could not be loaded', async (t) => {
    const shop = await openShop(t)
    // The import of the other script has no hash, so the browser does not load the first script for it.
    const { context } = await openBrowser(t, shop.url, { allows: [/ERR_FAILED/, /Content Security Policy|csp/i] })
    const page = await context.newPage()
    await page.route('**/__dev__/page.js', (route) => route.abort())
    await page.goto(`${shop.url}/__dev__`)
    await page.getByText('The page could not be loaded completely. Reload it.').waitFor()
  })

  it('does not run a script that is not the script of the page', async (t) => {
    const shop = await openShop(t)
    const { context } = await openBrowser(t, shop.url, { allows: [/integrity/i, /Content Security Policy/] })
    const page = await context.newPage()
    const body = 'document.title = "changed"'
    await page.route('**/__dev__/*.js', (route) => route.fulfill({ contentType: 'text/javascript', body }))
    await page.goto(`${shop.url}/__dev__`)
    await page.getByText('The page could not be loaded completely. Reload it.').waitFor()
    assert.equal(await page.title(), 'shop /__dev__')
  })
})
