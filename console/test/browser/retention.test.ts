/** Records that remain in the list of the page after any number of ordinary requests. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { createApp, Route } from 'verbena'
import type { Snapshot } from '#src/devconsole/wire/feed-types.js'
import { openConsole } from '../support/browser.js'
import { eventually, readPaths, readRows, untilPaths, untilSaid } from '../support/page.js'
import { ask, openShop, type Shop } from '../support/shop.js'
import { onCleanup } from '#test/cleanup.js'
import { read } from '#test/console.js'

/** Numbers of ordinary requests: more than the list shows, and as many as the console records within its budget. */
const [BURST, REST] = [480, 120]
const SLOW_MS = 2_000

/** Waits for new tokens of the recorder (50 per second) in between. */
async function pushOut(shop: Pick<Shop, 'app' | 'url'>): Promise<void> {
  const answer = (path: string) => shop.app.fetch(new Request(`${shop.url}${path}`))
  await Promise.all(Array.from({ length: BURST }, (_, index) => answer(`/goods/${index}`)))
  for (let sent = 0; sent < REST; sent += 30) {
    await sleep(700)
    await Promise.all(Array.from({ length: 30 }, (_, index) => answer(`/goods/later-${sent + index}`)))
  }
}

type Flooded = Pick<Shop, 'app' | 'url'>

async function openFlooded(
  t: TestContext,
  paths: readonly string[],
  { shop = null, act }: { shop?: Flooded | null; act?: (page: Page) => Promise<void> } = {},
): Promise<{ shop: Flooded; page: Page }> {
  shop ??= await openShop(t)
  const { page } = await openConsole(t, { app: shop })
  await ask(shop, paths)
  await eventually(async () => assert.equal((await readPaths(page)).length, paths.length))
  await act?.(page)
  await pushOut(shop)
  await eventually(async () => assert.match((await readPaths(page))[0] ?? '', /later-119/))
  return { shop, page }
}

async function quickCount(page: Page, label: string): Promise<string> {
  return page.getByRole('group', { name: 'Quick filters' }).getByRole('button', { name: label }).innerText()
}

/** A shop with one slow endpoint. */
async function openSlowShop(t: TestContext): Promise<Flooded> {
  class GoodById extends Route {
    static readonly path = '/goods/{id}'
    get() {
      return 'tea'
    }
  }
  class Late extends Route {
    async get() {
      await sleep(SLOW_MS + 50)
      return 'late'
    }
  }
  const devConsole = { slow: SLOW_MS }
  const app = createApp({ routes: { GoodById, Late }, logger: false, signals: false, devConsole })
  const { url } = await app.listen()
  onCleanup(t, () => app.close())
  return { app, url }
}

describe('console page: notable records', () => {
  it('keeps failed, rejected and invalid requests after 600 ordinary ones', async (t) => {
    const { shop, page } = await openFlooded(t, ['/goods/first', '/broken', '/nowhere', '/goods?limit=many'])
    const { requests } = await read<Snapshot>(`${shop.url}/__dev__/api/snapshot`)
    assert.deepEqual(
      requests.slice(-3).map((it) => it['url.path']),
      ['/goods', '/nowhere', '/broken'],
    )
    assert.match(await quickCount(page, '5xx'), /5xx\s*1$/)
    assert.match(await quickCount(page, '4xx'), /4xx\s*2$/)
    assert.match(await quickCount(page, 'Invalid'), /Invalid\s*1$/)
    await page.getByRole('button', { name: '5xx' }).click()
    await untilPaths(page, ['/broken'])
  })

  it('keeps slow and pinned requests after 600 ordinary ones', async (t) => {
    const shop = await openSlowShop(t)
    const { page } = await openFlooded(t, ['/goods/pinned', '/late'], {
      shop,
      act: async (page) => {
        await readRows(page).last().click()
        await page.keyboard.press('p')
        await untilSaid(page, /^Pinned/)
        await page.keyboard.press('Escape')
      },
    })
    assert.match(await quickCount(page, 'Slow'), /Slow\s*1$/)
    await page.getByRole('button', { name: 'Slow' }).click()
    await untilPaths(page, ['/late'])
    await page.getByRole('textbox', { name: 'Filter requests' }).fill('is:pinned')
    await untilPaths(page, ['/goods/pinned'])
  })

  it('shows the request of every problem that has one', async (t) => {
    const { page } = await openFlooded(t, ['/goods', '/goods', '/goods', '/goods', '/goods', '/broken'])
    await page.getByRole('link', { name: /^Problems/ }).click()
    for (const [problem, path] of [
      ['TypeError in', '/broken'],
      ['the same request again and again', '/goods'],
    ] as const) {
      const group = page.locator('.pb', { hasText: problem })
      await group.getByRole('link', { name: 'Show requests' }).click()
      await eventually(async () => assert.ok((await readPaths(page)).includes(path), await page.url()))
      await page.goBack()
    }
  })
})
