/** Links to requests, in responses, in the log, and copied from the page. */
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { describe, it } from 'node:test'
import { createApp, Route } from 'verbena'
import type { RequestSummary } from '#src/devconsole/wire/request-types.js'
import type { RequestPage } from '#src/devconsole/wire/feed-types.js'
import { openConsole } from '../support/browser.js'
import { onCleanup } from '#test/cleanup.js'
import { eventually, readRows, untilSaid } from '../support/page.js'
import { ask, openShop, type Shop } from '../support/shop.js'
import { read } from '#test/console.js'

async function readPinned(shop: Pick<Shop, 'url'>): Promise<string[]> {
  const { items } = await read<RequestPage>(`${shop.url}/__dev__/api/requests`)
  return items.filter((item: RequestSummary) => item['dev.pinned']).map((item) => item['url.path'])
}

async function untilPinned(shop: Pick<Shop, 'url'>, paths: readonly string[]): Promise<void> {
  await eventually(async () => assert.deepEqual(await readPinned(shop), paths))
}

/** Returns the hash of the link in a response. */
async function linkOf(shop: Shop, path: string): Promise<string> {
  const response = await fetch(`${shop.url}${path}`)
  await response.arrayBuffer()
  return new URL(response.headers.get('x-dev-console') ?? '').hash
}

describe('console page: links', () => {
  it('pins the request of an opened link, but not requests selected in the page', async (t) => {
    const shop = await openShop(t)
    const hash = await linkOf(shop, '/broken')
    await ask(shop, ['/goods', '/goods/7'])
    const { page } = await openConsole(t, { app: shop, hash })
    await page.getByRole('heading', { name: /GET\s*\/broken/ }).waitFor()
    await untilPinned(shop, ['/broken'])
    await page.getByRole('button', { name: 'Pinned' }).waitFor()
    await readRows(page).filter({ hasText: '/goods/7' }).click()
    await readRows(page).filter({ hasText: '/goods' }).last().getByRole('link').click()
    await page.goBack()
    await page.getByRole('heading', { name: /GET\s*\/goods\/7/ }).waitFor()
    await page.goForward()
    await page.reload()
    await page.getByRole('heading', { name: /GET\s*\/goods/ }).waitFor()
    await page.getByRole('button', { name: 'Pin', exact: true }).waitFor()
    assert.deepEqual(await readPinned(shop), ['/broken'])
  })

  it('does not pin a request again that was unpinned, when the page is reloaded', async (t) => {
    const shop = await openShop(t)
    const hash = await linkOf(shop, '/goods')
    const { page } = await openConsole(t, { app: shop, hash })
    await page.getByRole('button', { name: 'Pinned' }).click()
    await untilSaid(page, /^Unpinned/)
    await page.reload()
    await page.getByRole('button', { name: 'Pin', exact: true }).waitFor()
    assert.deepEqual(await readPinned(shop), [])
  })

  it('pins the request of a link that is pasted into an open page', async (t) => {
    const shop = await openShop(t)
    const { page } = await openConsole(t, { app: shop })
    const hash = await linkOf(shop, '/goods')
    await page.evaluate((to) => (location.hash = to), hash)
    await untilPinned(shop, ['/goods'])
  })

  it('shows and pins a request whose record is created after its link is opened', async (t) => {
    const ended = new EventEmitter()
    class Ticks extends Route {
      async *get() {
        yield 'tick'
        await once(ended, 'end')
      }
    }
    const app = createApp({ routes: { Ticks }, logger: false, signals: false })
    onCleanup(t, () => app.close())
    const shop = await app.listen()
    const response = await fetch(`${shop.url}/ticks`)
    const { hash } = new URL(response.headers.get('x-dev-console') ?? '')
    const { page } = await openConsole(t, { app: shop, hash, allows: [/404/] })
    await page.getByText('The response is not complete yet.').waitFor()
    const selected = (await openConsole(t, { app: shop })).page
    await readRows(selected).first().click()
    await selected.getByText('The response is not complete yet.').waitFor()
    ended.emit('end')
    await response.text()
    for (const each of [page, selected])
      await each.getByRole('tabpanel', { name: 'Overview' }).getByText('Ticks.get').waitFor()
    await untilPinned(shop, ['/ticks'])
  })

  it('pins the request whose link is copied, and copies the link of the header', async (t) => {
    const shop = await openShop(t)
    const hash = await linkOf(shop, '/goods')
    const context = { permissions: ['clipboard-read', 'clipboard-write'] }
    const { page } = await openConsole(t, { app: shop, context })
    await readRows(page).first().click()
    await page.locator('summary').filter({ hasText: 'Copy' }).click()
    await page.getByRole('button', { name: 'Link to this request' }).click()
    await untilSaid(page, /^Copied the link; the request is pinned/)
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${shop.url}/__dev__${hash}`)
    assert.deepEqual(await readPinned(shop), ['/goods'])
  })

  it('reports that the request of a link cannot be pinned, because too many are', async (t) => {
    const shop = await openShop(t)
    const hashes = []
    for (let count = 0; count <= 20; count++) hashes.push(await linkOf(shop, `/goods/${count}`))
    const { page } = await openConsole(t, { app: shop, allows: [/409/] })
    for (const hash of hashes.slice(0, 20)) {
      await page.evaluate((to) => (location.hash = to), hash)
      await page.getByRole('button', { name: 'Pinned' }).waitFor()
    }
    await page.evaluate((to) => (location.hash = to), hashes[20] ?? '')
    await untilSaid(page, /^Not pinned: .*too many are pinned/)
  })
})
