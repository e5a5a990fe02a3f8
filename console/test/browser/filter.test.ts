/** The filter of the request list: matches, suggestions, and the filter in the address. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openConsole } from '../support/browser.js'
import { eventually, readPaths, readRows, untilCount, untilFocus, untilHash, untilPaths } from '../support/page.js'
import { ask, openShop } from '../support/shop.js'
import { post } from '#test/console.js'

describe('console page: request id', () => {
  it('finds the request of an id in a header, a body or a log line', async (t) => {
    const logged: unknown[] = []
    const write = (fields: object) => void logged.push(Reflect.get(fields, 'requestId'))
    const shop = await openShop(t, { logger: { debug: write, info: write, warn: write, error: write } })
    const failed = await fetch(`${shop.url}/nowhere`)
    const header = failed.headers.get('x-request-id') ?? ''
    const { requestId: body } = await (await fetch(`${shop.url}/broken`)).json()
    await post(`${shop.url}/goods`, { name: 'tea', price: 3 })
    const line = logged.at(-1)
    await ask(shop, ['/goods'])
    const { page } = await openConsole(t, { app: shop })
    for (const [id, path] of [
      [header, '/nowhere'],
      [body, '/broken'],
      [line, '/goods'],
    ]) {
      for (const q of [`id:${id}`, ` ${id} `]) {
        await page.getByRole('textbox', { name: 'Filter requests' }).fill(q)
        await untilPaths(page, [path])
      }
    }
    await page.keyboard.press('j')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search views, routes, and requests' }).fill(header)
    await page.keyboard.press('Enter')
    await page.getByRole('tabpanel', { name: 'Overview' }).getByText(header).waitFor()
  })
})

describe('console page: filters in the address', () => {
  it('keeps the filter of every view when the view changes', async (t) => {
    const shop = await openShop(t)
    await ask(shop, ['/goods', '/broken'])
    const { page } = await openConsole(t, { app: shop })
    const link = (name: string) => page.locator('.nav').getByRole('link', { name: new RegExp(`^${name}`) })
    await page.getByRole('textbox', { name: 'Filter requests' }).fill('path:/goods')
    await link('Routes').click()
    await page.getByRole('textbox', { name: 'Filter routes' }).fill('broken')
    await untilHash(page, /#\/routes\?q=broken$/)
    await link('Logs').click()
    await page.getByRole('textbox', { name: 'Filter logs' }).fill('till')
    await page.getByRole('group', { name: 'Level' }).getByRole('button', { name: 'error' }).click()
    await untilHash(page, /#\/logs\?q=till&level=error$/)
    await page.keyboard.press('Escape')
    await link('Requests').click()
    await untilPaths(page, ['/goods'])
    await page.keyboard.press('Control+k')
    await page.keyboard.type('logs')
    await page.keyboard.press('Enter')
    await untilHash(page, /#\/logs\?q=till&level=error$/)
    await link('Routes').click()
    await page.getByRole('link', { name: 'GET /broken' }).click()
    await page.reload()
    await eventually(async () =>
      assert.equal(await page.getByRole('textbox', { name: 'Filter routes' }).inputValue(), 'broken'),
    )
    await page.goto(`${shop.url}/__dev__#/logs?q=x&level=warn`)
    await eventually(async () =>
      assert.equal(await page.getByRole('textbox', { name: 'Filter logs' }).inputValue(), 'x'),
    )
    const warn = page.getByRole('group', { name: 'Level' }).getByRole('button', { name: /^warn/ })
    await eventually(async () => assert.equal(await warn.getAttribute('aria-pressed'), 'true'))
  })

  it('keeps the filter of the routes in the link from an endpoint back to the list', async (t) => {
    const shop = await openShop(t)
    const { page } = await openConsole(t, { app: shop, width: 420, hash: '#/routes?q=goods' })
    await page.locator('.tree').getByRole('link', { name: 'GET /goods/{id}' }).click()
    await page.getByRole('link', { name: 'All routes' }).click()
    await untilHash(page, /^#\/routes\?q=goods$/)
    await eventually(async () =>
      assert.equal(await page.getByRole('textbox', { name: 'Filter routes' }).inputValue(), 'goods'),
    )
    await untilCount(page.locator('.tree').getByRole('link', { name: '/broken' }), 0)
  })

  it('says that an address is unknown', async (t) => {
    const shop = await openShop(t)
    const { page } = await openConsole(t, { app: shop, hash: '#/nowhere', allows: [/status of 40[34]/] })
    await page.locator('.toast', { hasText: 'There is no view at "#/nowhere"; this is Requests' }).waitFor()
    await page.goto(`${shop.url}/__dev__#/logs/r_1`)
    await page.locator('.toast', { hasText: 'There is no view at "#/logs/r_1"; this is Logs' }).waitFor()
    // A navigation aborts the request for the data of the page.
    await page.getByText('Live', { exact: true }).waitFor()
    await page.goto(`${shop.url}/__dev__/nowhere`)
    await page.getByText('The console has nothing at this address').waitFor()
    await page.goto(`${shop.url}/__dev__/api/health`)
    await page.getByText('only pages can be opened by their URL').waitFor()
    await page.goto(`${shop.url}/__dev__#/routes/Nobody.get`)
    await page.getByText('There is no endpoint "Nobody.get"').waitFor()
    await page.getByRole('link', { name: 'All routes' }).click()
    await page.getByRole('heading', { name: 'GET /goods' }).waitFor()
  })

  it('sorts the list by a column, in three steps', async (t) => {
    const shop = await openShop(t)
    await ask(shop, ['/goods/b', '/goods/c', '/goods/a'])
    const { page } = await openConsole(t, { app: shop })
    const head = page.getByRole('columnheader', { name: /^Path/ })
    await head.getByRole('button').click()
    await untilPaths(page, ['/goods/a', '/goods/b', '/goods/c'])
    await eventually(async () => assert.equal(await head.getAttribute('aria-sort'), 'ascending'))
    await untilHash(page, /sort=Path$/)
    await ask(shop, ['/goods/bb'])
    await untilPaths(page, ['/goods/a', '/goods/b', '/goods/bb', '/goods/c'])
    await page.keyboard.press('j')
    await untilHash(page, /sort=Path$/)
    await head.getByRole('button').click()
    await untilPaths(page, ['/goods/c', '/goods/bb', '/goods/b', '/goods/a'])
    await head.getByRole('button').click()
    await eventually(async () => assert.equal((await readPaths(page))[0], '/goods/bb'))
    await untilCount(readRows(page), 4)
  })
})

describe('console page: headers and bodies', () => {
  it('finds requests by their headers and bodies, without secrets', async (t) => {
    const shop = await openShop(t)
    await post(
      `${shop.url}/goods`,
      { name: 'oolong', price: 3 },
      { 'x-tenant': 'Acme', authorization: 'Bearer hunter2' },
    )
    await ask(shop, ['/goods'])
    const { page } = await openConsole(t, { app: shop })
    const filter = page.getByRole('textbox', { name: 'Filter requests' })
    for (const [q, found] of [
      ['header:x-tenant=acme', 1],
      ['body:oolong method:POST', 1],
      ['-body:oolong', 1],
      ['header:hunter2', 0],
    ] as const) {
      await filter.fill(q)
      await eventually(async () => assert.equal(await readRows(page).count(), found, q))
    }
    await filter.fill('body:matcha')
    await page.getByText(/No request matches/).waitFor()
    await post(`${shop.url}/goods`, { name: 'matcha', price: 3 })
    await untilPaths(page, ['/goods'])
  })
})

describe('console page: suggestions of the filter', () => {
  it('completes keys and values that occur, by key and by click', async (t) => {
    const shop = await openShop(t)
    await ask(shop, ['/goods', '/broken'])
    const { page } = await openConsole(t, { app: shop })
    const filter = page.getByRole('textbox', { name: 'Filter requests' })
    const suggestions = page.getByRole('group', { name: 'Suggestions' })
    await filter.pressSequentially('-is:slow han')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await eventually(async () => assert.equal(await filter.inputValue(), '-is:slow handler:'))
    await suggestions.getByRole('button', { name: 'handler:Broken.get' }).click()
    await untilPaths(page, ['/broken'])
    assert.ok(await filter.evaluate((it) => it === document.activeElement))
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await suggestions.waitFor({ state: 'hidden' })
  })

  it('moves between the field and the suggestions by arrows and Escape', async (t) => {
    const shop = await openShop(t)
    await ask(shop, ['/goods', '/broken'])
    const { page } = await openConsole(t, { app: shop })
    await untilPaths(page, ['/broken', '/goods'])
    await page.keyboard.press('j')
    const filter = page.getByRole('textbox', { name: 'Filter requests' })
    await filter.pressSequentially('status:')
    await page.keyboard.press('ArrowDown')
    await untilFocus(page, /^button "status:200/)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await untilFocus(page, /^button "status:500/)
    await page.keyboard.press('ArrowUp')
    await untilFocus(page, /^button "status:200/)
    await page.keyboard.press('ArrowUp')
    await untilFocus(page, /^textbox "Filter requests"/)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Escape')
    await untilFocus(page, /^textbox "Filter requests"/)
    assert.equal(await filter.inputValue(), 'status:')
    await untilHash(page, /#\/requests\/r_/)
    await page.keyboard.press('5')
    await eventually(async () => assert.equal(await filter.inputValue(), 'status:5'))
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await untilPaths(page, ['/broken'])
  })
})
