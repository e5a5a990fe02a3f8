/** Times in the page use the clock of the app, for any clock of the browser. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openBrowser, untilLive } from '../support/browser.js'
import { eventually, readPaths, untilCount, untilPaths } from '../support/page.js'
import { ask, openShop } from '../support/shop.js'

const SKEW_MS = 5 * 60_000

describe('console page: clock of the browser', () => {
  for (const [word, skew] of [
    ['5 minutes ahead', SKEW_MS],
    ['5 minutes behind', -SKEW_MS],
  ] as const) {
    it(`shows the same times ${word}`, async (t) => {
      const shop = await openShop(t)
      const { context } = await openBrowser(t, shop.url, { allows: [/ERR_CONNECTION|ERR_INCOMPLETE_CHUNKED_ENCODING/] })
      await context.addInitScript(`{
        const now = Date.now
        Date.now = () => now() + ${skew}
        globalThis.Date = class extends Date {
          constructor(...values) { values.length === 0 ? super(now() + ${skew}) : super(...values) }
        }
      }`)
      const page = await context.newPage()
      await page.goto(`${shop.url}/__dev__`)
      await untilLive(page)
      await ask(shop, ['/goods', '/goods', '/goods', '/goods', '/goods', '/broken'])
      await untilPaths(page, ['/broken', '/goods', '/goods', '/goods', '/goods', '/goods'])
      await eventually(async () => await untilCount(page.locator('.strip .mark'), 6))
      assert.match(await page.locator('.nav .foot').innerText(), /up \d+s/)
      const minute = (by: number) => new Date(Date.now() + by * 60_000).toISOString().slice(11, 16)
      await page.getByRole('textbox', { name: 'Filter requests' }).fill(`after:${minute(-1)}`)
      await eventually(async () => assert.equal((await readPaths(page)).length, 6))
      await page.getByRole('textbox', { name: 'Filter requests' }).fill(`before:${minute(-1)}`)
      await page.getByText(/No request matches/).waitFor()
      await page.getByRole('link', { name: /^Problems/ }).click()
      await eventually(async () => assert.match(await page.locator('.pb').first().innerText(), /last \d{1,2}s ago/))
      await page.getByRole('link', { name: /^Performance/ }).click()
      await eventually(async () => assert.notEqual(await page.locator('[data-cell]').count(), 0))
      const closed = [minute(0)]
      await shop.app.close()
      closed.push(minute(0))
      const banner = page.locator('.status .banner', { hasText: 'The app is gone since' })
      await banner.waitFor()
      const [since = ''] = /\d\d:\d\d/.exec(await banner.innerText()) ?? []
      assert.ok(closed.includes(since), `${since} instead of ${closed.join()}`)
    })
  }
})

describe('console page: sleep of the computer', () => {
  it('corrects its clock after the sleep', async (t) => {
    const shop = await openShop(t)
    const { context } = await openBrowser(t, shop.url)
    await context.addInitScript(`{
      const now = performance.now.bind(performance)
      globalThis.slept = 0
      performance.now = () => now() - slept
    }`)
    const page = await context.newPage()
    await page.goto(`${shop.url}/__dev__`)
    await untilLive(page)
    await page.evaluate(`slept = ${60 * 60_000}`)
    await ask(shop, ['/goods'])
    const strip = page.locator('.strip')
    await eventually(async () => {
      const [all, mark] = await Promise.all([strip.boundingBox(), strip.locator('.mark').boundingBox()])
      assert.ok(all && mark && mark.x < all.x + all.width, `mark at ${mark?.x} of ${all?.width}`)
    })
    assert.match(await page.locator('.nav .foot').innerText(), /up [1-9]\d*s/)
  })
})
