/** The filter of the request list: what it finds, suggests and keeps. */
import { describe, it } from 'node:test'
import { openConsole } from '#test/browser.js'
import { untilPaths } from '#test/browser-page.js'
import { ask, openShop } from '#test/browser-shop.js'
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
