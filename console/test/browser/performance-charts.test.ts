import '#test/development.js'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Snapshot } from '#src/devconsole/wire/feed-types.js'
import { openConsole } from '../support/browser.js'
import { openBrowserApp, send } from '../support/app.js'
import { eventually, untilCount, untilFocus, untilHash, untilPaths } from '../support/page.js'
import { ask, openShop } from '../support/shop.js'
import { read } from '#test/console.js'

const WATCHED_MS = 2_500

function chartIn(page: Page, title: string): Locator {
  return page.locator('.card', { has: page.getByRole('heading', { name: title, exact: true }) }).locator('.chart svg')
}

/** Left and right end of drawn elements, as shares of the width of their chart. */
function readEnds(chart: Locator, elements: string): Promise<readonly [left: number, right: number]> {
  return chart.evaluate((svg, selector) => {
    const all = svg.getBoundingClientRect()
    const boxes = [...svg.querySelectorAll(selector)].map((element) => element.getBoundingClientRect())
    const share = (x: number) => (x - all.left) / all.width
    return [
      share(Math.min(...boxes.map(({ left }) => left))),
      share(Math.max(...boxes.map(({ right }) => right))),
    ] as const
  }, elements)
}

describe('console page: event loop delay', () => {
  it('is one line, also if nothing was measured in between', async (t) => {
    const shop = await openShop(t)
    const first = await openConsole(t, { app: shop })
    await first.page.waitForTimeout(WATCHED_MS)
    await first.page.close()
    await new Promise((resolve) => setTimeout(resolve, WATCHED_MS))
    const { page } = await openConsole(t, { app: shop, hash: '#/performance' })
    await page.waitForTimeout(WATCHED_MS)
    const { metrics } = await read<Snapshot>(`${shop.url}/__dev__/api/snapshot`)
    const delays = metrics.points.map(({ loopDelay }) => loopDelay !== null)
    assert.match(delays.join(), /true,(?:false,)+true/, 'the console measures only while a page is open')
    const lines = chartIn(page, 'Event loop delay').locator('path[fill="none"]')
    await eventually(async () => await untilCount(lines, 1))
    const spark = page.locator('.kpi', { hasText: 'Event loop p99' }).locator('path[fill="none"]')
    for (const line of [lines, spark]) {
      const d = (await line.getAttribute('d')) ?? ''
      assert.equal(d.match(/M/g)?.length, 1, d)
      assert.ok((d.match(/L/g)?.length ?? 0) >= 3, d)
    }
  })
})

describe('console page: table of endpoints', () => {
  it('sorts by a column in both directions, and keeps the focus', async (t) => {
    const shop = await openShop(t)
    await ask(shop, ['/goods', '/broken', '/broken'])
    const { page } = await openConsole(t, { app: shop, hash: '#/performance' })
    const table = page.getByRole('region', { name: 'Endpoints' })
    const head = table.getByRole('columnheader', { name: 'Calls' })
    const paths = table.locator('tbody .pth')
    await untilCount(paths, 2)
    for (const [direction, expected] of [
      ['descending', ['/broken', '/goods']],
      ['ascending', ['/goods', '/broken']],
    ] as const) {
      await head.getByRole('button').press('Enter')
      await eventually(async () => assert.equal(await head.getAttribute('aria-sort'), direction))
      assert.deepEqual(await paths.allTextContents(), expected)
      await untilFocus(page, /^button "Calls/)
    }
  })

  it('shows the version of an endpoint beside its path', async (t) => {
    const shop = await openShop(t)
    await fetch(`${shop.url}/editions`, { headers: { 'accept-version': '2.1.0' } })
    const { page } = await openConsole(t, { app: shop, hash: '#/performance' })
    const path = page.getByRole('region', { name: 'Endpoints' }).locator('tbody .pth')
    await eventually(async () => assert.deepEqual(await path.allTextContents(), ['/editions >=2.0.0']))
  })
})

describe('console page: heat map', () => {
  it('lists the requests of the newest cell, which has not ended yet', async (t) => {
    const shop = await openShop(t)
    const { page } = await openConsole(t, { app: shop, hash: '#/performance' })
    // A slice lasts for ten seconds. The page counts a second after its end.
    while (Date.now() % 10_000 > 5_000) await page.waitForTimeout(100)
    await ask(shop, ['/goods/7'])
    await chartIn(page, 'Latency heat map').locator('.cell').last().click()
    await untilHash(page, /dur.*after.*before/)
    await untilPaths(page, ['/goods/7'])
  })

  it('lists a request that started before the time of its cell', async (t) => {
    const app = await openBrowserApp(t)
    const { page } = await openConsole(t, { app, hash: '#/performance' })
    while (Date.now() % 10_000 < 8_000) await page.waitForTimeout(50)
    const held = send(app.url, ['GET', '/held'])
    while (app.db.holding() === 0) await page.waitForTimeout(50)
    while (Date.now() % 10_000 > 5_000) await page.waitForTimeout(50)
    app.db.release()
    await held
    await chartIn(page, 'Latency heat map').locator('.cell').last().click()
    await untilPaths(page, ['/held'])
  })
})

describe('console page: charts of a young process', () => {
  it('use the width for the time since the start', async (t) => {
    const shop = await openShop(t)
    await ask(shop, ['/goods', '/goods/7'])
    const { page } = await openConsole(t, { app: shop, hash: '#/performance' })
    await page.waitForTimeout(WATCHED_MS * 3)
    await ask(shop, ['/goods'])
    for (const [title, elements] of [
      ['Event loop delay', 'path[fill="none"]'],
      ['Heap', 'path[fill="none"]'],
      ['Requests per second', 'path'],
    ] as const) {
      await eventually(async () => {
        const [left, right] = await readEnds(chartIn(page, title), elements)
        assert.ok(left < 0.4 && right > 0.93, `${title}: ${left} to ${right}`)
      })
    }
    const heat = chartIn(page, 'Latency heat map')
    const box = await heat.boundingBox()
    const cell = await heat.locator('.cell').first().boundingBox()
    assert.ok((cell?.width ?? 0) > (box?.width ?? 0) / 8, `${cell?.width} of ${box?.width}`)
    const labels = (await heat.locator('text').allTextContents()).filter((text) => text.startsWith('−'))
    assert.equal(labels[0], '−60 s')
  })
})
