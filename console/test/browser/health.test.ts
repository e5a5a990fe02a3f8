import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openConsole } from '../support/browser.js'
import { eventually, untilPaths } from '../support/page.js'
import { ask, openShop } from '../support/shop.js'

describe('console page: number of stored requests', () => {
  it('has the same number and maximum in every view', async (t) => {
    const shop = await openShop(t)
    await ask(shop, ['/goods', '/broken', '/nowhere'])
    const { page } = await openConsole(t, { app: shop })
    await untilPaths(page, ['/nowhere', '/broken', '/goods'])
    await page.keyboard.press('6')
    await eventually(async () => {
      const foot = await page.locator('.nav .foot').innerText()
      const [, count, most] = /Stored\s+(\d+) \/ (\d+)/.exec(foot) ?? []
      assert.equal(count, '3')
      assert.match(await page.locator('.kv', { hasText: 'Stored requests' }).innerText(), new RegExp(`3 of ${most}\\.`))
    })
    await eventually(async () => assert.doesNotMatch(await page.locator('body').innerText(), /buffer/i))
  })
})
