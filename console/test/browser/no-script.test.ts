/** The console where JavaScript is switched off. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openConsole } from '../support/browser.js'
import { ask, openShop } from '../support/shop.js'
import { post } from '#test/console.js'

describe('console page without JavaScript', () => {
  it('links from the page to the list', async (t) => {
    const shop = await openShop(t)
    const { page } = await openConsole(t, { app: shop, javaScript: false })
    assert.match(await page.locator('body').innerText(), /The live console needs JavaScript/)
    await page.getByRole('link', { name: '/__dev__/requests' }).click()
    assert.equal(new URL(page.url()).pathname, '/__dev__/requests')
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Requests of shop')
    assert.match(await page.locator('body').innerText(), /No request has been recorded yet/)
  })

  it('lists requests, newest first', async (t) => {
    const shop = await openShop(t)
    await ask(shop, ['/goods', '/goods/7', '/broken'])
    const { page } = await openConsole(t, { app: shop, path: '/__dev__/requests', javaScript: false })
    const rows = page.getByRole('row')
    const texts = await rows.allInnerTexts()
    assert.deepEqual(
      texts.map((text) => text.split('\t').slice(0, 4)),
      [
        ['Status', 'Method', 'Path', 'Handler'],
        ['500', 'GET', '/broken', 'Broken.get'],
        ['200', 'GET', '/goods/7', 'GoodById.get'],
        ['200', 'GET', '/goods', 'Goods.get'],
      ],
    )
    await ask(shop, ['/nowhere'])
    await page.reload()
    assert.match((await rows.nth(1).innerText()) ?? '', /^404\tGET\t\/nowhere/)
  })

  it('shows a request with a link back', async (t) => {
    const shop = await openShop(t)
    await post(`${shop.url}/goods?a=1`, { name: 'x', price: 2, password: 'hunter2' }, { 'x-mark': '<b>' })
    await ask(shop, ['/broken'])
    const { page } = await openConsole(t, { app: shop, path: '/__dev__/requests', javaScript: false })
    await page.getByRole('link', { name: '/broken' }).click()
    assert.match(await page.getByRole('heading', { level: 1 }).innerText(), /GET \/broken 500/)
    assert.match(await page.locator('body').innerText(), /TypeError: The till is empty[^]*Error: Nobody paid/)
    await page.getByRole('link', { name: 'All requests' }).click()
    await page.getByRole('link', { name: '/goods' }).click()
    const text = await page.locator('body').innerText()
    for (const part of ['query a=1', 'x-mark: <b>', '"name":"x"', 'body.name: ', '422'])
      assert.ok(text.includes(part), part)
    assert.doesNotMatch(text, /hunter2/)
    await page.goBack()
    assert.equal(new URL(page.url()).pathname, '/__dev__/requests')
  })

  it('shows a message for a request that is no longer stored', async (t) => {
    const shop = await openShop(t)
    const allows = [/status of 404/]
    const path = '/__dev__/requests/r_gone123'
    const { page } = await openConsole(t, { app: shop, path, javaScript: false, allows })
    assert.match(await page.locator('body').innerText(), /This request is not kept any more/)
    await page.getByRole('link', { name: 'All requests' }).click()
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Requests of shop')
  })
})
